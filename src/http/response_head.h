#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace ff::http {

/// How much of a body follows a head. Sized: as many bytes as `Response::body` has, whether they
/// are sent or were only asked after. Chunked: pieces with their lengths. UntilClose: all that
/// comes.
enum class BodyFraming : std::uint8_t { Sized, Chunked, UntilClose };

/// What a head says beside what the response says.
struct HeadFacts {
    unsigned version = 11;  // 10 or 11
    bool keep_alive = false;
    BodyFraming framing = BodyFraming::Sized;
    std::string_view date{};
    std::string_view request_id{};
};

/// The status line and the headers of a response, up to and with the empty line.
std::string response_head(const Response& response, const HeadFacts& facts);

}  // namespace ff::http
