#include "journal/records.h"

#include "base/assert.h"
#include "journal/format.h"

namespace ff::journal {

void Records::add(std::string_view payload) {
    begin();
    frames_.append(payload);
    end();
}

void Records::begin() {
    open_at_ = frames_.size();
    open_lent_ = lent_.bytes();
    frames_.append(kRecordHeadBytes, '\0');
}

void Records::end() {
    const std::size_t length = frames_.size() - open_at_ + lent_.bytes() - open_lent_;
    FF_ASSERT(length >= kRecordHeadBytes);
    FF_ASSERT(length - kRecordHeadBytes <= kPayloadBytesMax);
    set_record_length(frames_.data() + open_at_, static_cast<std::uint32_t>(length));
    ++count_;
}

void Records::end_if_any() {
    if (frames_.size() > open_at_ + kRecordHeadBytes)
        end();
    else
        frames_.cut(open_at_);
}

void Records::append_frames_to(ByteBuffer& group) const {
    lent_.append_joined(frames_.view(), group);
}

void Records::move_frames_to(ByteBuffer& group) {
    FF_ASSERT(group.empty());
    if (lent_.empty())
        frames_.swap(group);
    else
        append_frames_to(group);
    clear();
}

void Records::own() {
    if (lent_.empty()) return;
    ByteBuffer joined;
    append_frames_to(joined);
    frames_.swap(joined);
    lent_.clear();
}

void Records::clear() {
    frames_.clear();
    lent_.clear();
    count_ = 0;
}

}  // namespace ff::journal
