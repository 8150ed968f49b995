#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "keyspace/key_shape.h"
#include "keyspace/value.h"

namespace ff::keyspace {

/// The keys that share a body (key_shape.h), in one block: an id, then the entries. The id is the
/// symbol of the place and the uuid.
class KeyGroup {
  public:
    static constexpr std::size_t kIdBytes = sizeof(SymbolTable::Symbol) + sizeof(KeyShape::Uuid);

    explicit KeyGroup(std::string_view id);
    KeyGroup(KeyGroup&& other) noexcept;
    KeyGroup& operator=(KeyGroup&& other) noexcept;
    ~KeyGroup();

    /// The id. The name is the one DenseIndex asks for.
    std::string_view key() const;
    SymbolTable::Symbol place() const;
    KeyShape::Uuid uuid() const;

    std::span<Entry> entries() const;
    Entry* find(SymbolTable::Symbol part) const;
    /// Moves the others.
    Entry& append(Value value, SymbolTable::Symbol part);
    /// Moves those behind it.
    void erase(Entry& entry);

  private:
    struct Block;

    void release();

    Block* block_;
};

static_assert(sizeof(KeyGroup) == sizeof(void*));

}  // namespace ff::keyspace
