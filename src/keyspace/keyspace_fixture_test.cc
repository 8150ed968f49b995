#include "keyspace/keyspace_fixture.h"

#include <algorithm>

#include "base/assert.h"
#include "keyspace/effects.h"
#include "resp/writer.h"

namespace ff::keyspace {
namespace {

/// The texts of one effect, each number and score as text too.
std::vector<std::string> items_of(Effect effect, WireReader& wire) {
    std::vector<std::string> items;
    const auto text = [&wire] { return '"' + std::string(wire.bytes()) + '"'; };
    switch (effect) {
        case Effect::String:
            return {text()};
        case Effect::Expire:
        case Effect::StreamCut:
            return {std::to_string(wire.number())};
        case Effect::StreamState:
            items.push_back(std::to_string(wire.number()));
            items.push_back(std::to_string(wire.number()));
            return items;
        default:
            break;
    }
    std::string prefix;
    if (effect == Effect::StreamAdd) {
        prefix = std::to_string(wire.number());
        prefix += '-' + std::to_string(wire.number());
    }
    const std::uint64_t n = wire.number();
    for (std::uint64_t i = 0; i < n && !wire.broken(); ++i) {
        if (effect == Effect::SortedPut) {
            char digits[resp::kDoubleTextMax];
            prefix.assign(digits, resp::format_double(wire.score(), digits));
        }
        if (effect == Effect::HashPut) prefix = text() + '=';
        if (effect == Effect::StreamAdd) {
            prefix += text();
        } else {
            items.push_back(prefix + text());
        }
    }
    if (effect == Effect::StreamAdd) items.push_back(prefix);
    return items;
}

}  // namespace

void LineSink::real(double value) {
    char digits[resp::kDoubleTextMax];
    put(',' + std::string(digits, resp::format_double(value, digits)));
}

void LineSink::put(std::string_view text) {
    if (!line_.empty() && line_.back() != '[' && line_.back() != '{' && line_.back() != '<') {
        line_ += ' ';
    }
    line_ += text;
    close();
}

void LineSink::open(char begin, char end, std::size_t n) {
    if (!line_.empty() && line_.back() != '[' && line_.back() != '{' && line_.back() != '<') {
        line_ += ' ';
    }
    line_ += begin;
    open_.push_back({.left = n, .end = end});
    if (n > 0) return;
    line_ += end;
    open_.pop_back();
    close();
}

/// A value is complete: so may be what contains it.
void LineSink::close() {
    while (!open_.empty() && --open_.back().left == 0) {
        line_ += open_.back().end;
        open_.pop_back();
    }
    if (open_.empty()) ++values_;
}

std::string Shell::run(const std::vector<std::string>& args) {
    const CommandSpec* command = find_command(args.at(0));
    if (command == nullptr) return "(unknown)";
    const std::vector<std::string_view> argv(args.begin(), args.end());
    LineSink sink(resp3);
    keyspace.execute(*command, argv, now, sink);
    FF_ASSERT(sink.whole());
    return sink.line();
}

std::string snapshot_of(Keyspace& keyspace) {
    ByteBuffer effects;
    keyspace.begin_snapshot();
    while (!keyspace.snapshot_step(64, effects)) {
    }
    return std::string(effects.view());
}

std::map<std::string, std::string> content_of_snapshot(std::string_view effects) {
    // A large collection comes in several effects.
    std::map<std::string, std::map<Effect, std::vector<std::string>>> gathered;
    EffectReader reader(effects);
    while (!reader.wire.done()) {
        Effect effect{};
        const std::string key(reader.next(effect));
        auto& items = gathered[key][effect];
        for (std::string& item : items_of(effect, reader.wire)) items.push_back(std::move(item));
    }
    FF_ASSERT(!reader.wire.broken());
    std::map<std::string, std::string> content;
    for (auto& [key, kinds] : gathered) {
        for (auto& [effect, items] : kinds) {
            if (effect == Effect::HashPut || effect == Effect::SetAdd) std::ranges::sort(items);
            content[key] += '#' + std::to_string(static_cast<int>(effect));
            for (const std::string& item : items) content[key] += ' ' + item;
        }
    }
    return content;
}

std::map<std::string, std::string> content_of(Keyspace& keyspace) {
    return content_of_snapshot(snapshot_of(keyspace));
}

}  // namespace ff::keyspace
