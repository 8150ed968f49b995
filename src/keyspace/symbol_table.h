#pragma once

#include <array>
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
    Symbol intern(std::string_view name) {
        // Functions name their fields with the same few Lua strings again and again. What lies at
        // an address may have changed since: it is compared.
        Seen& seen = seen_[(reinterpret_cast<std::uintptr_t>(name.data()) >> 4U) % kSeenMax];
        if (seen.at == name.data() && seen.symbol != kNoSymbol &&
            equal(name, names_[seen.symbol].view()))
            return seen.symbol;
        return intern_unseen(name, seen);
    }
    std::string_view name(Symbol symbol) const { return names_[symbol].view(); }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        Symbol symbol = kNoSymbol;
    };
    struct Seen {
        const char* at = nullptr;
        Symbol symbol = kNoSymbol;
    };
    static constexpr std::size_t kSeenMax = 256;

    /// As `==`, in place: names are short.
    static bool equal(std::string_view a, std::string_view b) {
        constexpr std::size_t kWord = sizeof(std::uint64_t);
        const std::size_t size = a.size();
        if (size != b.size()) return false;
        if (size < kWord) return std::memcmp(a.data(), b.data(), size) == 0;
        for (std::size_t at = 0; at + kWord < size; at += kWord)
            if (word(a.data() + at) != word(b.data() + at)) return false;
        return word(a.data() + size - kWord) == word(b.data() + size - kWord);
    }
    static std::uint64_t word(const char* at) {
        std::uint64_t value = 0;
        std::memcpy(&value, at, sizeof(value));
        return value;
    }
    Symbol intern_unseen(std::string_view name, Seen& seen);
    Symbol add(std::string_view name, std::uint32_t hash, std::size_t at);
    std::size_t probe(std::string_view name, std::uint32_t hash) const;
    void grow();

    Bounds bounds_;
    std::vector<ByteString, MeteredAllocator<ByteString>> names_;
    std::vector<Slot, MeteredAllocator<Slot>> slots_;
    std::array<Seen, kSeenMax> seen_{};
};

}  // namespace ff::keyspace
