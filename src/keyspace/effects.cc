#include "keyspace/effects.h"

#include <algorithm>
#include <utility>

#include "keyspace/key_shape.h"

namespace ff::keyspace {
namespace {

constexpr unsigned kSpellingShift = 6;
constexpr unsigned kEffectMask = 0x3f;

}  // namespace

void KeyMemory::set(std::string_view key) {
    key_.assign(key);
    const KeyShape::Body body = KeyShape::body_of(key);
    body_at_ = body.at;
    body_bytes_ = body.bytes;
}

void KeyMemory::set_sibling(std::string_view head, std::string_view tail) {
    key_.replace(body_at_ + body_bytes_, std::string::npos, tail);
    key_.replace(0, body_at_, head);
    body_at_ = head.size();
}

void KeyMemory::clear() {
    key_.clear();
    body_at_ = 0;
    body_bytes_ = 0;
}

void EffectWriter::begin(Effect effect, std::string_view key) {
    const auto head_byte = [effect](KeySpelling spelling) {
        return static_cast<std::uint8_t>(static_cast<unsigned>(effect) |
                                         static_cast<unsigned>(spelling) << kSpellingShift);
    };
    if (size() > 0 && key == memory_.key()) {
        out_.byte(head_byte(KeySpelling::Same));
        return;
    }
    const std::string_view body = memory_.body();
    const std::size_t open = body.empty() ? std::string_view::npos : key.find('{');
    if (open != std::string_view::npos && key.substr(open).starts_with(body)) {
        const std::string_view head = key.substr(0, open);
        const std::string_view tail = key.substr(open + body.size());
        out_.byte(head_byte(KeySpelling::Sibling));
        bytes(head);
        bytes(tail);
        memory_.set_sibling(head, tail);
        return;
    }
    out_.byte(head_byte(KeySpelling::Whole));
    bytes(key);
    memory_.set(key);
}

void EffectWriter::write_to(ByteBuffer* buffer, LentPieces* lent) {
    buffer_ = buffer == nullptr ? &own_ : buffer;
    out_ = WireWriter(*buffer_);
    lent_ = buffer == nullptr ? nullptr : lent;
    clear();
}

void EffectWriter::long_bytes(std::string_view value) {
    const bool stays = value.data() == stays_.data() && value.size() == stays_.size();
    if (lent_ == nullptr || !stays || value.size() < kLentBytesLeast) return bytes(value);
    out_.number(value.size());
    lent_->add(buffer_->size(), value);
}

EffectWriter::Mark EffectWriter::mark() const {
    return {
        .bytes = buffer_->size(), .lent = lent_ == nullptr ? 0 : lent_->count(), .memory = memory_};
}

void EffectWriter::cut(Mark mark) {
    buffer_->cut(mark.bytes);
    if (lent_ != nullptr) lent_->cut(mark.lent);
    memory_ = std::move(mark.memory);
}

void EffectWriter::clear() {
    if (buffer_ == &own_) {
        if (own_.capacity() > kKeptBytesMax) own_ = {};
        own_.clear();
    }
    start_ = buffer_->size();
    memory_.clear();
}

ByteBuffer EffectWriter::take() {
    ByteBuffer taken;
    taken.reserve(std::min(own_.capacity(), kKeptBytesMax));
    taken.swap(own_);
    clear();
    return taken;
}

std::string_view EffectReader::next(Effect& effect) {
    const std::uint8_t head_byte = wire.byte();
    effect = static_cast<Effect>(head_byte & kEffectMask);
    // The byte comes from outside, so it may spell none of these.
    switch (static_cast<KeySpelling>(head_byte >> kSpellingShift)) {
        case KeySpelling::Whole:
            memory_.set(wire.bytes());
            break;
        case KeySpelling::Same:
            break;
        case KeySpelling::Sibling: {
            const std::string_view head = wire.bytes();
            const std::string_view tail = wire.bytes();
            memory_.set_sibling(head, tail);
            break;
        }
        default:
            wire.spoil();
    }
    return memory_.key();
}

}  // namespace ff::keyspace
