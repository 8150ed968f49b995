#include "resp/request_parser.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace ff::resp {
namespace {

constexpr std::size_t kReserveArgsMax = 1024;
constexpr int kDigitsMax = 18;

/// A decimal number and its line end, in the one spelling Valkey takes: no `+`, no leading zeros.
struct Length {
    enum class State : std::uint8_t { Ok, Short, Bad };
    State state = State::Bad;
    std::int64_t number = 0;
    const char* end = nullptr;
};

inline Length read_length(const char* at, const char* end) {
    using enum Length::State;
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    const char* first = at;
    std::int64_t number = 0;
    while (at != end && *at >= '0' && *at <= '9') {
        if (at - first == kDigitsMax) return {.state = Bad};
        number = number * 10 + (*at - '0');
        ++at;
    }
    if (at - first > 1 && *first == '0') return {.state = Bad};
    if (at == end) return {.state = Short};
    if (at == first || *at != '\r' || (negative && number == 0)) return {.state = Bad};
    if (at + 1 == end) return {.state = Short};
    if (at[1] != '\n') return {.state = Bad};
    return {.state = Ok, .number = negative ? -number : number, .end = at + 2};
}

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// What stands after a backslash in double quotes; anything unknown stands for itself.
char escaped(char c) {
    if (c == 'n') return '\n';
    if (c == 'r') return '\r';
    if (c == 't') return '\t';
    if (c == 'b') return '\b';
    if (c == 'a') return '\a';
    return c;
}

/// Appends the content of the quotes that `rest` begins with and moves `rest` behind them; false if
/// they are not closed.
bool read_quotes(std::string_view& rest, std::string& out) {
    const char quote = rest.front();
    std::size_t at = 1;
    for (; at < rest.size() && rest[at] != quote; ++at) {
        const std::string_view left = rest.substr(at);
        if (left[0] != '\\' || left.size() < 2) {
            out.push_back(left[0]);
        } else if (quote == '\'') {
            const bool closes = left[1] == '\'';
            out.push_back(closes ? '\'' : '\\');
            at += closes ? 1 : 0;
        } else if (left.size() >= 4 && left[1] == 'x' && hex_digit(left[2]) >= 0 &&
                   hex_digit(left[3]) >= 0) {
            out.push_back(static_cast<char>(hex_digit(left[2]) * 16 + hex_digit(left[3])));
            at += 3;
        } else {
            out.push_back(escaped(left[1]));
            at += 1;
        }
    }
    if (at >= rest.size()) return false;
    rest.remove_prefix(at + 1);
    return rest.empty() || is_blank(rest.front());
}

}  // namespace

RequestStatus RequestParser::parse(std::string_view buffer, std::size_t start) {
    FF_ASSERT(start <= buffer.size());
    const std::string_view request = buffer.substr(start);
    if (mode_ == Mode::Done) mode_ = Mode::Start;
    if (mode_ == Mode::Start) {
        argv_.clear();
        position_ = 0;
        if (request.empty()) return need_more(1);
        if (request.front() != '*') mode_ = Mode::Inline;
    }
    switch (mode_) {
        case Mode::Start: {
            const RequestStatus status = parse_count(request);
            return mode_ == Mode::Multibulk ? parse_args(request) : status;
        }
        case Mode::Multibulk:
            rebase(request.data());
            return parse_args(request);
        case Mode::Inline:
            return parse_inline(request);
        case Mode::Done:
        case Mode::Failed:
            break;
    }
    return RequestStatus::Error;
}

RequestStatus RequestParser::parse_count(std::string_view request) {
    const char* first = request.data();
    const Length count = read_length(first + 1, first + request.size());
    if (count.state == Length::State::Short) return need_more(1);
    if (count.state == Length::State::Bad ||
        count.number > static_cast<std::int64_t>(limits_.args_max)) {
        return fail("ERR Protocol error: invalid multibulk length");
    }
    position_ = static_cast<std::size_t>(count.end - first);
    if (count.number <= 0) return complete(position_);
    args_left_ = static_cast<std::size_t>(count.number);
    argv_.reserve(std::min(args_left_, kReserveArgsMax));
    origin_ = reinterpret_cast<std::uintptr_t>(first);
    mode_ = Mode::Multibulk;
    return RequestStatus::NeedMore;
}

RequestStatus RequestParser::parse_args(std::string_view request) {
    const char* const first = request.data();
    const char* const end = first + request.size();
    const char* at = first + position_;
    const auto most = static_cast<std::int64_t>(limits_.bulk_bytes_max);
    for (; args_left_ > 0; --args_left_) {
        position_ = static_cast<std::size_t>(at - first);
        if (at == end) return need_more(1);
        if (*at != '$') {
            const char got = *at == '\r' || *at == '\n' ? ' ' : *at;
            return fail(std::string("ERR Protocol error: expected '$', got '") + got + "'");
        }
        const Length length = read_length(at + 1, end);
        if (length.state == Length::State::Short) return need_more(1);
        if (length.state == Length::State::Bad || length.number < 0 || length.number > most) {
            return fail("ERR Protocol error: invalid bulk length");
        }
        const auto size = static_cast<std::size_t>(length.number);
        const auto held = static_cast<std::size_t>(end - length.end);
        if (held < size + 2) return need_more(size + 2 - held);
        at = length.end + size;
        if (at[0] != '\r' || at[1] != '\n') {
            return fail("ERR Protocol error: expected line end after bulk");
        }
        argv_.emplace_back(length.end, size);
        at += 2;
    }
    return complete(static_cast<std::size_t>(at - first));
}

RequestStatus RequestParser::parse_inline(std::string_view request) {
    // Until the line is complete, `position_` is how far it was searched.
    const std::string_view unseen = request.substr(position_);
    const std::size_t line_end = unseen.find('\n');
    const std::size_t size = line_end == std::string_view::npos ? request.size()  //
                                                                : position_ + line_end;
    if (size > limits_.inline_bytes_max) {
        return fail("ERR Protocol error: too big inline request");
    }
    position_ = size;
    if (line_end == std::string_view::npos) return need_more(1);
    if (!split_inline(request.substr(0, size))) {
        return fail("ERR Protocol error: unbalanced quotes in request");
    }
    if (argv_.size() > limits_.args_max) {
        return fail("ERR Protocol error: invalid multibulk length");
    }
    return complete(size + 1);
}

bool RequestParser::split_inline(std::string_view rest) {
    unquoted_.clear();
    // Unquoting never lengthens, so the views into `unquoted_` stay where they are.
    unquoted_.reserve(rest.size());
    while (true) {
        while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
        if (rest.empty()) return true;
        std::size_t plain = 0;
        const auto ends = [](char c) { return is_blank(c) || c == '"' || c == '\''; };
        while (plain < rest.size() && !ends(rest[plain])) ++plain;
        if (plain == rest.size() || is_blank(rest[plain])) {
            argv_.push_back(rest.substr(0, plain));
            rest.remove_prefix(plain);
            continue;
        }
        const std::size_t start = unquoted_.size();
        unquoted_.append(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (!read_quotes(rest, unquoted_)) return false;
        argv_.emplace_back(unquoted_.data() + start, unquoted_.size() - start);
    }
}

void RequestParser::rebase(const char* origin) {
    const auto moved_to = reinterpret_cast<std::uintptr_t>(origin);
    if (moved_to == origin_) return;
    for (std::string_view& view : argv_) {
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(view.data()) - origin_;
        view = std::string_view(origin + offset, view.size());
    }
    origin_ = moved_to;
}

RequestStatus RequestParser::complete(std::size_t consumed) {
    position_ = consumed;
    mode_ = Mode::Done;
    return RequestStatus::Complete;
}

RequestStatus RequestParser::need_more(std::size_t bytes) {
    need_ = bytes;
    return RequestStatus::NeedMore;
}

RequestStatus RequestParser::fail(std::string_view text) {
    mode_ = Mode::Failed;
    argv_.clear();
    error_ = text;
    return RequestStatus::Error;
}

void RequestParser::reset() {
    mode_ = Mode::Start;
    argv_.clear();
    position_ = 0;
    error_.clear();
}

}  // namespace ff::resp
