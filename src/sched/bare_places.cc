#include "sched/bare_places.h"

namespace ff::sched {

std::uint64_t BarePlaces::begin(const std::string& lane) {
    // Looks under way whose lane is dropped here find nothing to note; they cost a look more.
    if (lanes_.size() >= kLanesMax && !lanes_.contains(lane)) lanes_.clear();
    const auto [places, fresh] = lanes_.try_emplace(lane);
    // What began before these were made may have begun before a gap.
    if (fresh) places->second.assign(partitions_, Place{.told = messages_});
    return messages_;
}

void BarePlaces::found(const std::string& lane, std::uint16_t partition, std::uint64_t known,
                       Timestamp until) {
    const auto places = lanes_.find(lane);
    if (places == lanes_.end() || partition >= partitions_) return;
    Place& place = places->second[partition];
    if (place.told <= known) place.bare_until = until;
}

bool BarePlaces::is_bare(const std::string& lane, std::uint16_t partition, Timestamp now) const {
    const auto places = lanes_.find(lane);
    return places != lanes_.end() && partition < partitions_ &&
           now < places->second[partition].bare_until;
}

void BarePlaces::on_wake(const std::string& lane, std::uint16_t partition) {
    const auto places = lanes_.find(lane);
    if (places == lanes_.end() || partition >= partitions_) return;
    places->second[partition] = Place{.told = ++messages_};
}

void BarePlaces::on_gap() {
    ++messages_;
    lanes_.clear();
}

}  // namespace ff::sched
