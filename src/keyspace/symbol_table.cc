#include "keyspace/symbol_table.h"

#include "base/assert.h"
#include "keyspace/quick_hash.h"

namespace ff::keyspace {

SymbolTable::SymbolTable(Bounds bounds) : bounds_(bounds), slots_(256) {
    FF_ASSERT(bounds.symbols_max < kNoSymbol);
}

std::size_t SymbolTable::probe(std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].symbol != kNoSymbol &&
           (slots_[at].hash != hash || !equal(names_[slots_[at].symbol].view(), name))) {
        at = (at + 1) & mask;
    }
    return at;
}

SymbolTable::Symbol SymbolTable::find(std::string_view name) const {
    if (name.size() > bounds_.name_bytes_max) return kNoSymbol;
    return slots_[probe(name, quick_hash32(name))].symbol;
}

SymbolTable::Symbol SymbolTable::intern_unseen(std::string_view name, Seen& seen) {
    if (name.size() > bounds_.name_bytes_max) return kNoSymbol;
    const std::uint32_t hash = quick_hash32(name);
    const std::size_t at = probe(name, hash);
    const Symbol symbol = slots_[at].symbol != kNoSymbol ? slots_[at].symbol : add(name, hash, at);
    if (symbol != kNoSymbol) seen = {.at = name.data(), .symbol = symbol};
    return symbol;
}

SymbolTable::Symbol SymbolTable::add(std::string_view name, std::uint32_t hash, std::size_t at) {
    if (names_.size() == bounds_.symbols_max) return kNoSymbol;
    if ((names_.size() + 1) * 2 > slots_.size()) {
        grow();
        at = probe(name, hash);
    }
    const auto symbol = static_cast<Symbol>(names_.size());
    names_.emplace_back(name);
    slots_[at] = {.hash = hash, .symbol = symbol};
    return symbol;
}

void SymbolTable::grow() {
    const auto old = std::move(slots_);
    slots_.assign(old.size() * 2, Slot{});
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.symbol == kNoSymbol) continue;
        std::size_t at = slot.hash & mask;
        while (slots_[at].symbol != kNoSymbol) at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

}  // namespace ff::keyspace
