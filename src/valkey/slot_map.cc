// CLUSTER SLOTS answers [[first, last, [host, port, id, ...], [replica ...] ...], ...]. The host is
// null or empty where the node does not know its own, "?" where it must not be told.

#include "valkey/slot_map.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

Error not_understood(std::string_view what) {
    return model::storage_error(model::TransportKind::ParseError,
                                "CLUSTER SLOTS: " + std::string(what));
}

Result<net::Address> parse_node(const resp::Value& node, const net::Address& asked) {
    const auto fields = node.items();
    if (fields.size() < 2) return not_understood("a node without host and port");
    const std::string_view host = fields[0].text().value_or("");
    const auto port = fields[1].as_integer();
    if (!port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max())
        return not_understood("a node without a port");
    const bool unsaid = host.empty() || host == "?";
    return net::Address{.host = unsaid ? asked.host : std::string(host),
                        .port = static_cast<std::uint16_t>(*port)};
}

void add_once(std::vector<net::Address>& list, const net::Address& address) {
    if (std::ranges::find(list, address) == list.end()) list.push_back(address);
}

}  // namespace

Result<SlotMap> SlotMap::parse(const resp::Value& reply, const net::Address& asked) {
    if (reply.type() != resp::Type::Array) return not_understood("the reply is no array");
    SlotMap map;
    for (const resp::Value& range : reply.items()) {
        const auto fields = range.items();
        if (fields.size() < 3) return not_understood("a range without a primary");
        const auto first = fields[0].as_integer();
        const auto last = fields[1].as_integer();
        if (!first || !last || *first < 0 || *last >= model::kSlotCount || *first > *last)
            return not_understood("a range outside the slots");
        FF_TRY(const net::Address primary, parse_node(fields[2], asked));
        const std::uint16_t owner = map.index_of_primary(primary);
        for (auto slot = *first; slot <= *last; ++slot)
            map.owner_[static_cast<std::size_t>(slot)] = owner;
        for (const resp::Value& replica : fields.subspan(3)) {
            FF_TRY(const net::Address address, parse_node(replica, asked));
            add_once(map.nodes_, address);
        }
    }
    return map;
}

const net::Address* SlotMap::primary_of(std::uint16_t slot) const {
    const std::uint16_t owner = owner_[slot % model::kSlotCount];
    return owner == kNobody ? nullptr : &primaries_[owner];
}

bool SlotMap::has_node(const net::Address& address) const {
    return std::ranges::find(nodes_, address) != nodes_.end();
}

std::size_t SlotMap::covered() const {
    return owner_.size() - static_cast<std::size_t>(std::ranges::count(owner_, kNobody));
}

void SlotMap::move(std::uint16_t slot, const net::Address& to) {
    owner_[slot % model::kSlotCount] = index_of_primary(to);
}

std::uint16_t SlotMap::index_of_primary(const net::Address& address) {
    add_once(nodes_, address);
    const auto known = std::ranges::find(primaries_, address);
    const auto index = static_cast<std::uint16_t>(known - primaries_.begin());
    if (known == primaries_.end()) primaries_.push_back(address);
    return index;
}

}  // namespace ff::valkey
