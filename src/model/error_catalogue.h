#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ff::model {

/// What a stable error code means to a caller.
struct ErrorInfo {
    std::string_view code{};
    ErrorClass cls = ErrorClass::Terminal;
    int http_status = 500;

    bool retryable() const { return cls == ErrorClass::Retryable; }
};

/// Every code the system answers with, each once.
std::span<const ErrorInfo> error_catalogue();

/// The entry of a code, matched by the part before a `:`. Unknown codes are terminal and 500, with
/// an empty `code` in the answer.
ErrorInfo lookup_error(std::string_view code);

/// An Error with the class the catalogue gives its code.
Error make_error(std::string_view code, std::vector<std::string> detail = {});

/// The status to answer with. Storage failures are 503 when they may be retried, which depends on
/// the transport kind and not on the code; a missing API token (401) is the server's own matter.
int http_status_of(const Error& error);

}  // namespace ff::model
