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
    frames_.append(kRecordHeadBytes, '\0');
}

void Records::end() {
    const std::size_t length = frames_.size() - open_at_;
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

void Records::swap_frames(ByteBuffer& frames) {
    frames_.swap(frames);
    clear();
}

void Records::clear() {
    frames_.clear();
    count_ = 0;
}

}  // namespace ff::journal
