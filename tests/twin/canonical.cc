#include "twin/canonical.h"

#include <algorithm>
#include <map>
#include <vector>

#include "keyspace/effects.h"

namespace ff::twin {
namespace {

using keyspace::Effect;
using keyspace::WireReader;
using testing::RespValue;
using Texts = std::vector<std::string>;

std::string joined(const Texts& parts) {
    std::string out;
    for (const std::string& part : parts) out += std::to_string(part.size()) + ":" + part + " ";
    return out;
}

/// Names and values in turn, in the order of the names.
std::string joined_pairs(const Texts& flat) {
    Texts pairs;
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2)
        pairs.push_back(flat[i] + "=" + flat[i + 1]);
    if (flat.size() % 2 == 1) pairs.push_back(flat.back());
    std::ranges::sort(pairs);
    return joined(pairs);
}

std::string reply_text(const RespValue& value);

Texts item_texts(const RespValue& value) {
    Texts out;
    for (const RespValue& item : value.items) out.push_back(reply_text(item));
    return out;
}

bool is_array(const RespValue& value) {
    return value.kind == RespValue::Kind::Array;
}

std::string reply_text(const RespValue& value) {
    if (value.kind == RespValue::Kind::Bulk) return "$" + canonical_text(value.text);
    if (!is_array(value)) return to_string(value);
    // The record of a claimed task begins with its id, a list of records with a record; its tags
    // are a hash.
    constexpr std::size_t kClaimedFields = 23;
    constexpr std::size_t kTags = 14;
    Texts items = item_texts(value);
    if (items.size() == kClaimedFields && !is_array(value.items[0])) {
        items[kTags] = joined_pairs(item_texts(value.items[kTags]));
    }
    return "[" + joined(items) + "]";
}

/// {1,"OK",list...}, each list a hash in full.
std::string reply_of_hashes(const RespValue& reply) {
    Texts parts;
    for (const RespValue& item : reply.items) {
        parts.push_back(is_array(item) ? joined_pairs(item_texts(item)) : reply_text(item));
    }
    return joined(parts);
}

Texts read_texts(WireReader& wire, std::uint64_t count) {
    Texts out;
    for (std::uint64_t i = 0; i < count && !wire.broken(); ++i) {
        out.push_back(canonical_text(wire.bytes()));
    }
    return out;
}

Texts read_pairs(WireReader& wire) {
    Texts out;
    const std::uint64_t count = wire.number();
    for (std::uint64_t i = 0; i < count && !wire.broken(); ++i) {
        const std::string name(wire.bytes());
        out.push_back(name + "=" + canonical_text(wire.bytes()));
    }
    return out;
}

Texts read_scored(WireReader& wire) {
    Texts out;
    const std::uint64_t count = wire.number();
    for (std::uint64_t i = 0; i < count && !wire.broken(); ++i) {
        const double score = wire.score();
        out.push_back(std::string(wire.bytes()) + "@" + std::to_string(score));
    }
    return out;
}

std::string read_numbers(WireReader& wire, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += std::to_string(wire.number()) + " ";
    return out;
}

std::string read_entry(WireReader& wire) {
    const std::string id = read_numbers(wire, 2);
    return id + joined_pairs(read_texts(wire, wire.number()));
}

Texts read_content(Effect effect, WireReader& wire) {
    switch (effect) {
        case Effect::Delete:
        case Effect::Persist:
            return {};
        case Effect::Expire:
        case Effect::StreamCut:
            return {read_numbers(wire, 1)};
        case Effect::SortedCut:
        case Effect::StreamState:
            return {read_numbers(wire, 2)};
        case Effect::String:
            return {canonical_text(wire.bytes())};
        case Effect::Copy:
            return {std::string(wire.bytes())};
        case Effect::HashPut:
            return read_pairs(wire);
        case Effect::HashErase:
        case Effect::SetAdd:
        case Effect::SetErase:
        case Effect::SortedErase:
        case Effect::ListAppend:
            return read_texts(wire, wire.number());
        case Effect::SortedPut:
            return read_scored(wire);
        case Effect::StreamAdd:
            return {read_entry(wire)};
    }
    wire.spoil();
    return {};
}

/// Effects of one kind that followed each other.
struct Run {
    Effect effect{};
    Texts content{};
};

}  // namespace

std::string canonical_text(std::string_view text) {
    std::string out(text);
    // An execution id begins with a brace, too, and ends with its uuid.
    const bool is_json = (text.starts_with('{') && text.ends_with('}')) ||
                         (text.starts_with('[') && text.ends_with(']'));
    if (is_json) std::ranges::sort(out);
    return out;
}

std::string canonical_reply(std::string_view name, const RespValue& reply) {
    return name == "ff_get_budget" ? reply_of_hashes(reply) : reply_text(reply);
}

std::string canonical_content(std::string_view type, const RespValue& content) {
    Texts items = item_texts(content);
    if (type == "hash") return joined_pairs(items);
    if (type == "stream") {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::vector<RespValue>& entry = content.items[i].items;
            items[i] = entry.at(0).text + " " + joined_pairs(item_texts(entry.at(1)));
        }
    }
    if (type == "set" || type == "zset") std::ranges::sort(items);
    return is_array(content) ? joined(items) : reply_text(content);
}

std::string canonical_effects(std::string_view effects) {
    std::map<std::string, std::vector<Run>> by_key;
    keyspace::EffectReader reader(effects);
    while (!reader.wire.done()) {
        Effect effect{};
        std::vector<Run>& runs = by_key[std::string(reader.next(effect))];
        if (runs.empty() || runs.back().effect != effect) runs.push_back({.effect = effect});
        Texts& content = runs.back().content;
        for (std::string& text : read_content(effect, reader.wire)) {
            content.push_back(std::move(text));
        }
    }
    std::string out;
    for (auto& [key, runs] : by_key) {
        for (Run& run : runs) {
            std::ranges::sort(run.content);
            out += key + " effect " + std::to_string(static_cast<int>(run.effect)) + ": " +
                   joined(run.content) + "\n";
        }
    }
    return reader.wire.broken() ? out + "(broken)" : out;
}

}  // namespace ff::twin
