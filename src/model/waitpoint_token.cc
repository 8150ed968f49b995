#include "model/waitpoint_token.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/digest.h"
#include "model/error_catalogue.h"
#include "model/key_text.h"

namespace ff::model {
namespace {

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

Result<WaitpointToken> WaitpointToken::parse(std::string_view text) {
    if (text.empty()) return make_error("missing_token");
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return make_error("invalid_token");
    const std::string_view digest = text.substr(colon + 1);
    if (digest.size() != kDigestSize || !is_lower_hex(digest)) return make_error("invalid_token");
    return WaitpointToken(text.substr(0, colon), digest);
}

Result<WaitpointToken> WaitpointToken::mint(std::string_view kid, std::string_view secret_hex,
                                            const WaitpointSeed& seed) {
    if (kid.empty() || kid.find_first_of(": ") != std::string_view::npos)
        return make_error("invalid_kid");
    const auto secret = from_hex(secret_hex);
    if (!secret || secret->empty()) return make_error("invalid_secret");
    const std::string message =
        concat({seed.id.to_string(), "|", seed.key.text(), "|", ff::to_string(seed.created_at)});
    return WaitpointToken(kid, to_hex(hmac_sha1(*secret, message)));
}

std::string WaitpointToken::to_string() const {
    return redacted_token(reveal());
}

bool operator==(const WaitpointToken& a, const WaitpointToken& b) {
    return a.kid_ == b.kid_ && constant_time_equal(a.digest_, b.digest_);
}

std::string redacted_token(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
        return "<REDACTED:malformed>";
    const std::string size = std::to_string(text.size() - colon - 1);
    return concat({text.substr(0, colon), ":<REDACTED:len=", size, ">"});
}

}  // namespace ff::model
