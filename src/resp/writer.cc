#include "resp/writer.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/assert.h"

namespace ff::resp {
namespace {

/// Bulks up to this size are put together on the stack and appended at once.
constexpr std::size_t kSmallBulk = 96;
constexpr std::size_t kHeadMax = 24;

char* put(char* to, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return to + bytes.size();
}

template <class Number>
char* put_head(char* to, char type, Number number) {
    *to++ = type;
    to = std::to_chars(to, to + 20, number).ptr;
    return put(to, "\r\n");
}

/// The significant digits of a number and the power of ten of the last of them.
struct Decimal {
    char digits[20];
    int count = 0;
    int exponent = 0;
};

Decimal shortest_decimal(double magnitude) {
    char text[kDoubleTextMax];
    const char* end =
        std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
    Decimal decimal{};
    const char* at = text;
    for (; at != end && *at != 'e'; ++at) {
        if (*at != '.') decimal.digits[decimal.count++] = *at;
    }
    ++at;
    if (at != end && *at == '+') ++at;
    std::from_chars(at, end, decimal.exponent);
    decimal.exponent -= decimal.count - 1;
    return decimal;
}

/// Plain notation while it needs few zeros, else scientific without padding of the exponent.
char* put_decimal(char* to, const Decimal& decimal) {
    const std::string_view digits(decimal.digits, static_cast<std::size_t>(decimal.count));
    const int leading = decimal.exponent + decimal.count - 1;
    if (decimal.exponent >= 0 && leading < decimal.count + 7) {
        to = put(to, digits);
        return put(to, std::string_view("0000000").substr(0, std::size_t(decimal.exponent)));
    }
    if (decimal.exponent < 0 && (decimal.exponent > -7 || std::abs(leading) < 4)) {
        const int whole = decimal.count + decimal.exponent;
        if (whole > 0) {
            to = put(to, digits.substr(0, std::size_t(whole)));
            *to++ = '.';
            return put(to, digits.substr(std::size_t(whole)));
        }
        to = put(to, "0.");
        to = put(to, std::string_view("0000000").substr(0, std::size_t(-whole)));
        return put(to, digits);
    }
    *to++ = digits.front();
    if (decimal.count > 1) {
        *to++ = '.';
        to = put(to, digits.substr(1));
    }
    *to++ = 'e';
    *to++ = leading < 0 ? '-' : '+';
    return std::to_chars(to, to + 4, std::abs(leading)).ptr;
}

bool has_line_end(std::string_view text) {
    return text.find_first_of("\r\n") != std::string_view::npos;
}

}  // namespace

std::size_t format_double(double number, char* to) {
    // As Valkey 8 does: up to here an integral number is printed digit by digit, exactly.
    constexpr double kPlainIntegerMax = 4611686018427387904.0;  // 2^62
    char* at = to;
    if (std::isnan(number)) return std::size_t(put(at, "nan") - to);
    if (std::signbit(number)) *at++ = '-';
    const double magnitude = std::fabs(number);
    if (std::isinf(magnitude)) {
        at = put(at, "inf");
    } else if (magnitude <= kPlainIntegerMax && std::trunc(magnitude) == magnitude) {
        at = std::to_chars(at, at + 20, static_cast<std::int64_t>(magnitude)).ptr;
    } else {
        at = put_decimal(at, shortest_decimal(magnitude));
    }
    return std::size_t(at - to);
}

void ReplyWriter::null() {
    out_.append(protocol_ == Protocol::Resp3 ? "_\r\n" : "$-1\r\n");
}

void ReplyWriter::null_array() {
    out_.append(protocol_ == Protocol::Resp3 ? "_\r\n" : "*-1\r\n");
}

void ReplyWriter::boolean(bool truth) {
    if (protocol_ == Protocol::Resp3) {
        out_.append(truth ? "#t\r\n" : "#f\r\n");
    } else {
        out_.append(truth ? ":1\r\n" : ":0\r\n");
    }
}

void ReplyWriter::integer(std::int64_t number) {
    char head[kHeadMax];
    out_.append(head, std::size_t(put_head(head, ':', number) - head));
}

void ReplyWriter::real(double number) {
    char digits[kDoubleTextMax];
    const std::string_view text(digits, format_double(number, digits));
    if (protocol_ == Protocol::Resp3) {
        line(',', text);
    } else {
        bulk(text);
    }
}

void ReplyWriter::bulk(std::string_view bytes) {
    framed('$', bytes);
}

void ReplyWriter::status(std::string_view text) {
    line('+', text);
}

void ReplyWriter::error(std::string_view text) {
    line('-', text);
}

void ReplyWriter::big_number(std::string_view digits) {
    if (protocol_ == Protocol::Resp3) {
        line('(', digits);
    } else {
        bulk(digits);
    }
}

void ReplyWriter::verbatim(std::string_view format, std::string_view text) {
    FF_ASSERT(format.size() == 3);
    if (protocol_ == Protocol::Resp2) return bulk(text);
    head('=', format.size() + 1 + text.size());
    out_.append(format).append(":").append(text).append("\r\n");
}

void ReplyWriter::map(std::size_t pairs) {
    if (protocol_ == Protocol::Resp3) {
        head('%', pairs);
    } else {
        head('*', pairs * 2);
    }
}

void ReplyWriter::set(std::size_t elements) {
    head(protocol_ == Protocol::Resp3 ? '~' : '*', elements);
}

void ReplyWriter::push(std::size_t elements) {
    head(protocol_ == Protocol::Resp3 ? '>' : '*', elements);
}

void ReplyWriter::write_value(const Value& value) {
    const std::string_view text = value.text().value_or("");
    const std::span<const Value> items = value.items();
    switch (value.type()) {
        case Type::Null:
            return null();
        case Type::Boolean:
            return boolean(*value.as_boolean());
        case Type::Integer:
            return integer(*value.as_integer());
        case Type::Double:
            return real(*value.as_double());
        case Type::SimpleString:
            return status(text);
        case Type::BulkString:
            return bulk(text);
        case Type::Error:
            if (protocol_ == Protocol::Resp3 && has_line_end(value.error_text())) {
                return framed('!', value.error_text());
            }
            return error(value.error_text());
        case Type::VerbatimString:
            return verbatim(value.verbatim_format(), text);
        case Type::BigNumber:
            return big_number(text);
        case Type::Array:
            array(items.size());
            break;
        case Type::Map:
            map(items.size() / 2);
            break;
        case Type::Set:
            set(items.size());
            break;
        case Type::Push:
            push(items.size());
            break;
    }
    for (const Value& item : items) write_value(item);
}

void ReplyWriter::head(char type, std::uint64_t number) {
    char text[kHeadMax];
    out_.append(text, std::size_t(put_head(text, type, number) - text));
}

void ReplyWriter::line(char type, std::string_view text) {
    out_.push_back(type);
    const std::size_t start = out_.size();
    out_.append(text);
    if (has_line_end(text)) {
        for (std::size_t i = start; i < out_.size(); ++i) {
            if (out_[i] == '\r' || out_[i] == '\n') out_[i] = ' ';
        }
    }
    out_.append("\r\n", 2);
}

void ReplyWriter::framed(char type, std::string_view bytes) {
    char small[kHeadMax + kSmallBulk + 2];
    char* at = put_head(small, type, bytes.size());
    if (bytes.size() <= kSmallBulk) {
        at = put(put(at, bytes), "\r\n");
        out_.append(small, std::size_t(at - small));
        return;
    }
    out_.append(small, std::size_t(at - small)).append(bytes).append("\r\n", 2);
}

}  // namespace ff::resp
