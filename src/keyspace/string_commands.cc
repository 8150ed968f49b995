#include <limits>
#include <optional>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {
namespace {

struct SetOptions {
    bool only_new = false;
    std::optional<std::int64_t> expire_at_ms;
};

/// nullopt: refused. Of Valkey's many options only NX and PX are in use; as there, the last of
/// several PX counts.
std::optional<SetOptions> parse_set_options(Call& call) {
    SetOptions options;
    std::optional<std::string_view> ttl;
    for (std::size_t i = 3; i < call.argv.size(); ++i) {
        if (same_word(call.argv[i], "nx")) {
            options.only_new = true;
        } else if (same_word(call.argv[i], "px") && i + 1 < call.argv.size()) {
            ttl = call.argv[++i];
        } else {
            call.refuse(refusal::kSyntax);
            return std::nullopt;
        }
    }
    if (!ttl) return options;
    const auto ms = parse_integer(*ttl);
    if (!ms) {
        call.refuse(refusal::kNotInteger);
        return std::nullopt;
    }
    if (*ms <= 0 || *ms > std::numeric_limits<std::int64_t>::max() - call.now_ms()) {
        call.refuse("ERR invalid expire time in 'set' command");
        return std::nullopt;
    }
    options.expire_at_ms = call.now_ms() + *ms;
    return options;
}

void put_string(Call& call, std::string_view key, std::string_view bytes) {
    Entry* entry = call.db.for_write(key, call.now_ms());
    if (entry != nullptr && entry->value.get<ByteString>() == nullptr) {
        call.db.effects().begin(Effect::Delete, key);
        call.db.erase(key, *entry);
        entry = nullptr;
    }
    if (entry == nullptr) {
        entry = &call.db.create(key, Value::empty<ByteString>());
    } else if (UndoLog* undo = call.undo()) {
        undo->note(UndoLog::Step::StringPut, key);
        undo->bytes(entry->value.get<ByteString>()->view());
    }
    entry->value.get<ByteString>()->assign(bytes);
    call.db.effects().begin(Effect::String, key);
    call.db.effects().long_bytes(bytes);
}

void increment(Call& call, std::int64_t by) {
    const std::string_view key = call.argv[1];
    const auto* text = call.edit<ByteString>(key);
    if (call.refused) return;
    std::int64_t value = 0;
    if (text != nullptr) {
        const auto stored = parse_integer(text->view());
        if (!stored) return call.refuse(refusal::kNotInteger);
        value = *stored;
    }
    if (__builtin_add_overflow(value, by, &value)) return call.refuse(refusal::kOverflow);
    put_string(call, key, IntegerText(value).view());
    call.reply.integer(value);
}

}  // namespace

void run_get(Call& call) {
    const auto* text = call.read<ByteString>(call.argv[1]);
    if (call.refused) return;
    if (text == nullptr) return call.reply.null();
    call.reply.bulk(text->view());
}

void run_set(Call& call) {
    const auto options = parse_set_options(call);
    if (!options) return;
    const std::string_view key = call.argv[1];
    if (options->only_new && call.db.for_write(key, call.now_ms()) != nullptr) {
        return call.reply.null();
    }
    put_string(call, key, call.argv[2]);
    Entry* entry = call.db.for_write(key);
    if (options->expire_at_ms) {
        call.db.effects().begin(Effect::Expire, key);
        call.db.effects().number(static_cast<std::uint64_t>(*options->expire_at_ms));
        call.db.set_expiry(key, *entry, *options->expire_at_ms);
    } else if (call.db.clear_expiry(key, *entry)) {
        call.db.effects().begin(Effect::Persist, key);
    }
    call.reply.status("OK");
}

void run_strlen(Call& call) {
    const auto* text = call.read<ByteString>(call.argv[1]);
    if (call.refused) return;
    call.reply.integer(text == nullptr ? 0 : static_cast<std::int64_t>(text->size()));
}

void run_incr(Call& call) {
    increment(call, 1);
}

void run_decr(Call& call) {
    increment(call, -1);
}

}  // namespace ff::keyspace
