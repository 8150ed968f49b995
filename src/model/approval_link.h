#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/random.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::model {

/// What the address of an approval link says: the waitpoint it is for, and the secret that opens
/// it. The store knows the digest of the secret alone.
class ApprovalLink {
  public:
    static constexpr std::size_t kSecretSize = 20;
    /// All codes have this size.
    static constexpr std::size_t kCodeSize = 72;

    static ApprovalLink mint(const ExecutionId& execution, const WaitpointId& waitpoint,
                             Random& random);
    /// Nothing for text that `reveal` cannot have made.
    static std::optional<ApprovalLink> parse(std::string_view code);

    const ExecutionId& execution_id() const { return execution_id_; }
    const WaitpointId& waitpoint_id() const { return waitpoint_id_; }
    /// The first digits of the digest: no secret, and enough to tell the links of a waitpoint
    /// apart.
    std::string id() const { return digest().substr(0, 16); }
    /// 64 lower-case hex digits.
    std::string digest() const;
    /// What only somebody can know who has the secret and was shown `shown`.
    std::string page_token(std::string_view shown) const;
    /// The credential itself, in characters that need no escape in a URL.
    std::string reveal() const;

  private:
    ApprovalLink(const ExecutionId& execution, const WaitpointId& waitpoint, Bytes secret)
        : execution_id_(execution), waitpoint_id_(waitpoint), secret_(std::move(secret)) {}

    ExecutionId execution_id_;
    WaitpointId waitpoint_id_;
    Bytes secret_;
};

}  // namespace ff::model
