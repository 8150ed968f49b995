#pragma once

#include <string_view>
#include <vector>

#include "keyspace/reply_sink.h"
#include "support/resp_connection.h"

namespace ff::testing {

/// Collects an answer of the keyspace in the form in which one of Valkey comes over the wire.
class ReplyTree final : public keyspace::ReplySink {
  public:
    explicit ReplyTree(bool resp3) : resp3_(resp3) {}

    bool resp3() const override { return resp3_; }
    void null() override { put({.kind = RespValue::Kind::Null}); }
    void null_array() override { put({.kind = RespValue::Kind::Null}); }
    void integer(std::int64_t value) override {
        put({.kind = RespValue::Kind::Integer, .integer = value});
    }
    void real(double value) override;
    void bulk(std::string_view bytes) override {
        put({.kind = RespValue::Kind::Bulk, .text = std::string(bytes)});
    }
    void status(std::string_view text) override {
        put({.kind = RespValue::Kind::Simple, .text = std::string(text)});
    }
    void error(std::string_view text) override {
        put({.kind = RespValue::Kind::Error, .text = std::string(text)});
    }
    void array(std::size_t n) override { open(RespValue::Kind::Array, n); }
    void map(std::size_t n_pairs) override { open(RespValue::Kind::Map, n_pairs * 2); }
    void set(std::size_t n) override { open(RespValue::Kind::Set, n); }

    /// Throws unless exactly one value has been sent.
    RespValue take();

  private:
    struct Open {
        RespValue value;
        std::size_t left;
    };
    void put(RespValue value);
    void open(RespValue::Kind kind, std::size_t n);

    bool resp3_;
    std::vector<Open> open_;
    std::vector<RespValue> whole_;
};

/// The same answer with everything in order that Valkey leaves in no particular order: members of
/// sets, fields of hashes.
RespValue in_order(const std::vector<std::string>& command, RespValue reply);

}  // namespace ff::testing
