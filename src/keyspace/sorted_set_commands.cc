#include <vector>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"
#include "keyspace/sorted_set_reply.h"

namespace ff::keyspace {
namespace {

/// Valkey's options, none of which is in use.
bool is_zadd_option(std::string_view text) {
    for (const std::string_view option : {"nx", "xx", "gt", "lt", "ch", "incr"}) {
        if (same_word(text, option)) return true;
    }
    return false;
}

void note_score(UndoLog& undo, std::string_view key, std::string_view member, double before) {
    undo.note(UndoLog::Step::ScorePut, key);
    undo.bytes(member);
    undo.score(before);
}

void note_put(UndoLog& undo, std::string_view key, SortedSet::Put put, std::string_view member,
              double before) {
    if (put == SortedSet::Put::Moved) return note_score(undo, key, member, before);
    undo.note(UndoLog::Step::ScoreNew, key);
    undo.bytes(member);
}

}  // namespace

void run_zadd(Call& call) {
    const auto pairs = call.argv.subspan(2);
    if (pairs.size() % 2 != 0 || is_zadd_option(pairs[0])) return call.refuse(refusal::kSyntax);
    // All scores are checked before the first is stored.
    constexpr std::size_t kUsual = 8;
    std::array<double, kUsual> few{};
    std::vector<double> many(pairs.size() / 2 > kUsual ? pairs.size() / 2 : 0);
    double* scores = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        const auto score = parse_score(pairs[i]);
        if (!score) return call.refuse(refusal::kNotFloat);
        scores[i / 2] = *score;
    }
    const std::string_view key = call.argv[1];
    auto* sorted = call.edit_or_create<SortedSet>(key);
    if (call.refused) return;
    UndoLog* undo = call.undo();
    std::int64_t added = 0;
    bool changed = false;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        double before = 0;
        const SortedSet::Put put = sorted->put(scores[i / 2], pairs[i + 1], &before);
        if (put == SortedSet::Put::Same) continue;
        changed = true;
        if (put == SortedSet::Put::Added) ++added;
        if (undo != nullptr) note_put(*undo, key, put, pairs[i + 1], before);
    }
    if (changed) {
        call.db.effects().begin(Effect::SortedPut, key);
        call.db.effects().number(pairs.size() / 2);
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            call.db.effects().score(scores[i / 2]);
            call.db.effects().bytes(pairs[i + 1]);
        }
    }
    call.reply.integer(added);
}

void run_zrem(Call& call) {
    const std::string_view key = call.argv[1];
    auto* sorted = call.edit<SortedSet>(key);
    if (call.refused) return;
    if (sorted == nullptr) return call.reply.integer(0);
    const auto members = call.argv.subspan(2);
    UndoLog* undo = call.undo();
    std::int64_t removed = 0;
    for (const std::string_view member : members) {
        double before = 0;
        if (!sorted->erase(member, &before)) continue;
        ++removed;
        if (undo != nullptr) note_score(*undo, key, member, before);
    }
    if (removed > 0) {
        call.log_arguments(Effect::SortedErase, key, 2, members.size());
        call.drop_if_empty(key, *sorted);
    }
    call.reply.integer(removed);
}

void run_zscore(Call& call) {
    const auto* sorted = call.read<SortedSet>(call.argv[1]);
    if (call.refused) return;
    const auto score = sorted == nullptr ? std::nullopt : sorted->score(call.argv[2]);
    if (!score) return call.reply.null();
    reply_score(call.reply, *score);
}

void run_zcard(Call& call) {
    const auto* sorted = call.read<SortedSet>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(sorted == nullptr ? 0 : sorted->size());
}

void run_zcount(Call& call) {
    const auto interval = parse_interval(call, call.argv[2], call.argv[3]);
    if (!interval) return;
    const auto* sorted = call.read<SortedSet>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(sorted == nullptr ? 0 : ranks_of(*sorted, *interval).count);
}

void run_zremrangebyscore(Call& call) {
    const auto interval = parse_interval(call, call.argv[2], call.argv[3]);
    if (!interval) return;
    const std::string_view key = call.argv[1];
    auto* sorted = call.edit<SortedSet>(key);
    if (call.refused) return;
    if (sorted == nullptr) return call.reply.integer(0);
    const Ranks ranks = ranks_of(*sorted, *interval);
    if (ranks.count > 0) {
        if (UndoLog* undo = call.undo()) {
            sorted->for_ranks(ranks.first, ranks.count, false,
                              [undo, key](std::string_view member, double score) {
                                  note_score(*undo, key, member, score);
                              });
        }
        sorted->erase_ranks(ranks.first, ranks.count);
        call.db.effects().begin(Effect::SortedCut, key);
        call.db.effects().number(ranks.first);
        call.db.effects().number(ranks.count);
        call.drop_if_empty(key, *sorted);
    }
    call.reply.integer(ranks.count);
}

}  // namespace ff::keyspace
