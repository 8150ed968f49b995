#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "model/ids.h"

namespace ff::model {

/// What a waitpoint's token is computed from.
struct WaitpointSeed {
    const WaitpointId& id;
    const WaitpointKey& key;
    Timestamp created_at{};
};

/// `<kid>:<40 lower-case hex digits>`: whoever holds it may signal the waitpoint. Rendered as text
/// it shows its kid only.
class WaitpointToken {
  public:
    static constexpr std::size_t kDigestSize = 40;

    /// Empty text is `missing_token`; every other text of another form is `invalid_token`.
    static Result<WaitpointToken> parse(std::string_view text);
    /// HMAC-SHA1 under the secret, which is hex text: `invalid_secret` if it is not, `invalid_kid`
    /// if the kid is empty or has a `:` or a space.
    static Result<WaitpointToken> mint(std::string_view kid, std::string_view secret_hex,
                                       const WaitpointSeed& seed);

    const std::string& kid() const { return kid_; }
    /// The first 16 digits: enough to tell tokens apart, too little to use one.
    std::string_view fingerprint() const { return std::string_view(digest_).substr(0, 16); }
    /// The credential itself, for the wire and nothing else.
    std::string reveal() const { return kid_ + ":" + digest_; }
    /// `<kid>:<REDACTED:len=40>`.
    std::string to_string() const;

    /// Compares in a time that does not depend on where the digests differ.
    friend bool operator==(const WaitpointToken& a, const WaitpointToken& b);
    friend std::ostream& operator<<(std::ostream& out, const WaitpointToken& token) {
        return out << token.to_string();
    }

  private:
    WaitpointToken(std::string_view kid, std::string_view digest) : kid_(kid), digest_(digest) {}

    std::string kid_;
    std::string digest_;
};

/// How text that should be a token may be shown: `<kid>:<REDACTED:len=<n>>`, or
/// `<REDACTED:malformed>` when it has no `:` or an empty side.
std::string redacted_token(std::string_view text);

}  // namespace ff::model
