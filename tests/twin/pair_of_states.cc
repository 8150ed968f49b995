#include "twin/pair_of_states.h"

#include <map>
#include <stdexcept>

#include "engine/rehearsal.h"
#include "model/library.h"
#include "twin/canonical.h"
#include "twin/fingerprint.h"

namespace ff::twin {
namespace {

constexpr std::size_t kExpiredAtOnce = 200;
constexpr std::size_t kSnapshotBytes = std::size_t{1} << 20U;

std::vector<std::string_view> views_of(const RecordedCall& call) {
    return {call.argv.begin(), call.argv.end()};
}

RecordedCall reading(const std::string& key, std::string_view type, std::chrono::microseconds now) {
    if (type == "hash") return {now, {"HGETALL", key}};
    if (type == "set") return {now, {"SMEMBERS", key}};
    if (type == "zset") return {now, {"ZRANGE", key, "0", "-1", "WITHSCORES"}};
    if (type == "stream") return {now, {"XRANGE", key, "-", "+"}};
    if (type == "list") return {now, {"LRANGE", key, "0", "-1"}};
    return {now, {"GET", key}};
}

using KeyTypes = std::map<std::string, std::string, std::less<>>;

KeyTypes key_types(const host::ShardState& state) {
    KeyTypes out;
    state.keyspace().for_each_key([&](std::string_view key, std::string_view type) {
        out.emplace(std::string(key), std::string(type));
    });
    return out;
}

/// Of everything in it.
std::uint64_t content_of(host::ShardState& state) {
    std::uint64_t sum = 0;
    bool is_done = false;
    state.keyspace().begin_snapshot();
    while (!is_done) {
        ByteBuffer part;
        is_done = state.keyspace().snapshot_step(kSnapshotBytes, part);
        sum += content_fingerprint(part.view());
    }
    return sum;
}

/// The first line in which two canonical texts differ, of each of them.
std::string first_difference(std::string_view compiled, std::string_view interpreted) {
    while (true) {
        const std::string_view one = compiled.substr(0, compiled.find('\n'));
        const std::string_view other = interpreted.substr(0, interpreted.find('\n'));
        if (one != other || one.size() == compiled.size() || other.size() == interpreted.size()) {
            return "\n  compiled:    " + std::string(one) +
                   "\n  interpreted: " + std::string(other);
        }
        compiled.remove_prefix(one.size() + 1);
        interpreted.remove_prefix(other.size() + 1);
    }
}

}  // namespace

PairOfStates::PairOfStates(const PairOptions& options)
    : first_(std::make_unique<host::ShardState>(
          hub_, host::ShardStateOptions{.compile = options.compile})),
      second_(std::make_unique<host::ShardState>(hub_, host::ShardStateOptions{.compile = false})) {
    hub_.add(ear_, store::Channels{.patterns = {"*"}});
    load_library(*first_);
    load_library(*second_);
    if (options.rehearsed) first_->rehearse(engine::rehearse);
}

PairOfStates::~PairOfStates() {
    hub_.remove(ear_);
}

void PairOfStates::load_library(host::ShardState& state) {
    Deed deed;
    perform(state, {{}, {"FUNCTION", "LOAD", model::library_text()}}, deed);
    const testing::RespValue reply = deed.reply.value();
    if (reply.is_error()) throw std::runtime_error(reply.text);
}

void PairOfStates::perform(host::ShardState& state, const RecordedCall& call, Deed& deed) {
    deed.reply.clear();
    deed.published.clear();
    if (call.argv[0] == kExpireDue) {
        const std::size_t gone = state.keyspace().expire_due(call.now, kExpiredAtOnce);
        deed.reply.integer(static_cast<std::int64_t>(gone));
    } else {
        const std::vector<std::string_view> argv = views_of(call);
        state.execute(argv, call.now, deed.reply);
    }
    deed.effects = state.keyspace().effects();
    state.keyspace().clear_effects();
    for (const host::Message& message : state.published()) {
        deed.published += message.channel + " " + canonical_text(message.text) + "\n";
    }
    state.published().clear();
}

std::string PairOfStates::run(const RecordedCall& call) {
    last_now_ = call.now;
    perform(*first_, call, compiled_);
    perform(*second_, call, interpreted_);
    const bool is_same =
        compiled_.reply.bytes() == interpreted_.reply.bytes() &&
        compiled_.published == interpreted_.published &&
        (compiled_.effects == interpreted_.effects ||
         call_fingerprint(compiled_.effects) == call_fingerprint(interpreted_.effects));
    return is_same ? "" : difference(call);
}

std::string PairOfStates::difference(const RecordedCall& call) const {
    const std::string_view name = name_of(call);
    const std::string one = canonical_reply(name, compiled_.reply.value());
    const std::string other = canonical_reply(name, interpreted_.reply.value());
    if (one != other) return "replies differ:" + first_difference(one, other);
    const std::string done = canonical_effects(compiled_.effects);
    const std::string others = canonical_effects(interpreted_.effects);
    if (done != others) return "effects differ:" + first_difference(done, others);
    if (compiled_.published == interpreted_.published) return "";
    return "messages differ:" + first_difference(compiled_.published, interpreted_.published);
}

testing::RespValue PairOfStates::peek(const RecordedCall& call) {
    Deed deed;
    perform(*second_, call, deed);
    return deed.reply.value();
}

std::string PairOfStates::compare_values(const std::string& key, std::string_view type) {
    const RecordedCall read = reading(key, type, last_now_);
    perform(*first_, read, compiled_);
    perform(*second_, read, interpreted_);
    if (compiled_.reply.bytes() == interpreted_.reply.bytes()) return "";
    const std::string one = canonical_content(type, compiled_.reply.value());
    const std::string other = canonical_content(type, interpreted_.reply.value());
    return one == other ? "" : "values of " + key + " differ:" + first_difference(one, other);
}

std::string PairOfStates::compare_contents() {
    if (content_of(*first_) == content_of(*second_)) return "";
    return first_different_key();
}

std::string PairOfStates::first_different_key() {
    const KeyTypes compiled = key_types(*first_);
    const KeyTypes interpreted = key_types(*second_);
    for (const auto& [key, type] : interpreted) {
        const auto found = compiled.find(key);
        if (found == compiled.end()) return "only the interpreted state has " + key;
        if (found->second != type) return "types of " + key + " differ";
        std::string difference = compare_values(key, type);
        if (!difference.empty()) return difference;
    }
    for (const auto& [key, type] : compiled) {
        if (!interpreted.contains(key)) return "only the compiled state has " + key;
    }
    return "keys expire at different times";
}

std::vector<std::string> PairOfStates::keys_with(std::string_view part) const {
    std::vector<std::string> out;
    second_->keyspace().for_each_key([&](std::string_view key, std::string_view) {
        if (key.find(part) != std::string_view::npos) out.emplace_back(key);
    });
    return out;
}

}  // namespace ff::twin
