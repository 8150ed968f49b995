#include "keyspace/hash_value.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ff::keyspace {
namespace {

/// The symbols are padded to a multiple of this many, and those behind the last field are filled
/// in, so that the scan needs no tail.
constexpr std::uint32_t kLanes = 8;

std::uint32_t padded(std::uint32_t symbols) {
    return (symbols + kLanes - 1) / kLanes * kLanes;
}

std::size_t block_bytes(std::uint32_t capacity) {
    return capacity * sizeof(ByteString) + padded(capacity) * sizeof(SymbolTable::Symbol);
}

}  // namespace

HashValue::HashValue(HashValue&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)),
      count_(std::exchange(other.count_, std::uint16_t{0})),
      capacity_(std::exchange(other.capacity_, std::uint16_t{0})),
      is_named_(std::exchange(other.is_named_, false)) {}

HashValue& HashValue::operator=(HashValue&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(count_, other.count_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_named_, other.is_named_);
    return *this;
}

HashValue::~HashValue() {
    release();
}

void HashValue::release() {
    if (is_named_) {
        const Owned<Named> owner(&named());
    } else if (block_ != nullptr) {
        std::destroy_n(flat_values(), count_);
        MeteredAllocator<std::uint64_t>().deallocate(static_cast<std::uint64_t*>(block_),
                                                     block_bytes(capacity_) / 8);
    }
    block_ = nullptr;
    count_ = 0;
    capacity_ = 0;
    is_named_ = false;
}

std::uint32_t HashValue::size() const {
    return is_named_ ? named().size() : count_;
}

std::uint32_t HashValue::flat_find(SymbolTable::Symbol symbol) const {
    const SymbolTable::Symbol* symbols = flat_symbols();
    for (std::uint32_t i = 0; i < count_; i += kLanes) {
        bool hit = false;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) hit |= symbols[i + lane] == symbol;
        if (!hit) continue;
        while (symbols[i] != symbol) ++i;
        return i;
    }
    return count_;
}

void HashValue::flat_resize(std::uint32_t capacity) {
    void* block = MeteredAllocator<std::uint64_t>().allocate(block_bytes(capacity) / 8);
    auto* values = static_cast<ByteString*>(block);
    auto* symbols = reinterpret_cast<SymbolTable::Symbol*>(values + capacity);
    std::uninitialized_move_n(flat_values(), count_, values);
    std::uninitialized_copy_n(flat_symbols(), count_, symbols);
    std::uninitialized_fill_n(symbols + count_, padded(capacity) - count_, SymbolTable::kNoSymbol);
    const std::uint16_t count = count_;
    release();
    block_ = block;
    count_ = count;
    capacity_ = static_cast<std::uint16_t>(capacity);
}

void HashValue::make_named(const SymbolTable& symbols) {
    auto fields = make_owned<Named>();
    fields->reserve(count_ + std::size_t{1});
    for (std::uint32_t i = 0; i < count_; ++i) {
        fields->append(Field{.name = ByteString(symbols.name(flat_symbols()[i])),
                             .value = std::move(flat_values()[i])});
    }
    release();
    block_ = fields.release();
    is_named_ = true;
}

void HashValue::reserve(std::size_t more) {
    if (is_named_) return;
    const std::size_t wanted = count_ + more;
    if (wanted > capacity_ && wanted <= kFlatFieldsMax) {
        flat_resize(static_cast<std::uint32_t>(wanted));
    }
}

const ByteString* HashValue::find(SymbolTable::Symbol symbol, std::string_view field) const {
    if (is_named_) {
        const std::uint32_t at = named().find(field);
        return at == Named::kNowhere ? nullptr : &named().at(at).value;
    }
    if (symbol == SymbolTable::kNoSymbol) return nullptr;
    const std::uint32_t at = flat_find(symbol);
    return at == count_ ? nullptr : flat_values() + at;
}

HashValue::Found HashValue::find_or_add(SymbolTable& symbols, std::string_view field,
                                        std::string_view value) {
    if (!is_named_) {
        const SymbolTable::Symbol symbol = symbols.intern(field);
        if (symbol != SymbolTable::kNoSymbol) {
            const std::uint32_t at = flat_find(symbol);
            if (at != count_) return {.value = flat_values() + at, .symbol = symbol};
            if (count_ < kFlatFieldsMax) {
                if (count_ == capacity_) {
                    flat_resize(std::min(count_ + std::uint32_t{1} + count_ / 4U, kFlatFieldsMax));
                }
                std::construct_at(flat_values() + count_, value);
                flat_symbols()[count_] = symbol;
                ++count_;
                return {.value = nullptr, .symbol = symbol};
            }
        }
        make_named(symbols);
    }
    const std::uint32_t at = named().find(field);
    if (at != Named::kNowhere) return {.value = &named().at(at).value};
    named().append(Field{.name = ByteString(field), .value = ByteString(value)});
    return {};
}

bool HashValue::erase(const SymbolTable& symbols, std::string_view field) {
    if (is_named_) {
        const std::uint32_t at = named().find(field);
        if (at == Named::kNowhere) return false;
        named().erase(at);
        return true;
    }
    const SymbolTable::Symbol symbol = symbols.find(field);
    if (symbol == SymbolTable::kNoSymbol) return false;
    const std::uint32_t at = flat_find(symbol);
    if (at == count_) return false;
    std::move(flat_values() + at + 1, flat_values() + count_, flat_values() + at);
    std::move(flat_symbols() + at + 1, flat_symbols() + count_, flat_symbols() + at);
    --count_;
    std::destroy_at(flat_values() + count_);
    flat_symbols()[count_] = SymbolTable::kNoSymbol;
    return true;
}

HashValue HashValue::clone() const {
    HashValue copy;
    if (is_named_) {
        auto fields = make_owned<Named>();
        fields->reserve(named().size());
        for (const Field& field : named().items()) {
            fields->append(Field{.name = field.name.clone(), .value = field.value.clone()});
        }
        copy.block_ = fields.release();
        copy.is_named_ = true;
        return copy;
    }
    if (count_ == 0) return copy;
    copy.flat_resize(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
        std::construct_at(copy.flat_values() + i, flat_values()[i].view());
        copy.flat_symbols()[i] = flat_symbols()[i];
    }
    copy.count_ = count_;
    return copy;
}

}  // namespace ff::keyspace
