#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "resp/value.h"

namespace ff::resp {

enum class Protocol : std::uint8_t { Resp2 = 2, Resp3 = 3 };

/// The longest text `format_double` writes.
constexpr std::size_t kDoubleTextMax = 32;
/// Writes the shortest text that reads back as `number`, spelled as Valkey spells scores: "3",
/// "0.1", "1e+20", "inf", "nan". Returns its length; `to` has room for kDoubleTextMax bytes.
std::size_t format_double(double number, char* to);

/// Appends replies to a string it does not own. What RESP2 cannot say it says as Valkey does: a map
/// as a flat array, a set or push as an array, a double, big number or verbatim string as a bulk, a
/// boolean as 0 or 1.
class ReplyWriter {
  public:
    /// `out` outlives the writer.
    ReplyWriter(std::string& out, Protocol protocol) : out_(out), protocol_(protocol) {}

    Protocol protocol() const { return protocol_; }
    void set_protocol(Protocol protocol) { protocol_ = protocol; }

    void null();
    /// Differs from `null` in RESP2 only: `*-1`.
    void null_array();
    void boolean(bool truth);
    void integer(std::int64_t number);
    void real(double number);
    void bulk(std::string_view bytes);
    /// A line end inside becomes a blank, here and in `error`: it would end the reply early.
    void status(std::string_view text);
    void ok() { out_.append("+OK\r\n"); }
    /// The whole line without the `-`: "ERR what happened".
    void error(std::string_view text);
    void big_number(std::string_view digits);
    /// `format` is exactly three bytes.
    void verbatim(std::string_view format, std::string_view text);

    /// Heads only: the elements follow. `map` counts pairs.
    void array(std::size_t elements) { head('*', elements); }
    void map(std::size_t pairs);
    void set(std::size_t elements);
    void push(std::size_t elements);

    /// An error with line ends is sent whole in RESP3, as a bulk error; else as `error` does.
    void write_value(const Value& value);

  private:
    void head(char type, std::uint64_t number);
    void line(char type, std::string_view text);
    void framed(char type, std::string_view bytes);

    std::string& out_;
    Protocol protocol_;
};

}  // namespace ff::resp
