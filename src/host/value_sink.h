#pragma once

#include <vector>

#include "keyspace/reply_sink.h"
#include "resp/value.h"

namespace ff::host {

/// Builds the answer of one command as a value in the shapes of RESP3.
class ValueSink final : public keyspace::ReplySink {
  public:
    /// The complete value, once.
    resp::Value take() { return std::move(value_); }

    bool resp3() const override { return true; }
    void null() override { deliver(resp::Value()); }
    void null_array() override { deliver(resp::Value()); }
    void integer(std::int64_t value) override { deliver(resp::Value::integer(value)); }
    void real(double value) override { deliver(resp::Value::real(value)); }
    void bulk(std::string_view bytes) override { deliver(resp::Value::bulk(bytes)); }
    void status(std::string_view text) override { deliver(resp::Value::simple(std::string(text))); }
    void error(std::string_view text) override { deliver(resp::Value::error(std::string(text))); }
    void array(std::size_t n) override { open(resp::Type::Array, n); }
    void map(std::size_t n_pairs) override { open(resp::Type::Map, n_pairs * 2); }
    void set(std::size_t n) override { open(resp::Type::Set, n); }

  private:
    struct Open {
        resp::Type type = resp::Type::Array;
        std::size_t left = 0;
        resp::Value::Items items{};
    };

    void open(resp::Type type, std::size_t count);
    void deliver(resp::Value value);

    resp::Value value_{};
    std::vector<Open> open_{};
};

}  // namespace ff::host
