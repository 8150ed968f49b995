#include "base/error.h"

namespace ff {

std::string_view to_string(ErrorClass cls) {
    switch (cls) {
        case ErrorClass::Terminal:
            return "terminal";
        case ErrorClass::Retryable:
            return "retryable";
        case ErrorClass::Cooperative:
            return "cooperative";
        case ErrorClass::Informational:
            return "informational";
        case ErrorClass::Expected:
            return "expected";
        case ErrorClass::SoftError:
            return "soft_error";
        case ErrorClass::Bug:
            return "bug";
    }
    return "bug";
}

Error Error::within(std::string_view place) && {
    message = std::string(place) + ": " + text();
    return std::move(*this);
}

std::string Error::text() const {
    if (!message.empty()) return message;
    std::string out = code;
    for (const std::string& piece : detail)
        out += (out.size() == code.size() ? ": " : ", ") + piece;
    return out;
}

Error invalid_input(std::string_view field, std::string_view why) {
    std::string detail = std::string(field) + ":" + std::string(why);
    return Error{.code = "invalid_input",
                 .cls = ErrorClass::Terminal,
                 .detail = {detail},
                 .message = "invalid input: " + detail};
}

}  // namespace ff
