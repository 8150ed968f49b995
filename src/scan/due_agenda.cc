#include "scan/due_agenda.h"

namespace ff::scan {

void DueAgenda::set(const DuePlace& place, std::optional<Timestamp> at) {
    const auto known = at_.find(place);
    if (known != at_.end()) {
        if (known->second == at) return;
        order_.erase({known->second, place});
        at_.erase(known);
    }
    if (!at) return;
    at_.emplace(place, *at);
    order_.emplace(*at, place);
}

void DueAgenda::hear(const DuePlace& place, Timestamp at) {
    const auto known = at_.find(place);
    if (known == at_.end() || at < known->second) set(place, at);
}

std::optional<Timestamp> DueAgenda::next() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
}

std::vector<DuePlace> DueAgenda::take_due(Timestamp now) {
    std::vector<DuePlace> due;
    while (!order_.empty() && order_.begin()->first <= now) {
        due.push_back(order_.begin()->second);
        at_.erase(due.back());
        order_.erase(order_.begin());
    }
    return due;
}

}  // namespace ff::scan
