#include "hub/feed_event.h"

#include <algorithm>
#include <array>

namespace ff::hub {
namespace {

constexpr std::array kFamilies = {FeedFamily::Completion,     FeedFamily::LeaseHistory,
                                  FeedFamily::InstanceTags,   FeedFamily::Operator,
                                  FeedFamily::SignalDelivery, FeedFamily::Step};

/// The field that says what kind of event of its family an entry is.
std::string_view type_field(FeedFamily family) {
    switch (family) {
        case FeedFamily::Completion:
            return "outcome";
        case FeedFamily::LeaseHistory:
        case FeedFamily::Operator:
        case FeedFamily::Step:
            return "event";
        case FeedFamily::SignalDelivery:
            return "effect_class";
        case FeedFamily::InstanceTags:
            return "";
    }
    return "";
}

}  // namespace

std::string_view to_string(FeedFamily family) {
    switch (family) {
        case FeedFamily::Completion:
            return "completion";
        case FeedFamily::LeaseHistory:
            return "lease_history";
        case FeedFamily::InstanceTags:
            return "instance_tags";
        case FeedFamily::Operator:
            return "operator";
        case FeedFamily::SignalDelivery:
            return "signal_delivery";
        case FeedFamily::Step:
            return "step";
    }
    return "";
}

std::optional<FeedFamily> parse_family(std::string_view text) {
    for (const FeedFamily family : kFamilies) {
        if (to_string(family) == text) return family;
    }
    return std::nullopt;
}

Feed feed_of(FeedFamily family) {
    return family == FeedFamily::SignalDelivery ? Feed::SignalDelivery : Feed::Events;
}

std::optional<FeedEntry> FeedEntry::read(const store::Reply& item) {
    const auto parts = item.items();
    if (parts.size() != 2) return std::nullopt;
    const auto id = EntryId::parse(parts[0].text().value_or(""));
    if (!id) return std::nullopt;
    FeedEntry entry{.id = *id};
    const auto flat = parts[1].items();
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
        entry.fields.emplace_back(flat[i].text().value_or(""), flat[i + 1].text().value_or(""));
    }
    return entry;
}

std::string_view FeedEntry::field(std::string_view name) const {
    for (const auto& [key, value] : fields) {
        if (key == name) return value;
    }
    return {};
}

bool FeedEntry::has_family(FeedFamily family) const {
    std::string_view rest = field("family");
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        if (rest.substr(0, comma) == to_string(family)) return true;
        if (comma == rest.npos) break;
        rest.remove_prefix(comma + 1);
    }
    return false;
}

std::string FeedEvent::event_id() const {
    return std::string(to_string(family)) + "/" + std::to_string(place.partition) + "/" +
           entry.id.to_string();
}

bool FeedFilter::admits(const FeedEntry& entry, FeedFamily family) const {
    if (!entry.has_family(family)) return false;
    if (!ns.empty() && entry.field("namespace") != ns) return false;
    if (!lane.empty() && entry.field("lane_id") != lane) return false;
    if (execution_id && entry.field("execution_id") != execution_id->to_string()) return false;
    if (flow_id && entry.field("flow_id") != flow_id->to_string()) return false;
    if (types.empty()) return true;
    return std::ranges::find(types, entry.field(type_field(family))) != types.end();
}

}  // namespace ff::hub
