#include <string>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

/// What stands between the key and the fields of XADD, or behind the key of XTRIM.
struct StreamArguments {
    /// nullopt: `*`.
    std::optional<StreamId> id;
    /// Where the fields begin.
    std::size_t fields_at = 0;
    std::optional<std::uint64_t> keep;
    bool approximate = false;
};

bool is_other_stream_option(std::string_view text) {
    return same_word(text, "minid") || same_word(text, "limit") || same_word(text, "nomkstream");
}

/// Reads `MAXLEN [~|=] n` at `at` and moves behind it. False: refused.
bool parse_maxlen(Call& call, std::size_t& at, StreamArguments& arguments) {
    if (arguments.keep) {
        call.refuse(
            "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
        return false;
    }
    std::size_t i = at + 1;
    arguments.approximate = false;
    if (i + 1 < call.argv.size() && (call.argv[i] == "~" || call.argv[i] == "=")) {
        arguments.approximate = call.argv[i] == "~";
        ++i;
    }
    const auto keep = parse_integer(call.argv[i]);
    if (!keep || *keep < 0) {
        call.refuse(keep ? "ERR The MAXLEN argument must be >= 0." : refusal::kNotInteger);
        return false;
    }
    arguments.keep = static_cast<std::uint64_t>(*keep);
    at = i + 1;
    return true;
}

/// nullopt: refused.
std::optional<StreamArguments> parse_arguments(Call& call, bool add) {
    StreamArguments arguments;
    std::size_t i = 2;
    while (i < call.argv.size()) {
        const std::string_view text = call.argv[i];
        const bool more = i + 1 < call.argv.size();
        if (add && text == "*") break;
        if (same_word(text, "maxlen") && more) {
            if (!parse_maxlen(call, i, arguments)) return std::nullopt;
            continue;
        }
        if (!add || is_other_stream_option(text) || text.ends_with("-*")) {
            call.refuse(refusal::kSyntax);
            return std::nullopt;
        }
        arguments.id = parse_stream_id(text, 0);
        if (!arguments.id) {
            call.refuse(refusal::kStreamId);
            return std::nullopt;
        }
        break;
    }
    arguments.fields_at = i + 1;
    return arguments;
}

/// nullopt: there is no greater one.
std::optional<StreamId> next_id(StreamId last, std::int64_t now_ms) {
    const auto ms = static_cast<std::uint64_t>(now_ms);
    if (ms > last.ms) return StreamId{.ms = ms, .seq = 0};
    if (!last.step_up()) return std::nullopt;
    return last;
}

/// The oldest first: undoing starts with the newest and puts each before the last.
void note_dropped(UndoLog& undo, std::string_view key, const StreamValue& stream,
                  std::size_t count) {
    stream.for_range({}, StreamId::max(), false, count, [&](StreamId id, std::string_view fields) {
        undo.note(UndoLog::Step::EntryDropped, key);
        undo.number(id.ms);
        undo.number(id.seq);
        undo.bytes(fields);
    });
}

std::size_t trim(Call& call, std::string_view key, StreamValue& stream,
                 const StreamArguments& arguments) {
    const std::size_t count = stream.excess(*arguments.keep, arguments.approximate);
    if (count == 0) return 0;
    if (UndoLog* undo = call.undo()) note_dropped(*undo, key, stream, count);
    stream.drop_front(count);
    call.db.effects().begin(Effect::StreamCut, key);
    call.db.effects().number(count);
    return count;
}

/// nullopt: refused.
std::optional<StreamId> choose_id(Call& call, const StreamArguments& arguments, StreamId last) {
    const auto id = next_id(last, call.now_ms());
    if (!id) {
        call.refuse("ERR The stream has exhausted the last possible ID, unable to add more items");
        return std::nullopt;
    }
    if (!arguments.id) return id;
    if (*arguments.id <= last) {
        call.refuse(
            "ERR The ID specified in XADD is equal or smaller than the target stream top item");
        return std::nullopt;
    }
    return arguments.id;
}

}  // namespace

void run_xadd(Call& call) {
    const auto arguments = parse_arguments(call, true);
    if (!arguments) return;
    const std::size_t texts =
        call.argv.size() > arguments->fields_at ? call.argv.size() - arguments->fields_at : 0;
    if (texts == 0 || texts % 2 != 0) return call.refuse_argument_count();
    if (arguments->id == StreamId{}) {
        return call.refuse("ERR The ID specified in XADD must be greater than 0-0");
    }
    const std::string_view key = call.argv[1];
    auto* stream = call.edit<StreamValue>(key);
    if (call.refused) return;
    const auto id = choose_id(call, *arguments, stream == nullptr ? StreamId{} : stream->last_id());
    if (!id) return;
    if (stream == nullptr) stream = call.edit_or_create<StreamValue>(key);
    call.db.effects().begin(Effect::StreamAdd, key);
    call.db.effects().number(id->ms);
    call.db.effects().number(id->seq);
    const std::size_t fields_from = call.db.effects().size();
    call.db.effects().number(texts);
    for (const std::string_view text : call.argv.subspan(arguments->fields_at)) {
        call.db.effects().bytes(text);
    }
    if (UndoLog* undo = call.undo()) {
        undo->note(UndoLog::Step::EntryNew, key);
        undo->number(stream->last_id().ms);
        undo->number(stream->last_id().seq);
    }
    stream->append(*id, call.db.effects().view().substr(fields_from),
                   call.db.options().stream_trim_entries);
    if (arguments->keep) trim(call, key, *stream, *arguments);
    call.db.tell_append(key);
    call.reply.bulk(id->text());
}

void run_xtrim(Call& call) {
    const auto arguments = parse_arguments(call, false);
    if (!arguments) return;
    auto* stream = call.edit<StreamValue>(call.argv[1]);
    if (call.refused) return;
    if (stream == nullptr) return call.reply.integer(0);
    call.reply.integer(static_cast<std::int64_t>(trim(call, call.argv[1], *stream, *arguments)));
}

void run_xlen(Call& call) {
    const auto* stream = call.read<StreamValue>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(stream == nullptr ? 0 : static_cast<std::int64_t>(stream->size()));
}

}  // namespace ff::keyspace
