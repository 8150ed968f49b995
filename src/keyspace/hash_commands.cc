#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

void reply_value(Call& call, const HashValue* hash, std::string_view field) {
    const ByteString* value = hash == nullptr ? nullptr : hash->find(call.db.fields(), field);
    if (value == nullptr) return call.reply.null();
    call.reply.bulk(value->view());
}

/// True if the field is new. `undo`: is in a step of fields.
bool put(Call& call, UndoLog* undo, HashValue& hash, std::string_view field,
         std::string_view value) {
    const HashValue::Found found = hash.find_or_add(call.db.fields(), field, value);
    if (found.value == nullptr) {
        if (undo != nullptr) undo->new_field(found.symbol, field);
        return true;
    }
    if (undo != nullptr) undo->field(found.symbol, field, *found.value);
    found.value->assign(value);
    return false;
}

/// Of the hash at argv[1]; nullptr if nobody will ask.
UndoLog* begin_fields(Call& call) {
    UndoLog* undo = call.undo();
    if (undo != nullptr) undo->note(UndoLog::Step::FieldsPut, call.argv[1]);
    return undo;
}

}  // namespace

void run_hget(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    reply_value(call, hash, call.argv[2]);
}

void run_hmget(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    call.reply.array(call.argv.size() - 2);
    for (const std::string_view field : call.argv.subspan(2)) reply_value(call, hash, field);
}

void run_hgetall(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    const std::size_t pairs = hash == nullptr ? 0 : hash->size();
    if (call.reply.resp3()) {
        call.reply.map(pairs);
    } else {
        call.reply.array(pairs * 2);
    }
    if (hash == nullptr) return;
    hash->for_each_symbol(
        call.db.fields(),
        [&call](std::string_view field, SymbolTable::Symbol symbol, std::string_view value) {
            if (symbol == SymbolTable::kNoSymbol)
                call.reply.bulk(field);
            else
                call.reply.name(field, symbol);
            call.reply.bulk(value);
        });
}

void run_hkeys(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    call.reply.array(hash == nullptr ? 0 : hash->size());
    if (hash == nullptr) return;
    hash->for_each(call.db.fields(),
                   [&call](std::string_view field, std::string_view) { call.reply.bulk(field); });
}

void run_hlen(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(hash == nullptr ? 0 : hash->size());
}

void run_hexists(Call& call) {
    const auto* hash = call.read<HashValue>(call.argv[1]);
    if (call.refused) return;
    const bool found = hash != nullptr && hash->find(call.db.fields(), call.argv[2]) != nullptr;
    call.reply.integer(found ? 1 : 0);
}

void run_hset(Call& call) {
    if (call.argv.size() % 2 != 0) return call.refuse_argument_count();
    const std::string_view key = call.argv[1];
    auto* hash = call.edit_or_create<HashValue>(key);
    if (call.refused) return;
    const std::size_t pairs = (call.argv.size() - 2) / 2;
    UndoLog* undo = begin_fields(call);
    if (hash->size() == 0) hash->reserve(pairs);
    std::int64_t added = 0;
    for (std::size_t i = 2; i < call.argv.size(); i += 2) {
        if (put(call, undo, *hash, call.argv[i], call.argv[i + 1])) ++added;
    }
    call.log_arguments(Effect::HashPut, key, 2, pairs);
    call.reply.integer(added);
}

void run_hsetnx(Call& call) {
    const std::string_view key = call.argv[1];
    auto* hash = call.edit_or_create<HashValue>(key);
    if (call.refused) return;
    if (hash->find(call.db.fields(), call.argv[2]) != nullptr) return call.reply.integer(0);
    put(call, begin_fields(call), *hash, call.argv[2], call.argv[3]);
    call.log_arguments(Effect::HashPut, key, 2, 1);
    call.reply.integer(1);
}

void run_hdel(Call& call) {
    const std::string_view key = call.argv[1];
    auto* hash = call.edit<HashValue>(key);
    if (call.refused) return;
    if (hash == nullptr) return call.reply.integer(0);
    UndoLog* undo = begin_fields(call);
    std::int64_t removed = 0;
    for (const std::string_view field : call.argv.subspan(2)) {
        const ByteString* before = hash->find(call.db.fields(), field);
        if (before == nullptr) continue;
        if (undo != nullptr) undo->field(SymbolTable::kNoSymbol, field, *before);
        hash->erase(call.db.fields(), field);
        ++removed;
    }
    if (removed > 0) {
        call.log_arguments(Effect::HashErase, key, 2, call.argv.size() - 2);
        call.drop_if_empty(key, *hash);
    }
    call.reply.integer(removed);
}

void run_hincrby(Call& call) {
    const std::string_view key = call.argv[1];
    const std::string_view field = call.argv[2];
    const auto by = parse_integer(call.argv[3]);
    if (!by) return call.refuse(refusal::kNotInteger);
    auto* hash = call.edit<HashValue>(key);
    if (call.refused) return;
    std::int64_t value = 0;
    if (hash != nullptr) {
        const ByteString* stored = hash->find(call.db.fields(), field);
        const auto number =
            stored == nullptr ? std::optional<std::int64_t>(0) : parse_integer(stored->view());
        if (!number) return call.refuse("ERR hash value is not an integer");
        value = *number;
    }
    if (__builtin_add_overflow(value, *by, &value)) return call.refuse(refusal::kOverflow);
    if (hash == nullptr) hash = call.edit_or_create<HashValue>(key);
    const IntegerText text(value);
    put(call, begin_fields(call), *hash, field, text.view());
    call.db.effects().begin(Effect::HashPut, key);
    call.db.effects().number(1);
    call.db.effects().bytes(field);
    call.db.effects().bytes(text.view());
    call.reply.integer(value);
}

}  // namespace ff::keyspace
