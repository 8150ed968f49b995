// Push messages: [subscribe|psubscribe|unsubscribe|punsubscribe, name, count],
// [message, channel, payload], [pmessage, pattern, channel, payload].

#include "valkey/hub.h"

#include <algorithm>

namespace ff::valkey {

using store::Channels;
using store::Notice;

void Inbox::add(std::string_view channel, std::string_view message) {
    if (notices_.size() >= notices_max_) return add_gap();
    notices_.push_back({.channel = std::string(channel), .message = std::string(message)});
    changed_.notify();
}

void Inbox::add_gap() {
    if (!notices_.empty() && notices_.back().kind == Notice::Kind::Gap) return;
    notices_.push_back({.kind = Notice::Kind::Gap});
    changed_.notify();
}

std::optional<Notice> Inbox::take() {
    if (notices_.empty()) return std::nullopt;
    Notice first = std::move(notices_.front());
    notices_.pop_front();
    return first;
}

void Inbox::close() {
    closed_ = true;
    changed_.notify();
}

std::vector<Hub::Key> Hub::keys_of(const Channels& channels) {
    std::vector<Key> keys;
    for (const std::string& name : channels.names) keys.push_back({.name = name});
    for (const std::string& pattern : channels.patterns)
        keys.push_back({.pattern = true, .name = pattern});
    return keys;
}

void Hub::put(Change& change, const Key& key) {
    (key.pattern ? change.patterns : change.names).push_back(key.name);
}

Hub::Change Hub::add(const std::shared_ptr<Inbox>& inbox, const Channels& channels) {
    Change fresh;
    for (const Key& key : keys_of(channels)) {
        Topic& topic = topics_[key];
        if (topic.inboxes.empty()) put(fresh, key);
        if (std::ranges::find(topic.inboxes, inbox) == topic.inboxes.end())
            topic.inboxes.push_back(inbox);
    }
    return fresh;
}

Hub::Change Hub::remove(const std::shared_ptr<Inbox>& inbox) {
    Change unwanted;
    for (auto it = topics_.begin(); it != topics_.end();) {
        std::erase(it->second.inboxes, inbox);
        if (it->second.inboxes.empty()) {
            put(unwanted, it->first);
            it = topics_.erase(it);
        } else {
            ++it;
        }
    }
    return unwanted;
}

Channels Hub::all() const {
    Channels all;
    for (const auto& [key, topic] : topics_) put(all, key);
    return all;
}

void Hub::on_push(const resp::Value& push) {
    const auto items = push.items();
    if (items.size() < 3) return;
    const std::string_view what = items[0].text().value_or("");
    const std::string name(items[1].text().value_or(""));
    if (what == "subscribe") confirm({.name = name});
    if (what == "psubscribe") confirm({.pattern = true, .name = name});
    if (what == "message") deliver({.name = name}, name, items[2].text().value_or(""));
    if (what == "pmessage" && items.size() > 3)
        deliver({.pattern = true, .name = name}, items[2].text().value_or(""),
                items[3].text().value_or(""));
}

void Hub::confirm(const Key& key) {
    const auto found = topics_.find(key);
    if (found == topics_.end()) return;
    found->second.confirmed = true;
    for (const std::shared_ptr<Inbox>& inbox : found->second.inboxes) inbox->changed().notify();
}

void Hub::deliver(const Key& key, std::string_view channel, std::string_view message) {
    const auto found = topics_.find(key);
    if (found == topics_.end()) return;
    for (const std::shared_ptr<Inbox>& inbox : found->second.inboxes) inbox->add(channel, message);
}

void Hub::on_lost() {
    for (auto& [key, topic] : topics_) topic.confirmed = false;
}

bool Hub::confirmed(const Channels& channels) const {
    return std::ranges::all_of(keys_of(channels), [this](const Key& key) {
        const auto found = topics_.find(key);
        return found != topics_.end() && found->second.confirmed;
    });
}

bool Hub::all_confirmed() const {
    return std::ranges::all_of(topics_, [](const auto& one) { return one.second.confirmed; });
}

void Hub::add_gaps() {
    for (auto& [key, topic] : topics_)
        for (const std::shared_ptr<Inbox>& inbox : topic.inboxes) inbox->add_gap();
}

void Hub::close() {
    for (auto& [key, topic] : topics_)
        for (const std::shared_ptr<Inbox>& inbox : topic.inboxes) inbox->close();
}

}  // namespace ff::valkey
