#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/slot.h"
#include "net/address.h"
#include "resp/value.h"

namespace ff::valkey {

/// Which primary serves which slot of a cluster.
class SlotMap {
  public:
    /// Reads the reply to CLUSTER SLOTS. `asked` is the node it came from: a node that does not
    /// know its own host leaves it out. A reply of another shape is a `storage_error` of kind
    /// `parse_error`.
    static Result<SlotMap> parse(const resp::Value& reply, const net::Address& asked);

    /// The primary of a slot; null if nobody serves it.
    const net::Address* primary_of(std::uint16_t slot) const;
    /// Every primary once, in the order of their first slots.
    const std::vector<net::Address>& primaries() const { return primaries_; }
    /// Every node once, replicas included.
    const std::vector<net::Address>& nodes() const { return nodes_; }
    bool has_node(const net::Address& address) const;
    /// Slots that somebody serves.
    std::size_t covered() const;

    /// One slot has moved, as a redirection says; the rest is learnt by the next refresh.
    void move(std::uint16_t slot, const net::Address& to);

  private:
    static constexpr std::uint16_t kNobody = 0xffff;

    std::uint16_t index_of_primary(const net::Address& address);

    std::array<std::uint16_t, model::kSlotCount> owner_ = filled();
    std::vector<net::Address> primaries_{};
    std::vector<net::Address> nodes_{};

    static std::array<std::uint16_t, model::kSlotCount> filled() {
        std::array<std::uint16_t, model::kSlotCount> nobody;
        nobody.fill(kNobody);
        return nobody;
    }
};

}  // namespace ff::valkey
