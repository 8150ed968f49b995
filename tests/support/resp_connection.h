#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "support/wait.h"

namespace ff::testing {

/// A reply as it came over the wire.
struct RespValue {
    enum class Kind : std::uint8_t {
        Simple,
        Error,
        Integer,
        Bulk,
        Null,
        Array,
        Map,  // items: key, value, key, value
        Set,
        Push,
        Double,
        Bool,
        BigNumber,
        Verbatim,  // text keeps its `txt:` prefix
    };

    Kind kind = Kind::Null;
    /// The bytes of a text, the text of an error, the digits of a double or big number.
    std::string text{};
    /// Of Integer and Bool.
    std::int64_t integer = 0;
    std::vector<RespValue> items{};

    bool is_error() const { return kind == Kind::Error; }
    bool is_null() const { return kind == Kind::Null; }
    bool operator==(const RespValue&) const = default;
};

/// One line that tells every kind apart: OK "bulk" 7 nil [..] map{..} set(..) push(..) (error) ..
std::string to_string(const RespValue& value);

/// A small blocking RESP2/3 client. It shares nothing with the product's own codec, on purpose, so
/// that tests compare the product with an independent reader.
class RespConnection {
  public:
    static Result<RespConnection> try_connect(std::uint16_t port);
    static Result<RespConnection> try_connect_unix(const std::string& path);
    /// These throw instead, for tests in which only success is of interest.
    static RespConnection connect(std::uint16_t port);
    static RespConnection connect_unix(const std::string& path);

    RespConnection(RespConnection&& other) noexcept;
    RespConnection& operator=(RespConnection&& other) noexcept;
    ~RespConnection();

    /// Sends and reads the one reply. Push messages on the way are kept for `pushes`. An error
    /// reply is a value; a broken or silent connection is the Error, and ends the connection.
    Result<RespValue> try_command(const std::vector<std::string>& args);
    RespValue command(const std::vector<std::string>& args);
    template <class... Args>
    RespValue operator()(Args&&... args) {
        return command({std::string(std::forward<Args>(args))...});
    }

    /// Pipelining: all commands in one write, then as many replies.
    std::vector<RespValue> commands(const std::vector<std::vector<std::string>>& list);

    /// The halves, for tests that look at what happens in between.
    Result<Done> send(const std::vector<std::string>& args) { return send_raw(encode(args)); }
    Result<Done> send_raw(std::string_view bytes);
    /// The next value of any kind, push messages included.
    Result<RespValue> read();

    std::deque<RespValue>& pushes() { return pushes_; }
    /// How long one read may wait for bytes; kPatience unless said otherwise.
    void set_timeout(Millis timeout) const;

    static std::string encode(const std::vector<std::string>& args);

  private:
    explicit RespConnection(int fd);
    void close();
    Result<Done> fill();
    Result<std::string> read_line();
    Result<std::string> read_exactly(std::size_t count);
    Result<RespValue> read_value(int depth);
    Result<RespValue> read_blob(RespValue::Kind kind, std::string_view length);
    Result<RespValue> read_items(RespValue::Kind kind, std::string_view count, int depth);

    int fd_ = -1;
    std::string buffer_{};
    std::size_t position_ = 0;
    std::deque<RespValue> pushes_{};
};

}  // namespace ff::testing
