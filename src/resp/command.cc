#include "resp/command.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "resp/writer.h"

namespace ff::resp {
namespace {

constexpr std::size_t kViewsLeast = 16;
constexpr std::size_t kTextLeast = 512;
/// "$", 20 digits, a line end, and the line end after the bytes.
constexpr std::size_t kFrameBytes = 25;

char* put(char* to, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return to + bytes.size();
}

/// The line in front of so many bytes. Most arguments have less than a hundred.
char* put_length(char* to, std::size_t length) {
    *to++ = '$';
    if (length < 100) {
        if (length >= 10) *to++ = static_cast<char>('0' + length / 10);
        *to++ = static_cast<char>('0' + length % 10);
    } else {
        to = std::to_chars(to, to + 20, length).ptr;
    }
    return put(to, "\r\n");
}

}  // namespace

Command::Command(std::span<const std::string_view> args) {
    append(args);
}

Command::Command(const Command& other) {
    if (other.empty()) return;
    grow(other.text_end_ - kHeadBytes, other.argc_);
    copy_content(other);
}

Command::Command(Command&& other) noexcept
    : block_(std::move(other.block_)),
      views_max_(std::exchange(other.views_max_, 0)),
      text_max_(std::exchange(other.text_max_, 0)),
      text_end_(std::exchange(other.text_end_, kHeadBytes)),
      head_(std::exchange(other.head_, kHeadBytes)),
      argc_(std::exchange(other.argc_, 0)) {}

Command& Command::operator=(const Command& other) {
    if (this != &other) *this = Command(other);
    return *this;
}

Command& Command::operator=(Command&& other) noexcept {
    if (this == &other) return *this;
    block_ = std::move(other.block_);
    views_max_ = std::exchange(other.views_max_, 0);
    text_max_ = std::exchange(other.text_max_, 0);
    text_end_ = std::exchange(other.text_end_, kHeadBytes);
    head_ = std::exchange(other.head_, kHeadBytes);
    argc_ = std::exchange(other.argc_, 0);
    return *this;
}

Command& Command::arg(std::string_view bytes) {
    const Block left = grow(bytes.size() + kFrameBytes, 1);
    char* to = put_length(text() + text_end_, bytes.size());
    views()[argc_] = std::string_view(to, bytes.size());
    to = put(put(to, bytes), "\r\n");
    text_end_ = static_cast<std::size_t>(to - text());
    ++argc_;
    count_one_more();
    return *this;
}

Command& Command::arg(double number) {
    char digits[kDoubleTextMax];
    return arg(std::string_view(digits, format_double(number, digits)));
}

Command& Command::arg_parts(std::span<const std::string_view> parts) {
    std::size_t length = 0;
    for (const std::string_view part : parts) length += part.size();
    const Block left = grow(length + kFrameBytes, 1);

    char* to = put_length(text() + text_end_, length);
    views()[argc_] = std::string_view(to, length);
    for (const std::string_view part : parts) to = put(to, part);
    to = put(to, "\r\n");
    text_end_ = static_cast<std::size_t>(to - text());
    ++argc_;
    count_one_more();
    return *this;
}

Command& Command::append(std::span<const std::string_view> args) {
    std::size_t bytes = 0;
    for (const std::string_view one : args) bytes += one.size();
    const Block left = grow(bytes + args.size() * kFrameBytes, args.size());
    for (const std::string_view one : args) arg(one);
    return *this;
}

void Command::reserve(std::size_t bytes, std::size_t args) {
    grow(bytes + args * kFrameBytes, args);
}

void Command::clear() {
    argc_ = 0;
    text_end_ = kHeadBytes;
    head_ = kHeadBytes;
}

std::string_view Command::wire() const {
    if (argc_ == 0) return {};
    return {text() + head_, text_end_ - head_};
}

Command::Block Command::enlarge(std::size_t views_needed, std::size_t text_needed) {
    Command larger;
    larger.views_max_ = views_needed <= views_max_
                            ? views_max_
                            : std::max({kViewsLeast, views_needed, views_max_ * 2});
    larger.text_max_ =
        text_needed <= text_max_ ? text_max_ : std::max({kTextLeast, text_needed, text_max_ * 2});
    const std::size_t cells =
        larger.views_max_ + (larger.text_max_ + sizeof(Cell) - 1) / sizeof(Cell);
    larger.block_ = std::make_unique_for_overwrite<Cell[]>(cells);
    larger.copy_content(*this);
    std::swap(*this, larger);
    return std::move(larger.block_);
}

void Command::copy_content(const Command& from) {
    argc_ = from.argc_;
    text_end_ = from.text_end_;
    head_ = from.head_;
    if (argc_ == 0) return;
    std::memcpy(text() + head_, from.text() + head_, text_end_ - head_);
    for (std::size_t i = 0; i < argc_; ++i) {
        const std::string_view view = from.views()[i];
        views()[i] = std::string_view(text() + (view.data() - from.text()), view.size());
    }
}

void Command::count_one_more() {
    // Of the line in front of the arguments only the last digit changes, nine times out of ten.
    char& last = text()[kHeadBytes - 3];
    if (argc_ > 1 && last < '9') {
        ++last;
    } else {
        write_count();
    }
}

void Command::write_count() {
    char digits[20];
    const char* end = std::to_chars(digits, digits + sizeof digits, argc_).ptr;
    const auto count = static_cast<std::size_t>(end - digits);
    head_ = kHeadBytes - count - 3;
    char* to = text() + head_;
    *to++ = '*';
    to = put(to, {digits, count});
    put(to, "\r\n");
}

}  // namespace ff::resp
