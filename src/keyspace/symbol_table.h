#pragma once

#include <string_view>
#include <vector>

#include "keyspace/byte_string.h"

namespace ff::keyspace {

/// Numbers for names that recur: fields of hashes, parts of keys. A name is never forgotten, so the
/// table is bounded in the number and the length of its names; whoever gets kNoSymbol stores the
/// name itself.
class SymbolTable {
  public:
    using Symbol = std::uint16_t;
    static constexpr Symbol kNoSymbol = 0xffff;

    struct Bounds {
        std::size_t symbols_max = 32768;
        /// Shorter than a UUID: ids used as names would fill the table and never come back.
        std::size_t name_bytes_max = 35;
    };

    SymbolTable() : SymbolTable(Bounds{}) {}
    explicit SymbolTable(Bounds bounds);

    Symbol find(std::string_view name) const;
    Symbol intern(std::string_view name);
    std::string_view name(Symbol symbol) const { return names_[symbol].view(); }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        Symbol symbol = kNoSymbol;
    };
    std::size_t probe(std::string_view name, std::uint32_t hash) const;
    void grow();

    Bounds bounds_;
    std::vector<ByteString, MeteredAllocator<ByteString>> names_;
    std::vector<Slot, MeteredAllocator<Slot>> slots_;
};

}  // namespace ff::keyspace
