#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/approval_form.h"
#include "base/time.h"
#include "http/message.h"
#include "service/approvals.h"

namespace ff::api {

/// The signals that the two buttons of a page send; a name that is empty is not offered.
struct AnswerNames {
    std::string approve{};
    std::string reject{};
};
AnswerNames answer_names(const std::vector<std::string>& awaited);

/// A page that asks.
struct AskingPage {
    const service::ApprovalLinkView& view;
    const ApprovalForm& form;
    AnswerNames names{};
    /// What the answer must bring along.
    std::string token{};
    /// Where the bytes are that the page cannot show, seen from the page.
    std::string context_path{};
    Timestamp now{};
    /// What was sent before, when it could not be taken, and why.
    const FormInput* sent = nullptr;
    std::map<std::size_t, std::string> problems{};
    std::string notice{};
};

/// The names of inputs beside those of the form.
inline constexpr std::string_view kCommentInput = "comment";
inline constexpr std::string_view kAnswerInput = "answer";
inline constexpr std::string_view kTokenInput = "page";
inline constexpr std::size_t kCommentMost = 4'000;

/// Bytes that people can read as they are.
bool is_readable(const hub::Question& question);

http::Response asking_page(unsigned status, const AskingPage& page);
/// What was answered, and when.
http::Response answered_page(unsigned status, const service::ApprovalLinkView& view);
/// A page of a heading and a sentence.
http::Response telling_page(unsigned status, std::string_view heading, std::string_view sentence);
/// What makes an answer safe to be shown: nobody keeps it, frames it, or learns its address.
void secure_page(http::Response& response);

}  // namespace ff::api
