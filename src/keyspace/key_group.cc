#include "keyspace/key_group.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/assert.h"

namespace ff::keyspace {

struct KeyGroup::Block {
    char id[kIdBytes];
    std::uint16_t count = 0;
    std::uint16_t capacity = 0;

    Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }

    static std::size_t words(std::size_t capacity) {
        return (sizeof(Block) + capacity * sizeof(Entry)) / sizeof(std::uint64_t);
    }
    static Block* make(std::string_view id, std::uint16_t capacity) {
        static_assert(sizeof(Block) % alignof(Entry) == 0);
        FF_ASSERT(id.size() == kIdBytes);
        void* at = MeteredAllocator<std::uint64_t>().allocate(words(capacity));
        auto* block = std::construct_at(static_cast<Block*>(at));
        std::memcpy(block->id, id.data(), kIdBytes);
        block->capacity = capacity;
        return block;
    }
    static void free(Block* block) {
        const std::size_t size = words(block->capacity);
        void* at = block;
        MeteredAllocator<std::uint64_t>().deallocate(static_cast<std::uint64_t*>(at), size);
    }

    // Pads the header to whole entries' alignment.
    std::uint16_t unused = 0;
};

KeyGroup::KeyGroup(std::string_view id) : block_(Block::make(id, 1)) {}

KeyGroup::KeyGroup(KeyGroup&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}

KeyGroup& KeyGroup::operator=(KeyGroup&& other) noexcept {
    if (this != &other) {
        release();
        block_ = std::exchange(other.block_, nullptr);
    }
    return *this;
}

KeyGroup::~KeyGroup() {
    release();
}

void KeyGroup::release() {
    if (block_ == nullptr) return;
    std::destroy_n(block_->entries(), block_->count);
    Block::free(block_);
    block_ = nullptr;
}

std::string_view KeyGroup::key() const {
    return {block_->id, kIdBytes};
}

SymbolTable::Symbol KeyGroup::place() const {
    SymbolTable::Symbol symbol = 0;
    std::memcpy(&symbol, block_->id, sizeof(symbol));
    return symbol;
}

KeyShape::Uuid KeyGroup::uuid() const {
    KeyShape::Uuid uuid{};
    std::memcpy(uuid.data(), block_->id + sizeof(SymbolTable::Symbol), uuid.size());
    return uuid;
}

std::span<Entry> KeyGroup::entries() const {
    return {block_->entries(), block_->count};
}

Entry* KeyGroup::find(SymbolTable::Symbol part) const {
    for (Entry& entry : entries()) {
        if (entry.part == part) return &entry;
    }
    return nullptr;
}

Entry& KeyGroup::append(Value value, SymbolTable::Symbol part) {
    if (block_->count == block_->capacity) {
        const auto capacity = static_cast<std::uint16_t>(
            std::min<std::size_t>(block_->capacity + (block_->capacity < 8 ? 2U : 8U), 0xffff));
        FF_ASSERT(capacity > block_->count);
        Block* larger = Block::make(key(), capacity);
        larger->count = block_->count;
        std::uninitialized_move_n(block_->entries(), block_->count, larger->entries());
        release();
        block_ = larger;
    }
    Entry* entry = std::construct_at(block_->entries() + block_->count,
                                     Entry{.value = std::move(value), .part = part});
    ++block_->count;
    return *entry;
}

void KeyGroup::erase(Entry& entry) {
    Entry* end = block_->entries() + block_->count;
    std::move(&entry + 1, end, &entry);
    std::destroy_at(end - 1);
    --block_->count;
}

}  // namespace ff::keyspace
