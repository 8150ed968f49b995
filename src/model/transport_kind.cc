#include "model/transport_kind.h"

#include <algorithm>
#include <array>

namespace ff::model {
namespace {

struct Row {
    std::string_view text;
    bool retryable;
};

/// In the order of the enumerators.
constexpr std::array kRows = {
    Row{"io_error", true},
    Row{"fatal_send", true},
    Row{"try_again", true},
    Row{"busy_loading", true},
    Row{"cluster_down", true},
    Row{"fatal_receive", false},
    Row{"authentication_failed", false},
    Row{"permission_denied", false},
    Row{"moved", false},
    Row{"ask", false},
    Row{"master_down", false},
    Row{"read_only", false},
    Row{"cross_slot", false},
    Row{"no_script", false},
    Row{"type_error", false},
    Row{"exec_abort", false},
    Row{"response_error", false},
    Row{"parse_error", false},
    Row{"invalid_client_config", false},
    Row{"client_error", false},
    Row{"extension_error", false},
    Row{"unknown", false},
    Row{"master_name_not_found_by_sentinel", false},
    Row{"no_valid_replicas_found_by_sentinel", false},
};
static_assert(kRows.size() ==
              static_cast<std::size_t>(TransportKind::NoValidReplicasFoundBySentinel) + 1);

}  // namespace

std::string_view to_string(TransportKind kind) {
    return kRows[static_cast<std::size_t>(kind)].text;
}

std::optional<TransportKind> parse_transport_kind(std::string_view text) {
    const auto* const row =
        std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.text == text; });
    if (row == kRows.end()) return std::nullopt;
    return static_cast<TransportKind>(row - kRows.begin());
}

bool is_retryable(TransportKind kind) {
    return kRows[static_cast<std::size_t>(kind)].retryable;
}

Error storage_error(TransportKind kind, std::string message) {
    return Error{.code = "storage_error",
                 .cls = is_retryable(kind) ? ErrorClass::Retryable : ErrorClass::Terminal,
                 .kind = std::string(to_string(kind)),
                 .message = std::move(message)};
}

}  // namespace ff::model
