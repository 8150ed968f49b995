#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ff::keyspace {

/// Where the answer of a command goes: a Lua stack, a RESP buffer, a tree of values. A command
/// sends exactly one value; after a header of `n` elements that many values follow (twice as many
/// for a map). Views are valid during the call only.
class ReplySink {
  public:
    virtual ~ReplySink() = default;

    /// Decides the shape of answers, as the protocol version does in Valkey: maps, sets, doubles
    /// and nested score pairs are sent only if true.
    virtual bool resp3() const = 0;

    virtual void null() = 0;
    virtual void null_array() = 0;
    virtual void integer(std::int64_t value) = 0;
    /// Called only if resp3(); otherwise a double is sent as bulk text.
    virtual void real(double value) = 0;
    virtual void bulk(std::string_view bytes) = 0;
    /// As `bulk`, for a name that recurs under this number as long as the keyspace lives.
    virtual void name(std::string_view bytes, std::uint16_t number) {
        static_cast<void>(number);
        bulk(bytes);
    }
    virtual void status(std::string_view text) = 0;
    /// The whole text including its prefix, for example "ERR syntax error".
    virtual void error(std::string_view text) = 0;
    virtual void array(std::size_t n) = 0;
    virtual void map(std::size_t n_pairs) = 0;
    virtual void set(std::size_t n) = 0;
};

}  // namespace ff::keyspace
