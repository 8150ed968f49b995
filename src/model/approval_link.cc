#include "model/approval_link.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/digest.h"

namespace ff::model {
namespace {

// A code is base64url of: partition index (2 bytes, most significant first), execution (16),
// waitpoint (16), secret (20).
constexpr std::size_t kIndexSize = 2;
constexpr std::size_t kUuidSize = 16;

Uuid uuid_at(const Bytes& bytes, std::size_t at) {
    Uuid::Raw raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), raw.size(), raw.begin());
    return Uuid::from_raw(raw);
}

}  // namespace

ApprovalLink ApprovalLink::mint(const ExecutionId& execution, const WaitpointId& waitpoint,
                                Random& random) {
    std::array<std::uint8_t, kSecretSize> secret{};
    random.fill(secret);
    return {execution, waitpoint, Bytes(secret.begin(), secret.end())};
}

std::optional<ApprovalLink> ApprovalLink::parse(std::string_view code) {
    if (code.size() != kCodeSize || code.find_first_of("+/=") != std::string_view::npos)
        return std::nullopt;
    std::string text(code);
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    const std::optional<Bytes> bytes = from_base64(text);
    if (!bytes) return std::nullopt;
    const auto high = static_cast<std::uint8_t>((*bytes)[0]);
    const auto low = static_cast<std::uint8_t>((*bytes)[1]);
    const auto index = static_cast<std::uint16_t>((high << 8U) | low);
    return ApprovalLink(ExecutionId::in_partition(index, uuid_at(*bytes, kIndexSize)),
                        WaitpointId(uuid_at(*bytes, kIndexSize + kUuidSize)),
                        bytes->substr(kIndexSize + 2 * kUuidSize));
}

std::string ApprovalLink::digest() const {
    return sha256_hex("ff-approval-link:" + secret_);
}

std::string ApprovalLink::page_token(std::string_view shown) const {
    return sha256_hex("ff-approval-page:" + secret_ + sha256_hex(shown));
}

std::string ApprovalLink::reveal() const {
    const std::uint16_t index = execution_id_.partition_index();
    Bytes bytes{static_cast<char>(index >> 8U), static_cast<char>(index & 0xffU)};
    bytes += execution_id_.uuid().bytes();
    bytes += waitpoint_id_.uuid().bytes();
    bytes += secret_;
    std::string code = to_base64(bytes);
    std::ranges::replace(code, '+', '-');
    std::ranges::replace(code, '/', '_');
    return code;
}

}  // namespace ff::model
