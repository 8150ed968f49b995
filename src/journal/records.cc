#include "journal/records.h"

#include "base/assert.h"
#include "journal/format.h"

namespace ff::journal {

void Records::add(std::string_view payload) {
    begin();
    frames_ += payload;
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
    set_record_length(&frames_[open_at_], static_cast<std::uint32_t>(length));
    ++count_;
}

void Records::swap_frames(std::string& frames) {
    frames_.swap(frames);
    clear();
}

void Records::clear() {
    frames_.clear();
    count_ = 0;
}

}  // namespace ff::journal
