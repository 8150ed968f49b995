#include "store/reply_errors.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/error_catalogue.h"

namespace ff::store {
namespace {

using model::TransportKind;

struct Word {
    std::string_view word{};
    TransportKind kind = TransportKind::ResponseError;
};

constexpr std::array kWords = std::to_array<Word>({
    {"MOVED", TransportKind::Moved},
    {"ASK", TransportKind::Ask},
    {"TRYAGAIN", TransportKind::TryAgain},
    {"LOADING", TransportKind::BusyLoading},
    {"CLUSTERDOWN", TransportKind::ClusterDown},
    {"NOAUTH", TransportKind::AuthenticationFailed},
    {"WRONGPASS", TransportKind::AuthenticationFailed},
    {"NOPERM", TransportKind::PermissionDenied},
    {"MASTERDOWN", TransportKind::MasterDown},
    {"READONLY", TransportKind::ReadOnly},
    {"CROSSSLOT", TransportKind::CrossSlot},
    {"NOSCRIPT", TransportKind::NoScript},
    {"WRONGTYPE", TransportKind::TypeError},
    {"EXECABORT", TransportKind::ExecAbort},
});

/// How Valkey, and the embedded store, refuse what would make them larger.
constexpr std::string_view kOutOfMemory = "OOM ";

}  // namespace

TransportKind kind_of_error_reply(std::string_view line) {
    const std::string_view word = line.substr(0, line.find(' '));
    const auto* const found = std::ranges::find(kWords, word, &Word::word);
    if (found != kWords.end()) return found->kind;
    return says_function_unknown(line) ? TransportKind::NoScript : TransportKind::ResponseError;
}

bool says_function_unknown(std::string_view line) {
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr std::array<std::string_view, 3> kSigns = {"function not found", "function not loaded",
                                                        "no matching function"};
    return std::ranges::any_of(
        kSigns, [&lower](std::string_view sign) { return lower.find(sign) != std::string::npos; });
}

Result<Reply> without_error(Reply reply) {
    if (!reply.is_error()) return reply;
    const std::string_view line = reply.error_text();
    if (line.starts_with(kOutOfMemory)) {
        Error full = model::make_error("store_full");
        full.message =
            "The store has used the memory it may, so it takes no new work. Work that is there can "
            "be ended; give the store more memory or let ended work be dropped sooner.";
        return full;
    }
    return model::storage_error(kind_of_error_reply(line), std::string(line));
}

Error shutting_down() {
    return model::make_error("shutting_down");
}

}  // namespace ff::store
