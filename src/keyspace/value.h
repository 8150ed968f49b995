#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "keyspace/byte_string.h"
#include "keyspace/hash_value.h"
#include "keyspace/list_value.h"
#include "keyspace/set_value.h"
#include "keyspace/sorted_set.h"
#include "keyspace/stream_value.h"

namespace ff::keyspace {

/// What a key holds. A string and a small hash lie in place, the others behind a pointer.
class Value {
  public:
    template <class T>
    static Value empty() {
        if constexpr (kInPlace<T>)
            return Value(State(std::in_place_type<T>));
        else
            return Value(State(make_owned<T>()));
    }

    /// nullptr if it holds another type.
    template <class T>
    T* get() {
        if constexpr (kInPlace<T>) {
            return std::get_if<T>(&state_);
        } else {
            auto* owned = std::get_if<Owned<T>>(&state_);
            return owned == nullptr ? nullptr : owned->get();
        }
    }
    template <class T>
    const T* get() const {
        return const_cast<Value*>(this)->get<T>();  // NOLINT(*-const-cast): adds it back
    }

    /// As the TYPE command names it.
    std::string_view type_name() const;
    Value clone() const;

  private:
    template <class T>
    static constexpr bool kInPlace = std::is_same_v<T, ByteString> || std::is_same_v<T, HashValue>;
    using State = std::variant<ByteString, HashValue, Owned<SetValue>, Owned<ListValue>,
                               Owned<SortedSet>, Owned<StreamValue>>;

    explicit Value(State state) : state_(std::move(state)) {}

    State state_;
};

static_assert(sizeof(Value) == 24);

/// A value and what the keyspace knows about its key.
struct Entry {
    Value value;
    /// The last snapshot that needs nothing more of this key.
    std::uint32_t saved_in = 0;
    /// Which key of its group this is; see key_table.h.
    SymbolTable::Symbol part = SymbolTable::kNoSymbol;
    /// The time is in the expiry index.
    bool expires = false;
};

static_assert(sizeof(Entry) == 32);

}  // namespace ff::keyspace
