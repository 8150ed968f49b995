#include "host/channel_hub.h"

#include <algorithm>
#include <set>

namespace ff::host {
namespace {

/// Reads the set behind `[`; moves `pattern` behind its `]`.
bool matches_set(std::string_view& pattern, char c) {
    const bool inverted = pattern.starts_with('^');
    if (inverted) pattern.remove_prefix(1);
    bool found = false;
    while (!pattern.empty() && pattern.front() != ']') {
        if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
        char low = pattern.front();
        char high = low;
        if (pattern.size() > 2 && pattern[1] == '-') {
            high = pattern[2];
            pattern.remove_prefix(2);
        }
        if (low > high) std::swap(low, high);
        found = found || (c >= low && c <= high);
        pattern.remove_prefix(1);
    }
    if (!pattern.empty()) pattern.remove_prefix(1);
    return found != inverted;
}

/// Matches one element of the pattern other than `*` against one character.
bool matches_one(std::string_view& pattern, char c) {
    const char first = pattern.front();
    pattern.remove_prefix(1);
    if (first == '?') return true;
    if (first == '[') return matches_set(pattern, c);
    if (first == '\\' && !pattern.empty()) {
        const char plain = pattern.front();
        pattern.remove_prefix(1);
        return plain == c;
    }
    return first == c;
}

void forget(std::map<std::string, std::vector<Listener*>, std::less<>>& table, Listener* gone) {
    for (auto entry = table.begin(); entry != table.end();) {
        std::erase(entry->second, gone);
        entry = entry->second.empty() ? table.erase(entry) : std::next(entry);
    }
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
    // On a mismatch only the last `*` needs to take one character more.
    std::string_view star;
    std::string_view star_text;
    bool has_star = false;
    while (!text.empty()) {
        if (!pattern.empty() && pattern.front() == '*') {
            pattern.remove_prefix(1);
            star = pattern;
            star_text = text;
            has_star = true;
            continue;
        }
        if (!pattern.empty() && matches_one(pattern, text.front())) {
            text.remove_prefix(1);
            continue;
        }
        if (!has_star) return false;
        star_text.remove_prefix(1);
        text = star_text;
        pattern = star;
    }
    return pattern.find_first_not_of('*') == std::string_view::npos;
}

template <class Visit>
void ChannelHub::each_receiver(std::string_view channel, Visit visit) const {
    const auto named = names_.find(channel);
    if (named != names_.end())
        for (Listener* listener : named->second) visit(*listener);
    for (const auto& [pattern, listeners] : patterns_) {
        if (!matches_glob(pattern, channel)) continue;
        for (Listener* listener : listeners) visit(*listener);
    }
}

void ChannelHub::add(Listener& listener, const store::Channels& channels) {
    const std::lock_guard lock(mutex_);
    if (ended_) {
        listener.end();
        return;
    }
    listeners_.push_back(&listener);
    const std::set<std::string> names(channels.names.begin(), channels.names.end());
    const std::set<std::string> patterns(channels.patterns.begin(), channels.patterns.end());
    for (const std::string& name : names) names_[name].push_back(&listener);
    for (const std::string& pattern : patterns) patterns_[pattern].push_back(&listener);
}

void ChannelHub::remove(Listener& listener) {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, &listener);
    forget(names_, &listener);
    forget(patterns_, &listener);
}

std::int64_t ChannelHub::receivers(std::string_view channel) const {
    const std::lock_guard lock(mutex_);
    std::int64_t count = 0;
    each_receiver(channel, [&count](Listener&) { ++count; });
    return count;
}

void ChannelHub::publish(std::span<const Message> messages) {
    if (messages.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const Message& message : messages) {
        each_receiver(message.channel, [&message](Listener& listener) {
            listener.message(message.channel, message.text);
        });
    }
}

void ChannelHub::gap() {
    const std::lock_guard lock(mutex_);
    for (Listener* listener : listeners_) listener->gap();
}

void ChannelHub::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (Listener* listener : listeners_) listener->end();
}

}  // namespace ff::host
