#pragma once

#include <string_view>

#include "keyspace/byte_string.h"
#include "keyspace/dense_index.h"
#include "keyspace/symbol_table.h"

namespace ff::keyspace {

/// A hash in 16 bytes plus one block. The flat form holds the values and, behind them, the symbols
/// of their fields, searched by a scan that the compiler vectorises; it keeps the order of
/// insertion. A hash with many fields, or with one that has no symbol, takes the named form.
class HashValue {
  public:
    static constexpr std::uint32_t kFlatFieldsMax = 96;

    HashValue() = default;
    HashValue(HashValue&& other) noexcept;
    HashValue& operator=(HashValue&& other) noexcept;
    ~HashValue();

    std::uint32_t size() const;
    const ByteString* find(const SymbolTable& symbols, std::string_view field) const {
        return find(is_named_ ? SymbolTable::kNoSymbol : symbols.find(field), field);
    }
    /// With the symbol of the field, if it has one.
    const ByteString* find(SymbolTable::Symbol symbol, std::string_view field) const;
    /// True if the field is new.
    bool put(SymbolTable& symbols, std::string_view field, std::string_view value) {
        const Found found = find_or_add(symbols, field, value);
        if (found.value != nullptr) found.value->assign(value);
        return found.value == nullptr;
    }
    struct Found {
        /// nullptr: it was not there, and was added.
        ByteString* value = nullptr;
        /// Of the field, if it has one here.
        SymbolTable::Symbol symbol = SymbolTable::kNoSymbol;
    };
    /// As `put`, but leaves the value of a field that is there to the caller.
    Found find_or_add(SymbolTable& symbols, std::string_view field, std::string_view value);
    bool erase(const SymbolTable& symbols, std::string_view field);
    /// Makes room for this many more fields at once.
    void reserve(std::size_t more);
    HashValue clone() const;

    /// visit(std::string_view field, SymbolTable::Symbol symbol, std::string_view value), without a
    /// symbol if the field has none here.
    template <class Visit>
    void for_each_symbol(const SymbolTable& symbols, Visit&& visit) const {
        if (is_named_) {
            for (const Field& field : named().items())
                visit(field.name.view(), SymbolTable::kNoSymbol, field.value.view());
            return;
        }
        for (std::uint32_t i = 0; i < count_; ++i) {
            const SymbolTable::Symbol symbol = flat_symbols()[i];
            visit(symbols.name(symbol), symbol, flat_values()[i].view());
        }
    }
    /// visit(std::string_view field, std::string_view value)
    template <class Visit>
    void for_each(const SymbolTable& symbols, Visit&& visit) const {
        for_each_symbol(symbols, [&visit](std::string_view field, SymbolTable::Symbol,
                                          std::string_view value) { visit(field, value); });
    }

  private:
    struct Field {
        ByteString name;
        ByteString value;
        std::string_view key() const { return name.view(); }
    };
    using Named = DenseIndex<Field>;

    Named& named() const { return *static_cast<Named*>(block_); }
    ByteString* flat_values() const { return static_cast<ByteString*>(block_); }
    SymbolTable::Symbol* flat_symbols() const {
        return reinterpret_cast<SymbolTable::Symbol*>(flat_values() + capacity_);
    }
    std::uint32_t flat_find(SymbolTable::Symbol symbol) const;
    void flat_resize(std::uint32_t capacity);
    void make_named(const SymbolTable& symbols);
    void release();

    // The flat block or a Named, both owned.
    void* block_ = nullptr;
    std::uint16_t count_ = 0;
    std::uint16_t capacity_ = 0;
    bool is_named_ = false;
};

static_assert(sizeof(HashValue) == 16);

}  // namespace ff::keyspace
