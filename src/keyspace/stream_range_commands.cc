#include <limits>
#include <string>
#include <vector>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t kLastSeq = std::numeric_limits<std::uint64_t>::max();

struct EntryRange {
    StreamId from;
    StreamId to;
    std::size_t limit = kNoLimit;
    bool down = false;
};

void reply_entries(ReplySink& reply, const StreamValue& stream, const EntryRange& range) {
    reply.array(stream.count_range(range.from, range.to, range.limit));
    if (range.from > range.to) return;
    const auto reply_entry = [&reply](StreamId id, std::string_view fields) {
        reply.array(2);
        reply.bulk(id.text());
        WireReader wire(fields);
        const std::uint64_t texts = wire.number();
        reply.array(texts);
        for (std::uint64_t i = 0; i < texts; ++i) reply.bulk(wire.bytes());
    };
    stream.for_range(range.from, range.to, range.down, range.limit, reply_entry);
}

/// One end of an interval of ids: `-`, `+`, an id, or `(` and an id. nullopt: refused.
std::optional<StreamId> parse_end(Call& call, std::string_view text, bool lower) {
    if (text == "-") return StreamId{};
    if (text == "+") return StreamId::max();
    const bool exclusive = text.size() > 1 && text.front() == '(';
    auto id = parse_stream_id(exclusive ? text.substr(1) : text, lower ? 0 : kLastSeq);
    if (!id) {
        call.refuse(refusal::kStreamId);
        return std::nullopt;
    }
    if (exclusive && !(lower ? id->step_up() : id->step_down())) {
        call.refuse(lower ? "ERR invalid start ID for the interval"
                          : "ERR invalid end ID for the interval");
        return std::nullopt;
    }
    return id;
}

void range(Call& call, bool down) {
    const auto from = parse_end(call, call.argv[down ? 3 : 2], true);
    if (!from) return;
    const auto to = parse_end(call, call.argv[down ? 2 : 3], false);
    if (!to) return;
    EntryRange wanted{.from = *from, .to = *to, .down = down};
    for (std::size_t i = 4; i < call.argv.size(); i += 2) {
        if (!same_word(call.argv[i], "count") || i + 1 == call.argv.size()) {
            return call.refuse(refusal::kSyntax);
        }
        const auto count = parse_integer(call.argv[i + 1]);
        if (!count) return call.refuse(refusal::kNotInteger);
        wanted.limit = *count < 0 ? 0 : static_cast<std::size_t>(*count);
    }
    const auto* stream = call.read<StreamValue>(call.argv[1]);
    if (call.refused) return;
    if (stream == nullptr) return call.reply.array(0);
    if (wanted.limit == 0) return call.reply.null_array();
    reply_entries(call.reply, *stream, wanted);
}

struct ReadArguments {
    std::size_t limit = kNoLimit;
    std::size_t keys_at = 0;
    std::size_t streams = 0;
};

/// Waiting is the business of whoever calls, so BLOCK is only checked. False: refused.
bool check_timeout(Call& call, std::string_view text) {
    const auto timeout = parse_integer(text);
    if (timeout && *timeout >= 0) return true;
    call.refuse(timeout ? "ERR timeout is negative"
                        : "ERR timeout is not an integer or out of range");
    return false;
}

/// nullopt: refused.
std::optional<ReadArguments> parse_read_arguments(Call& call) {
    ReadArguments arguments;
    for (std::size_t i = 1; i + 1 < call.argv.size(); i += 2) {
        if (same_word(call.argv[i], "block")) {
            if (!check_timeout(call, call.argv[i + 1])) return std::nullopt;
        } else if (same_word(call.argv[i], "count")) {
            const auto count = parse_integer(call.argv[i + 1]);
            if (!count) {
                call.refuse(refusal::kNotInteger);
                return std::nullopt;
            }
            arguments.limit = *count <= 0 ? kNoLimit : static_cast<std::size_t>(*count);
        } else if (same_word(call.argv[i], "streams")) {
            arguments.keys_at = i + 1;
            const std::size_t rest = call.argv.size() - arguments.keys_at;
            arguments.streams = rest / 2;
            if (rest % 2 == 0) return arguments;
            call.refuse(
                "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be "
                "specified.");
            return std::nullopt;
        } else {
            break;
        }
    }
    call.refuse(refusal::kSyntax);
    return std::nullopt;
}

/// The entries after `id`; nothing if there are none.
std::optional<EntryRange> entries_after(const StreamValue* stream, StreamId id, std::size_t limit) {
    if (stream == nullptr || !id.step_up()) return std::nullopt;
    if (stream->count_range(id, StreamId::max(), 1) == 0) return std::nullopt;
    return EntryRange{.from = id, .to = StreamId::max(), .limit = limit};
}

}  // namespace

void run_xrange(Call& call) {
    range(call, false);
}

void run_xrevrange(Call& call) {
    range(call, true);
}

void run_xread(Call& call) {
    const auto arguments = parse_read_arguments(call);
    if (!arguments) return;
    struct Found {
        std::string_view key;
        const StreamValue* stream;
        EntryRange range;
    };
    std::vector<Found> found;
    for (std::size_t i = 0; i < arguments->streams; ++i) {
        const std::string_view key = call.argv[arguments->keys_at + i];
        const std::string_view id_text = call.argv[arguments->keys_at + arguments->streams + i];
        const auto* stream = call.read<StreamValue>(key);
        if (call.refused) return;
        // `$`, whatever comes from now on: nothing has come yet.
        if (id_text == "$") continue;
        const auto id = parse_stream_id(id_text, 0);
        if (!id) return call.refuse(refusal::kStreamId);
        const auto entries = entries_after(stream, *id, arguments->limit);
        if (entries) found.push_back({.key = key, .stream = stream, .range = *entries});
    }
    if (found.empty()) return call.reply.null_array();
    if (call.reply.resp3()) {
        call.reply.map(found.size());
    } else {
        call.reply.array(found.size());
    }
    for (const Found& item : found) {
        if (!call.reply.resp3()) call.reply.array(2);
        call.reply.bulk(item.key);
        reply_entries(call.reply, *item.stream, item.range);
    }
}

}  // namespace ff::keyspace
