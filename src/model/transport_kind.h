#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ff::model {

/// How a request failed that got no function reply.
enum class TransportKind : std::uint8_t {
    IoError,
    FatalSend,
    TryAgain,
    BusyLoading,
    ClusterDown,
    FatalReceive,
    AuthenticationFailed,
    PermissionDenied,
    Moved,
    Ask,
    MasterDown,
    ReadOnly,
    CrossSlot,
    NoScript,
    TypeError,
    ExecAbort,
    ResponseError,
    ParseError,
    InvalidClientConfig,
    ClientError,
    ExtensionError,
    Unknown,
    MasterNameNotFoundBySentinel,
    NoValidReplicasFoundBySentinel,
};

/// The stable string of the kind, e.g. `fatal_receive`.
std::string_view to_string(TransportKind kind);
std::optional<TransportKind> parse_transport_kind(std::string_view text);
/// True when the request cannot have been applied, so that any caller may send it again.
bool is_retryable(TransportKind kind);

/// A `storage_error` of that kind; its class is retryable exactly when the kind is.
Error storage_error(TransportKind kind, std::string message);

}  // namespace ff::model
