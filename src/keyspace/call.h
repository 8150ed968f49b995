#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "keyspace/database.h"
#include "keyspace/reply_sink.h"

namespace ff::keyspace {

/// Texts of refusals, word for word as Valkey has them.
namespace refusal {
inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view kStreamId =
    "ERR Invalid stream ID specified as stream command argument";
}  // namespace refusal

/// One command being executed. A handler sends exactly one reply, and writes only after everything
/// that could be refused has been checked.
struct Call {
    const CommandSpec& command;
    Database& db;
    std::span<const std::string_view> argv;
    std::chrono::microseconds now;
    ReplySink& reply;
    bool refused = false;
    bool created = false;

    std::int64_t now_ms() const {
        return std::chrono::floor<std::chrono::milliseconds>(now).count();
    }
    void refuse(std::string_view text) {
        refused = true;
        reply.error(text);
    }
    void refuse_argument_count();

    /// nullptr if the key is absent, or if it holds another type, which is refused.
    template <class T>
    const T* read(std::string_view key) {
        const Entry* entry = db.find(key, now_ms());
        if (entry == nullptr) return nullptr;
        const T* value = entry->value.get<T>();
        if (value == nullptr) refuse(refusal::kWrongType);
        return value;
    }
    template <class T>
    T* edit(std::string_view key) {
        Entry* entry = db.for_write(key, now_ms());
        if (entry == nullptr) return nullptr;
        T* value = entry->value.get<T>();
        if (value == nullptr) refuse(refusal::kWrongType);
        return value;
    }
    /// As `edit`, but an absent key is created, empty: something must be put into it.
    template <class T>
    T* edit_or_create(std::string_view key) {
        Entry* entry = db.for_write(key, now_ms());
        if (entry == nullptr) {
            created = true;
            return db.create(key, Value::empty<T>()).value.template get<T>();
        }
        T* value = entry->value.get<T>();
        if (value == nullptr) refuse(refusal::kWrongType);
        return value;
    }
    /// A collection that becomes empty ceases to exist. Replay knows this too, so it is not logged.
    template <class T>
    void drop_if_empty(std::string_view key, const T& value) {
        if (value.size() == 0) db.erase(key, *db.for_write(key));
    }

    /// Where a change of the value that was edited says how to undo it. A key that this command
    /// has created needs nothing of the kind: it goes as a whole.
    UndoLog* undo() { return created ? nullptr : db.undo(); }

    /// Starts an effect that carries the arguments from `first` on, as they are.
    void log_arguments(Effect effect, std::string_view key, std::size_t first, std::size_t count);
};

}  // namespace ff::keyspace
