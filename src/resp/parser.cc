// The wire, one line per form; every line ends in CR LF.
//
//   +text  -error  :integer  ,double  #t|#f  _  (digits         one line each
//   $len bytes  !len bytes  =len fmt:bytes                       a line, the bytes, a line end
//   *n  ~n  >n  n values     %n  |n  n keys and values           `|` describes the value after it
//   $-1  *-1                                                     the nulls of RESP2
//   $?  then ;len bytes ... ;0                                   a string of unknown length
//   *? ~? >? %? |?  then values and a line with `.`              an aggregate of unknown length

#include "resp/parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/numbers.h"

namespace ff::resp {
namespace {

constexpr std::size_t kBufferLeast = std::size_t{16} << 10;
/// Memory taken on the word of a length or a count, before the bytes are there. Untouched pages of
/// a large string cost nothing; elements are initialised only as they come.
constexpr std::size_t kReserveBytesMax = std::size_t{16} << 20;
constexpr std::size_t kReserveItemsMax = 1024;

std::optional<std::int64_t> parse_signed(std::string_view line) {
    if (line.size() > 1 && line[0] == '+' && line[1] != '-') line.remove_prefix(1);
    return parse_i64(line);
}

std::optional<double> parse_double(std::string_view line) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (line == "inf" || line == "+inf") return kInfinity;
    if (line == "-inf") return -kInfinity;
    if (line == "nan" || line == "-nan") return std::numeric_limits<double>::quiet_NaN();
    if (line.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
    if (line.size() > 1 && line[0] == '+' && line[1] != '-') line.remove_prefix(1);
    double number = 0;
    const char* end = line.data() + line.size();
    const auto [stopped, failure] = std::from_chars(line.data(), end, number);
    if (failure != std::errc{} || stopped != end) return std::nullopt;
    return number;
}

bool is_big_number(std::string_view line) {
    if (!line.empty() && (line[0] == '-' || line[0] == '+')) line.remove_prefix(1);
    return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

Type aggregate_type(char type) {
    if (type == '%' || type == '|') return Type::Map;
    if (type == '~') return Type::Set;
    if (type == '>') return Type::Push;
    return Type::Array;
}

Type text_type(char type) {
    if (type == '!') return Type::Error;
    if (type == '=') return Type::VerbatimString;
    return Type::BulkString;
}

}  // namespace

void Parser::feed(std::string_view bytes) {
    if (mode_ == Mode::Failed) return;
    if (mode_ == Mode::Bulk && begin_ == end_) {
        const std::string_view direct = bytes.substr(0, text_left_);
        append_text(direct);
        offset_ += direct.size();
        bytes.remove_prefix(direct.size());
    }
    if (bytes.empty()) return;
    const std::span<char> room = prepare(bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    bytes_copied_ += bytes.size();
    commit(bytes.size());
}

std::span<char> Parser::prepare(std::size_t least) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (capacity_ - end_ < least) {
        const std::size_t held = end_ - begin_;
        // Moving down is paid for by the bytes used since the last time; otherwise the buffer
        // doubles. Either way a byte moves a constant number of times on average.
        if (begin_ >= held && capacity_ - held >= least) {
            std::memmove(buffer_.get(), buffer_.get() + begin_, held);
        } else {
            capacity_ = std::max({kBufferLeast, held + least, capacity_ * 2});
            auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
            if (held > 0) std::memcpy(larger.get(), buffer_.get() + begin_, held);
            buffer_ = std::move(larger);
        }
        bytes_copied_ += held;
        begin_ = 0;
        end_ = held;
    }
    return {buffer_.get() + end_, capacity_ - end_};
}

void Parser::commit(std::size_t bytes) {
    FF_ASSERT(bytes <= capacity_ - end_);
    end_ += bytes;
}

Result<std::optional<Value>> Parser::next() {
    Step step = Step::Again;
    while (step == Step::Again) {
        switch (mode_) {
            case Mode::Line:
                step = read_line();
                break;
            case Mode::Bulk:
                step = read_bulk();
                break;
            case Mode::BulkEnd:
                step = read_bulk_end();
                break;
            case Mode::Failed:
                step = Step::Failed;
                break;
        }
    }
    if (step == Step::Failed) return failure_;
    if (step == Step::NeedMore) return std::optional<Value>();
    return std::optional<Value>(std::exchange(ready_, Value()));
}

void Parser::reset() {
    begin_ = end_ = scanned_ = 0;
    mode_ = Mode::Line;
    text_streamed_ = value_open_ = false;
    text_left_ = 0;
    text_ = {};
    stack_.clear();
    offset_ = value_start_ = line_start_ = 0;
    failure_ = {};
}

bool Parser::idle() const {
    return !value_open_ && begin_ == end_ && mode_ == Mode::Line;
}

void Parser::consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
}

void Parser::append_text(std::string_view bytes) {
    const std::size_t room = text_.capacity();
    const std::size_t held = text_.size();
    text_.append(bytes);
    bytes_copied_ += bytes.size() + (text_.capacity() == room ? 0 : held);
    text_left_ -= bytes.size();
    if (text_left_ == 0) mode_ = Mode::BulkEnd;
}

bool Parser::within_value(std::size_t bytes) const {
    const std::uint64_t used = offset_ - value_start_;
    return used <= limits_.value_bytes_max && bytes <= limits_.value_bytes_max - used;
}

bool Parser::may_begin_line(char type) const {
    if (text_streamed_) return type == ';';
    if (type == '.') return !stack_.empty() && stack_.back().streamed;
    return std::string_view("$:*+-%_,#~>!=(|").find(type) != std::string_view::npos;
}

Parser::Step Parser::read_line() {
    const std::string_view bytes = unread();
    if (bytes.empty()) return Step::NeedMore;
    line_start_ = offset_;
    if (!value_open_) {
        value_open_ = true;
        value_start_ = offset_;
    }
    if (!may_begin_line(bytes.front())) return fail_byte(offset_, bytes.front());

    std::size_t at = std::max<std::size_t>(scanned_, 1);
    for (; at < bytes.size() && bytes[at] != '\r'; ++at) {
        if (bytes[at] == '\n') return fail_byte(offset_ + at, '\n');
        if (at > limits_.line_bytes_max) {
            return fail_limit("line_bytes_max", limits_.line_bytes_max);
        }
    }
    scanned_ = at;
    if (bytes.size() - at < 2) return Step::NeedMore;
    if (bytes[at + 1] != '\n') return fail_byte(offset_ + at + 1, bytes[at + 1]);

    scanned_ = 0;
    consume(at + 2);
    if (!within_value(0)) return fail_limit("value_bytes_max", limits_.value_bytes_max);
    return on_line(bytes.front(), bytes.substr(1, at - 1));
}

Parser::Step Parser::on_line(char type, std::string_view line) {
    switch (type) {
        case '$':
        case '!':
        case '=':
            return on_bulk_line(type, line);
        case '*':
        case '%':
        case '~':
        case '>':
        case '|':
            return on_aggregate_line(type, line);
        case ';':
            return on_chunk_line(line);
        case '.':
            return on_stream_end(line);
        default:
            return on_scalar_line(type, line);
    }
}

Parser::Step Parser::on_scalar_line(char type, std::string_view line) {
    if (type == ':') {
        const std::optional<std::int64_t> number = parse_signed(line);
        return number.has_value() ? deliver(Value::integer(*number))
                                  : fail_number("bad_integer", line);
    }
    if (type == ',') {
        const std::optional<double> number = parse_double(line);
        return number.has_value() ? deliver(Value::real(*number))
                                  : fail("bad_double", line_start_ + 1, "is no double");
    }
    if (type == '#') {
        if (line == "t" || line == "f") return deliver(Value::boolean(line == "t"));
        return fail("bad_boolean", line_start_ + 1, "is neither t nor f");
    }
    if (type == '_') {
        return line.empty() ? deliver(Value()) : fail_byte(line_start_ + 1, line.front());
    }
    if (type == '(' && !is_big_number(line)) return fail_number("bad_big_number", line);
    bytes_copied_ += line.size();
    std::string text(line);
    if (type == '(') return deliver(Value::big_number(std::move(text)));
    return deliver(type == '-' ? Value::error(std::move(text)) : Value::simple(std::move(text)));
}

Parser::Step Parser::on_bulk_line(char type, std::string_view line) {
    if (type == '$' && line == "-1") return deliver(Value());
    text_type_ = text_type(type);
    text_.clear();
    if (type == '$' && line == "?") {
        text_streamed_ = true;
        return Step::Again;
    }
    const std::optional<std::uint64_t> length = parse_u64(line);
    if (!length.has_value()) return fail_number("bad_length", line);
    const Step opened = open_bulk(*length);
    if (opened == Step::Again) text_.reserve(std::min<std::size_t>(*length, kReserveBytesMax));
    return opened;
}

Parser::Step Parser::on_chunk_line(std::string_view line) {
    const std::optional<std::uint64_t> length = parse_u64(line);
    if (!length.has_value()) return fail_number("bad_length", line);
    if (*length == 0) return finish_text();
    return open_bulk(*length);
}

Parser::Step Parser::open_bulk(std::size_t length) {
    if (length > limits_.bulk_bytes_max || text_.size() > limits_.bulk_bytes_max - length) {
        return fail_limit("bulk_bytes_max", limits_.bulk_bytes_max);
    }
    if (!within_value(length)) return fail_limit("value_bytes_max", limits_.value_bytes_max);
    text_left_ = length;
    mode_ = length == 0 ? Mode::BulkEnd : Mode::Bulk;
    return Step::Again;
}

Parser::Step Parser::read_bulk() {
    const std::string_view bytes = unread().substr(0, text_left_);
    if (bytes.empty()) return Step::NeedMore;
    append_text(bytes);
    consume(bytes.size());
    return Step::Again;
}

Parser::Step Parser::read_bulk_end() {
    const std::string_view bytes = unread();
    if (!bytes.empty() && bytes[0] != '\r') return fail_byte(offset_, bytes[0]);
    if (bytes.size() < 2) return Step::NeedMore;
    if (bytes[1] != '\n') return fail_byte(offset_ + 1, bytes[1]);
    consume(2);
    mode_ = Mode::Line;
    return text_streamed_ ? Step::Again : finish_text();
}

Parser::Step Parser::finish_text() {
    text_streamed_ = false;
    if (text_type_ == Type::VerbatimString && (text_.size() < 4 || text_[3] != ':')) {
        return fail("bad_verbatim", line_start_, "has no three-byte format and colon");
    }
    return deliver(Value::of_text(text_type_, std::exchange(text_, {})));
}

Parser::Step Parser::on_aggregate_line(char type, std::string_view line) {
    if (type == '*' && line == "-1") return deliver(Value());
    Frame frame{.type = aggregate_type(type), .attribute = type == '|', .streamed = line == "?"};
    if (stack_.size() >= limits_.depth_max) return fail_limit("depth_max", limits_.depth_max);
    if (!frame.streamed) {
        const std::optional<std::uint64_t> length = parse_u64(line);
        if (!length.has_value()) return fail_number("bad_length", line);
        const std::size_t each = frame.type == Type::Map ? 2 : 1;
        if (*length > limits_.elements_max / each) {
            return fail_limit("elements_max", limits_.elements_max);
        }
        frame.count = *length * each;
    }
    const bool empty = !frame.streamed && frame.count == 0;
    if (!frame.attribute) frame.items.reserve(std::min(frame.count, kReserveItemsMax));
    stack_.push_back(std::move(frame));
    return empty ? close_frame() : Step::Again;
}

Parser::Step Parser::on_stream_end(std::string_view line) {
    if (!line.empty()) return fail_byte(line_start_ + 1, line.front());
    const Frame& frame = stack_.back();
    if (frame.type == Type::Map && frame.count % 2 != 0) {
        return fail("odd_map", line_start_, "ends a map after a key without its value");
    }
    return close_frame();
}

Parser::Step Parser::close_frame() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.attribute) return Step::Again;
    return deliver(Value::of_items(frame.type, std::move(frame.items)));
}

Parser::Step Parser::deliver(Value value) {
    while (!stack_.empty()) {
        Frame& frame = stack_.back();
        if (!frame.attribute) frame.items.push_back(std::move(value));
        if (frame.streamed) {
            ++frame.count;
            return frame.count > limits_.elements_max
                       ? fail_limit("elements_max", limits_.elements_max)
                       : Step::Again;
        }
        --frame.count;
        if (frame.count > 0) return Step::Again;
        if (frame.attribute) {
            stack_.pop_back();
            return Step::Again;
        }
        value = Value::of_items(frame.type, std::move(frame.items));
        stack_.pop_back();
    }
    ready_ = std::move(value);
    value_open_ = false;
    return Step::Ready;
}

Parser::Step Parser::fail(std::string_view what, std::uint64_t at, std::string message) {
    mode_ = Mode::Failed;
    stack_.clear();
    text_ = {};
    const std::string place = std::to_string(at);
    failure_ = Error{.code = "parse_error",
                     .detail = {std::string(what), place},
                     .message = "RESP at offset " + place + ": " + std::move(message)};
    return Step::Failed;
}

Parser::Step Parser::fail_limit(std::string_view limit, std::size_t most) {
    return fail(limit, line_start_,
                "exceeds " + std::string(limit) + " of " + std::to_string(most));
}

Parser::Step Parser::fail_byte(std::uint64_t at, char byte) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(byte);
    return fail("unexpected_byte", at,
                std::string("unexpected byte 0x") + kHex[code >> 4] + kHex[code & 15]);
}

Parser::Step Parser::fail_number(std::string_view what, std::string_view line) {
    const std::size_t sign = !line.empty() && (line[0] == '-' || line[0] == '+') ? 1 : 0;
    const std::size_t bad = line.find_first_not_of("0123456789", sign);
    if (bad != std::string_view::npos) return fail_byte(line_start_ + 1 + bad, line[bad]);
    return fail(what, line_start_ + 1, "is empty, negative or out of range");
}

}  // namespace ff::resp
