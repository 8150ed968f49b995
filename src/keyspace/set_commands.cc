#include <algorithm>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

constexpr std::int64_t kScanCountDefault = 10;

/// nullopt: refused.
std::optional<std::int64_t> parse_scan_count(Call& call) {
    std::int64_t count = kScanCountDefault;
    for (std::size_t i = 3; i < call.argv.size(); i += 2) {
        if (!same_word(call.argv[i], "count") || i + 1 == call.argv.size()) {
            call.refuse(refusal::kSyntax);
            return std::nullopt;
        }
        const auto given = parse_integer(call.argv[i + 1]);
        if (!given || *given < 1) {
            call.refuse(given ? refusal::kSyntax : refusal::kNotInteger);
            return std::nullopt;
        }
        count = *given;
    }
    return count;
}

void note_erased(UndoLog& undo, std::string_view key, std::string_view member, SetValue::Gap gap) {
    undo.note(UndoLog::Step::MemberErased, key);
    undo.bytes(member);
    undo.number(gap.position);
    undo.number(gap.took_last ? 1 : 0);
}

}  // namespace

void run_sadd(Call& call) {
    const std::string_view key = call.argv[1];
    auto* set = call.edit_or_create<SetValue>(key);
    if (call.refused) return;
    const auto members = call.argv.subspan(2);
    UndoLog* undo = call.undo();
    std::int64_t added = 0;
    for (const std::string_view member : members) {
        if (set->find(member) != SetValue::kNowhere) continue;
        set->append(SetMember{.bytes = ByteString(member)});
        ++added;
        if (undo == nullptr) continue;
        undo->note(UndoLog::Step::MemberNew, key);
        undo->bytes(member);
    }
    if (added > 0) call.log_arguments(Effect::SetAdd, key, 2, members.size());
    call.reply.integer(added);
}

void run_srem(Call& call) {
    const std::string_view key = call.argv[1];
    auto* set = call.edit<SetValue>(key);
    if (call.refused) return;
    if (set == nullptr) return call.reply.integer(0);
    const auto members = call.argv.subspan(2);
    UndoLog* undo = call.undo();
    std::int64_t removed = 0;
    for (const std::string_view member : members) {
        const std::uint32_t at = set->find(member);
        if (at == SetValue::kNowhere) continue;
        if (undo != nullptr) note_erased(*undo, key, member, set->gap_at(at));
        set->erase(at);
        ++removed;
    }
    if (removed > 0) {
        call.log_arguments(Effect::SetErase, key, 2, members.size());
        call.drop_if_empty(key, *set);
    }
    call.reply.integer(removed);
}

void run_sismember(Call& call) {
    const auto* set = call.read<SetValue>(call.argv[1]);
    if (call.refused) return;
    const bool found = set != nullptr && set->find(call.argv[2]) != SetValue::kNowhere;
    call.reply.integer(found ? 1 : 0);
}

void run_smembers(Call& call) {
    const auto* set = call.read<SetValue>(call.argv[1]);
    if (call.refused) return;
    const std::size_t size = set == nullptr ? 0 : set->size();
    if (call.reply.resp3()) {
        call.reply.set(size);
    } else {
        call.reply.array(size);
    }
    if (set == nullptr) return;
    for (const SetMember& member : set->items()) call.reply.bulk(member.bytes.view());
}

void run_scard(Call& call) {
    const auto* set = call.read<SetValue>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(set == nullptr ? 0 : set->size());
}

/// The cursor is the number of members still to come, from the last to the first: a removal only
/// moves members forward, so none that stays is missed.
void run_sscan(Call& call) {
    const auto cursor = parse_unsigned(call.argv[2]);
    if (!cursor) return call.refuse("ERR invalid cursor");
    const auto* set = call.read<SetValue>(call.argv[1]);
    if (call.refused) return;
    std::uint64_t end = 0;
    std::uint64_t begin = 0;
    if (set != nullptr) {
        const auto count = parse_scan_count(call);
        if (!count) return;
        end = *cursor == 0 ? set->size() : std::min<std::uint64_t>(*cursor, set->size());
        begin = end - std::min<std::uint64_t>(end, static_cast<std::uint64_t>(*count));
    }
    call.reply.array(2);
    call.reply.bulk(IntegerText(static_cast<std::int64_t>(begin)).view());
    call.reply.array(end - begin);
    for (std::uint64_t i = end; i > begin; --i) {
        call.reply.bulk(set->at(static_cast<std::uint32_t>(i - 1)).bytes.view());
    }
}

}  // namespace ff::keyspace
