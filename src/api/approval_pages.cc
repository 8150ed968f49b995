#include "api/approval_pages.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/approval_view.h"
#include "api/error_reply.h"
#include "api/link_routes.h"
#include "api/percent.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/log.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

/// In the log and the figures: never the path itself, which holds the secret.
constexpr std::string_view kPattern = "/approve/{link}";
constexpr std::string_view kContext = "/context";
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
/// A form that is filled to its brim, escaped.
constexpr std::size_t kBodyMost = std::size_t{256} << 10;
/// What a signal may carry (chapter 03 section 1.1).
constexpr std::size_t kPayloadMost = 65'536;

bool is_page(const http::Request& request) {
    return request.path().starts_with(kApprovalPages);
}

bool reads(const http::Request& request) {
    return request.method == "GET" || request.method == "HEAD";
}

struct Target {
    model::ApprovalLink link;
    bool context = false;
};

std::optional<Target> target_of(const http::Request& request) {
    std::string_view rest = request.path().substr(kApprovalPages.size());
    const bool context = rest.ends_with(kContext);
    if (context) rest.remove_suffix(kContext.size());
    const auto link = model::ApprovalLink::parse(rest);
    return link ? std::optional(Target{.link = *link, .context = context}) : std::nullopt;
}

/// Everything that a person sees and answers to: another question has another token.
std::string shown_of(const service::ApprovalLinkView& view) {
    std::string shown;
    json::Writer out(shown);
    out.begin_array();
    const auto add = [&out](std::string_view bytes) { out.string(to_base64(bytes)); };
    if (view.question) {
        add(view.question->prompt);
        add(view.question->form_json);
        add(view.question->context_type);
        add(view.question->context);
    }
    for (const std::string& name : view.signal_names) add(name);
    out.end_array();
    return shown;
}

http::Response not_found() {
    return telling_page(404, "This link leads nowhere",
                        "The address is not complete, or what it was for is gone. Open it as you "
                        "received it, or ask whoever sent it for a new one.");
}

/// Of a link that takes no answer.
http::Response closed_page(unsigned status, const service::ApprovalLinkView& view) {
    if (view.link.state == "answered") return answered_page(status, view);
    const unsigned gone = status == 200 ? 410 : status;
    if (view.link.state == "expired")
        return telling_page(gone, "This link has expired",
                            "It can no longer be answered. If an answer is still wanted, ask "
                            "whoever sent it for a new one.");
    if (view.link.state == "revoked")
        return telling_page(gone, "This link was withdrawn",
                            "Whoever sent it has taken it back. There is nothing to do.");
    return telling_page(gone, "No answer is needed any more",
                        "Somebody else has answered, or the time for it is over. There is nothing "
                        "to do.");
}

/// What the gate or a service refused, as a person is told it.
http::Response refusal_page(unsigned status) {
    switch (status) {
        case 403:
            return telling_page(status, "The answer was not taken",
                                "It did not come from this page. Open the link again and answer "
                                "there.");
        case 404:
            return not_found();
        case 405:
            return telling_page(status, "This is a page", "It can be opened and answered.");
        case 413:
            return telling_page(status, "The answer was not taken",
                                "It is longer than an answer can be. Go back and shorten it.");
        case 415:
            return telling_page(status, "The answer was not taken",
                                "It did not come from a form of this page.");
        case 429:
            return telling_page(status, "Too many at once",
                                "Wait a minute, then open the link again. Nothing is lost.");
        default:
            return telling_page(status, "This did not work just now",
                                "Wait a moment, then open the link again. Nothing is lost.");
    }
}

/// Keeps what programs and browsers act on.
http::Response as_page(const http::Response& refusal) {
    http::Response page = refusal_page(refusal.status);
    for (const http::Header& header : refusal.headers)
        if (http::same_name(header.name, "Retry-After")) page.headers.push_back(header);
    return page;
}

std::string without_returns(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != '\r') out += c;
    return out;
}

/// Nothing where it is no form, or no text.
std::optional<FormInput> read_form(const http::Request& request) {
    auto parsed = parse_query(request.body);
    if (!parsed.has_value()) return std::nullopt;
    FormInput input;
    for (const auto& [name, value] : *parsed) {
        if (!is_utf8(name) || !is_utf8(value)) return std::nullopt;
        input.emplace(name, without_returns(value));
    }
    return input;
}

std::string text_in(const FormInput& input, std::string_view name) {
    const auto found = input.find(std::string(name));
    return found == input.end() ? std::string() : found->second;
}

bool is_form(const http::Request& request) {
    const std::string_view type = request.header("Content-Type").value_or("");
    return http::same_name(type.substr(0, type.find(';')), kFormType);
}

/// The members of the form and the comment, as a JSON object; empty where nothing was said.
Bytes payload_of(const ApprovalForm& form, std::string members, const FormInput& input) {
    const std::string comment = text_in(input, kCommentInput);
    const bool said = comment.find_first_not_of(" \t\n") != std::string::npos;
    if (said && !form.asks_for(kCommentInput)) {
        members += members.empty() ? "\"comment\":" : ",\"comment\":";
        json::Writer(members).string(comment);
    }
    return members.empty() ? Bytes() : "{" + members + "}";
}

}  // namespace

http::Admission ApprovalPages::admit(const http::Request& head, http::Peer& peer) {
    if (!is_page(head)) return inside_.admit(head, peer);
    http::Admission admission{.body_bytes_max = kBodyMost,
                              .route = std::string(kPattern),
                              .refusal = gate_.before_page(head)};
    if (!admission.refusal) {
        Result<Guests::Place> place = gate_.let_in(peer);
        if (place.has_value()) {
            admission.held = *std::move(place);
        } else {
            admission.refusal = error_reply(std::move(place).error());
        }
    }
    if (!admission.refusal) return admission;
    admission.refusal = as_page(*admission.refusal);
    const Answered answered{.head = head,
                            .pattern = kPattern,
                            .status = admission.refusal->status,
                            .took = {},
                            .peer = peer};
    gate_.after(answered, *admission.refusal);
    return admission;
}

boost::asio::awaitable<http::Response> ApprovalPages::handle(http::Request request,
                                                             http::Peer& peer) {
    if (!is_page(request)) {
        http::Response response = co_await inside_.handle(std::move(request), peer);
        co_return response;
    }
    const auto start = std::chrono::steady_clock::now();
    std::string store_failure;
    // As in the dispatcher: should something throw all the same, the other requests go on.
    std::optional<http::Response> response;
    std::string thrown;
    try {
        response = co_await answer(request, peer, store_failure);
    } catch (const std::exception& failure) {
        thrown = failure.what();
    }
    if (!response) {
        log::error("api", "handler_threw", {{"route", kPattern}, {"why", thrown}});
        response = refusal_page(500);
    }
    const Answered answered{.head = request,
                            .pattern = kPattern,
                            .status = response->status,
                            .took = std::chrono::steady_clock::now() - start,
                            .peer = peer,
                            .store_failure = std::move(store_failure)};
    gate_.after(answered, *response);
    co_return *std::move(response);
}

boost::asio::awaitable<http::Response> ApprovalPages::answer(const http::Request& request,
                                                             http::Peer& peer,
                                                             std::string& store_failure) {
    const std::optional<http::Response> refusal = gate_.before_page(request);
    if (refusal) co_return as_page(*refusal);
    // What has a body was let in by its head already.
    Result<Guests::Place> place = Guests::Place();
    if (request.body.empty()) place = gate_.let_in(peer);
    if (!place.has_value()) co_return as_page(error_reply(std::move(place).error()));
    const std::optional<Target> target = target_of(request);
    if (!target) co_return not_found();
    Result<http::Response> response = http::Response();
    if (reads(request) && target->context) {
        response = co_await show_context(target->link);
    } else if (reads(request)) {
        response = co_await show(request, target->link);
    } else if (request.method == "POST" && !target->context) {
        response = co_await take(request, target->link);
    } else {
        http::Response page = refusal_page(405);
        page.headers.push_back(
            {.name = "Allow", .value = target->context ? "GET, HEAD" : "GET, HEAD, POST"});
        co_return page;
    }
    if (response.has_value()) co_return *std::move(response);
    if (response.error().code == "storage_error") store_failure = response.error().kind;
    co_return as_page(error_reply(std::move(response).error()));
}

Task<http::Response> ApprovalPages::show(const http::Request& request, model::ApprovalLink link) {
    FF_CO_TRY(const service::ApprovalLinkView view, co_await approvals_.open_link(link));
    if (!view.is_open()) co_return closed_page(200, view);
    const ApprovalForm form =
        ApprovalForm::of_schema(view.question ? view.question->form_json : std::string());
    const std::string_view path = request.path();
    co_return asking_page(
        200, {.view = view,
              .form = form,
              .names = answer_names(view.signal_names),
              .token = link.page_token(shown_of(view)),
              .context_path = std::string(path.substr(path.rfind('/') + 1)) + std::string(kContext),
              .now = clock_.now()});
}

Task<http::Response> ApprovalPages::show_context(model::ApprovalLink link) {
    FF_CO_TRY(service::ApprovalLinkView view, co_await approvals_.open_link(link));
    if (!view.is_open()) co_return closed_page(200, view);
    if (!view.question || view.question->context.empty()) co_return not_found();
    // Whatever it is, no browser shall make a page of it.
    http::Response response{.content_type = "application/octet-stream",
                            .body = std::move(view.question->context)};
    secure_page(response);
    response.headers.push_back(
        {.name = "Content-Disposition", .value = "attachment; filename=\"context.bin\""});
    co_return response;
}

Task<http::Response> ApprovalPages::take(const http::Request& request, model::ApprovalLink link) {
    constexpr unsigned kConflict = 409;
    if (!is_form(request)) co_return refusal_page(415);
    const std::optional<FormInput> input = read_form(request);
    if (!input) co_return refusal_page(415);
    FF_CO_TRY(const service::ApprovalLinkView view, co_await approvals_.open_link(link));
    if (!view.is_open()) co_return closed_page(kConflict, view);
    const ApprovalForm form =
        ApprovalForm::of_schema(view.question ? view.question->form_json : std::string());
    const std::string_view path = request.path();
    AskingPage again{
        .view = view,
        .form = form,
        .names = answer_names(view.signal_names),
        .token = link.page_token(shown_of(view)),
        .context_path = std::string(path.substr(path.rfind('/') + 1)) + std::string(kContext),
        .now = clock_.now(),
        .sent = &*input};
    if (!constant_time_equal(text_in(*input, kTokenInput), again.token)) {
        again.notice = "The question has changed since you opened this page. Please read it again.";
        co_return asking_page(kConflict, again);
    }
    const std::string answer = text_in(*input, kAnswerInput);
    const bool approved = answer == "approved";
    service::ApprovalLinkAnswer said{
        .approved = approved, .signal_name = approved ? again.names.approve : again.names.reject};
    if ((!approved && answer != "rejected") || said.signal_name.empty()) {
        again.notice = "Choose one of the answers below.";
        co_return asking_page(400, again);
    }
    FormAnswer filled;
    if (approved) filled = form.read(*input);
    if (!filled.problems.empty()) {
        again.problems = std::move(filled.problems);
        again.notice = "Please look again at the fields that are marked below.";
        co_return asking_page(400, again);
    }
    said.payload = payload_of(form, std::move(filled.members), *input);
    if (text_in(*input, kCommentInput).size() > 4 * kCommentMost ||
        said.payload.size() > kPayloadMost) {
        again.notice = "This is longer than an answer can be. Please shorten it.";
        co_return asking_page(400, again);
    }
    co_return co_await send(link, std::move(said));
}

/// Then shows what was answered, under the address of the question, so that nothing is sent again
/// when the page is loaded again.
Task<http::Response> ApprovalPages::send(model::ApprovalLink link,
                                         service::ApprovalLinkAnswer said) {
    const Result<engine::SignalReceipt> receipt =
        co_await approvals_.answer_link(link, std::move(said));
    if (receipt.has_value()) {
        http::Response response{.status = 303, .content_type = "text/html; charset=utf-8"};
        secure_page(response);
        response.headers.push_back({.name = "Location", .value = link.reveal()});
        co_return response;
    }
    const std::string& code = receipt.error().code;
    constexpr std::string_view kClosed[] = {"link_not_open", "waitpoint_closed",
                                            "waitpoint_not_found", "target_not_signalable",
                                            "execution_not_found"};
    if (std::ranges::find(kClosed, code) == std::end(kClosed)) co_return receipt.error();
    // Somebody was faster.
    FF_CO_TRY(service::ApprovalLinkView now, co_await approvals_.open_link(link));
    if (now.is_open()) now.link.state = "closed";
    co_return closed_page(409, now);
}

}  // namespace ff::api
