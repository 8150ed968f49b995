#include <limits>
#include <string>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

void refuse_expire_time(Call& call) {
    std::string text = "ERR invalid expire time in '";
    text.append(call.command.name).append("' command");
    call.refuse(text);
}

/// Valkey's conditions NX, XX, GT and LT are not among the forms in use.
void refuse_expire_option(Call& call, std::string_view option) {
    for (const std::string_view known : {"nx", "xx", "gt", "lt"}) {
        if (same_word(option, known)) return call.refuse(refusal::kSyntax);
    }
    call.refuse(std::string("ERR Unsupported option ").append(option));
}

/// PEXPIREAT counts from 0, PEXPIRE from now.
void expire(Call& call, std::int64_t base_ms) {
    if (call.argv.size() > 3) return refuse_expire_option(call, call.argv[3]);
    const auto time = parse_integer(call.argv[2]);
    if (!time) return call.refuse(refusal::kNotInteger);
    if (*time > std::numeric_limits<std::int64_t>::max() - base_ms) return refuse_expire_time(call);
    const std::int64_t at_ms = *time + base_ms;
    const std::string_view key = call.argv[1];
    Entry* entry = call.db.for_write(key, call.now_ms());
    if (entry == nullptr) return call.reply.integer(0);
    if (at_ms <= call.now_ms()) {
        call.db.effects().begin(Effect::Delete, key);
        call.db.erase(key, *entry);
    } else {
        call.db.effects().begin(Effect::Expire, key);
        call.db.effects().number(static_cast<std::uint64_t>(at_ms));
        call.db.set_expiry(key, *entry, at_ms);
    }
    call.reply.integer(1);
}

}  // namespace

void run_time(Call& call) {
    call.reply.array(2);
    call.reply.bulk(IntegerText(call.now.count() / 1'000'000).view());
    call.reply.bulk(IntegerText(call.now.count() % 1'000'000).view());
}

void run_exists(Call& call) {
    std::int64_t count = 0;
    for (const std::string_view key : call.argv.subspan(1)) {
        if (call.db.find(key, call.now_ms()) != nullptr) ++count;
    }
    call.reply.integer(count);
}

void run_del(Call& call) {
    std::int64_t count = 0;
    for (const std::string_view key : call.argv.subspan(1)) {
        Entry* entry = call.db.for_write(key, call.now_ms());
        if (entry == nullptr) continue;
        call.db.effects().begin(Effect::Delete, key);
        call.db.erase(key, *entry);
        ++count;
    }
    call.reply.integer(count);
}

void run_persist(Call& call) {
    const std::string_view key = call.argv[1];
    Entry* entry = call.db.for_write(key, call.now_ms());
    const bool persisted = entry != nullptr && call.db.clear_expiry(key, *entry);
    if (persisted) call.db.effects().begin(Effect::Persist, key);
    call.reply.integer(persisted ? 1 : 0);
}

void run_copy(Call& call) {
    bool replace = false;
    for (const std::string_view option : call.argv.subspan(3)) {
        if (!same_word(option, "replace")) return call.refuse(refusal::kSyntax);
        replace = true;
    }
    const std::string_view from = call.argv[1];
    const std::string_view to = call.argv[2];
    if (from == to) return call.refuse("ERR source and destination objects are the same");
    if (call.db.find(from, call.now_ms()) == nullptr) return call.reply.integer(0);
    if (call.db.for_write(to, call.now_ms()) != nullptr && !replace) return call.reply.integer(0);
    call.db.effects().begin(Effect::Copy, to);
    call.db.effects().bytes(from);
    call.db.copy(from, *call.db.find(from, call.now_ms()), to);
    call.reply.integer(1);
}

void run_pexpire(Call& call) {
    expire(call, call.now_ms());
}

void run_pexpireat(Call& call) {
    expire(call, 0);
}

}  // namespace ff::keyspace
