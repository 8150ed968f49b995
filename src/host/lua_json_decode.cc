#include "host/lua_json_decode.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <lua.hpp>

namespace ff::host {
namespace {

constexpr int kDepthMax = 1000;

enum class Token : std::uint8_t {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    String,
    Number,
    True,
    False,
    Null,
    Colon,
    Comma,
    End,
    Invalid,
};

std::string_view name_of(Token token) {
    switch (token) {
        case Token::ObjectBegin:
            return "T_OBJ_BEGIN";
        case Token::ObjectEnd:
            return "T_OBJ_END";
        case Token::ArrayBegin:
            return "T_ARR_BEGIN";
        case Token::ArrayEnd:
            return "T_ARR_END";
        case Token::String:
            return "T_STRING";
        case Token::Number:
            return "T_NUMBER";
        case Token::True:
        case Token::False:
            return "T_BOOLEAN";
        case Token::Null:
            return "T_NULL";
        case Token::Colon:
            return "T_COLON";
        case Token::Comma:
            return "T_COMMA";
        case Token::End:
            return "T_END";
        case Token::Invalid:
            return "invalid token";
    }
    return "";
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xc0 | (point >> 6));
        add(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        add(0xe0 | (point >> 12));
        add(0x80 | ((point >> 6) & 0x3f));
        add(0x80 | (point & 0x3f));
    } else {
        add(0xf0 | (point >> 18));
        add(0x80 | ((point >> 12) & 0x3f));
        add(0x80 | ((point >> 6) & 0x3f));
        add(0x80 | (point & 0x3f));
    }
}

class Decoder {
  public:
    Decoder(lua_State* lua, std::string_view text) : lua_(lua), text_(text) {}

    bool document() {
        next();
        if (!value(0)) return false;
        next();
        return token_ == Token::End || expected("the end");
    }
    const std::string& refusal() const { return refusal_; }

  private:
    bool value(int depth);
    bool object(int depth);
    bool array(int depth);

    void next();
    void word(std::string_view spelled, Token token);
    void number_token();
    void string_token();
    bool escape();
    bool unicode_escape();
    bool four_digits(std::size_t at, std::uint32_t& unit) const;

    bool expected(std::string_view what) {
        refusal_ = "Expected " + std::string(what) + " but found ";
        refusal_ += token_ == Token::Invalid && !complaint_.empty() ? complaint_ : name_of(token_);
        refusal_ += " at character " + std::to_string(start_ + 1);
        return false;
    }
    void invalid(std::string_view why, std::size_t at) {
        token_ = Token::Invalid;
        complaint_ = why;
        start_ = at;
    }

    lua_State* lua_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t start_ = 0;
    Token token_ = Token::End;
    double number_ = 0;
    std::string string_{};
    std::string_view complaint_{};
    std::string refusal_{};
};

bool Decoder::value(int depth) {
    switch (token_) {
        case Token::String:
            lua_pushlstring(lua_, string_.data(), string_.size());
            return true;
        case Token::Number:
            lua_pushnumber(lua_, number_);
            return true;
        case Token::True:
        case Token::False:
            lua_pushboolean(lua_, token_ == Token::True ? 1 : 0);
            return true;
        case Token::Null:
            lua_pushlightuserdata(lua_, nullptr);
            return true;
        case Token::ObjectBegin:
            return object(depth + 1);
        case Token::ArrayBegin:
            return array(depth + 1);
        case Token::ObjectEnd:
        case Token::ArrayEnd:
        case Token::Colon:
        case Token::Comma:
        case Token::End:
        case Token::Invalid:
            break;
    }
    return expected("value");
}

bool Decoder::object(int depth) {
    if (depth > kDepthMax || lua_checkstack(lua_, 4) == 0) {
        refusal_ = "Found too many nested data structures (" + std::to_string(depth) + ")";
        return false;
    }
    lua_newtable(lua_);
    next();
    if (token_ == Token::ObjectEnd) return true;
    for (;;) {
        if (token_ != Token::String) return expected("object key string");
        lua_pushlstring(lua_, string_.data(), string_.size());
        next();
        if (token_ != Token::Colon) return expected("colon");
        next();
        if (!value(depth)) return false;
        lua_rawset(lua_, -3);
        next();
        if (token_ == Token::ObjectEnd) return true;
        if (token_ != Token::Comma) return expected("comma or object end");
        next();
    }
}

bool Decoder::array(int depth) {
    if (depth > kDepthMax || lua_checkstack(lua_, 4) == 0) {
        refusal_ = "Found too many nested data structures (" + std::to_string(depth) + ")";
        return false;
    }
    lua_newtable(lua_);
    next();
    if (token_ == Token::ArrayEnd) return true;
    for (int index = 1;; ++index) {
        if (!value(depth)) return false;
        lua_rawseti(lua_, -2, index);
        next();
        if (token_ == Token::ArrayEnd) return true;
        if (token_ != Token::Comma) return expected("comma or array end");
        next();
    }
}

void Decoder::next() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
    start_ = at_;
    complaint_ = {};
    if (at_ >= text_.size()) {
        token_ = Token::End;
        return;
    }
    static constexpr std::string_view kMarks = "{}[]:,";
    static constexpr Token kMarkTokens[] = {Token::ObjectBegin, Token::ObjectEnd, Token::ArrayBegin,
                                            Token::ArrayEnd,    Token::Colon,     Token::Comma};
    const char c = text_[at_];
    if (const std::size_t mark = kMarks.find(c); mark != std::string_view::npos) {
        token_ = kMarkTokens[mark];
        ++at_;
    } else if (c == '"') {
        string_token();
    } else if (c == '-' || is_digit(c)) {
        number_token();
    } else if (c == 't') {
        word("true", Token::True);
    } else if (c == 'f') {
        word("false", Token::False);
    } else if (c == 'n') {
        word("null", Token::Null);
    } else {
        // Infinity and NaN in any case are numbers, as in Valkey.
        number_token();
    }
}

void Decoder::word(std::string_view spelled, Token token) {
    if (text_.substr(at_).starts_with(spelled)) {
        token_ = token;
        at_ += spelled.size();
    } else if (spelled == "null") {
        number_token();
    } else {
        invalid("invalid token", at_);
    }
}

void Decoder::number_token() {
    // Lua strings end with a NUL, so the C library stops at the end of the text. Valkey takes what
    // the C library takes: signs, leading zeros, hexadecimal digits, infinity.
    const char* begin = text_.data() + at_;
    const bool sign = *begin == '-' || *begin == '+';
    const char lower = static_cast<char>(*begin | 0x20);
    if (!sign && !is_digit(*begin) && lower != 'i' && lower != 'n') {
        invalid("invalid token", at_);
        return;
    }
    char* end = nullptr;
    number_ = std::strtod(begin, &end);
    if (end == begin) {
        invalid(sign || is_digit(*begin) ? "invalid number" : "invalid token", at_);
        return;
    }
    token_ = Token::Number;
    at_ += static_cast<std::size_t>(end - begin);
}

void Decoder::string_token() {
    string_.clear();
    ++at_;
    for (;;) {
        if (at_ >= text_.size()) {
            invalid("unexpected end of string", at_);
            return;
        }
        const char c = text_[at_];
        if (c == '"') break;
        if (c == '\\') {
            if (!escape()) return;
            continue;
        }
        string_.push_back(c);
        ++at_;
    }
    ++at_;
    token_ = Token::String;
}

bool Decoder::escape() {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == 'u') return unicode_escape();
    const std::size_t place = kLetters.find(c);
    if (c == '\0' || place == std::string_view::npos) {
        invalid("invalid escape code", at_);
        return false;
    }
    string_.push_back(kMeant[place]);
    at_ += 2;
    return true;
}

bool Decoder::four_digits(std::size_t at, std::uint32_t& unit) const {
    unit = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        const int digit = i < text_.size() ? hex_digit(text_[i]) : -1;
        if (digit < 0) return false;
        unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
}

bool Decoder::unicode_escape() {
    std::uint32_t point = 0;
    std::size_t length = 6;
    bool fine = four_digits(at_ + 2, point) && (point & 0xfc00U) != 0xdc00U;
    if (fine && (point & 0xfc00U) == 0xd800U) {
        std::uint32_t low = 0;
        fine = text_.substr(at_ + 6).starts_with("\\u") && four_digits(at_ + 8, low) &&
               (low & 0xfc00U) == 0xdc00U;
        point = 0x10000 + ((point & 0x3ffU) << 10) + (low & 0x3ffU);
        length = 12;
    }
    if (!fine) {
        invalid("invalid unicode escape code", at_);
        return false;
    }
    append_utf8(string_, point);
    at_ += length;
    return true;
}

}  // namespace

bool push_decoded_json(lua_State* lua, std::string_view text) {
    const int base = lua_gettop(lua);
    Decoder decoder(lua, text);
    if (decoder.document()) return true;
    lua_settop(lua, base);
    lua_pushlstring(lua, decoder.refusal().data(), decoder.refusal().size());
    return false;
}

}  // namespace ff::host
