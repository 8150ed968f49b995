#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "base/time.h"
#include "model/execution_id.h"
#include "model/strong_id.h"
#include "resp/command.h"

namespace ff::engine {

/// Where an operation states its function, KEYS and ARGV, in order and by name. The names are those
/// of the library's contracts, so that a test can hold the two against each other; this is the only
/// place where C++ knows an order.
class CallWriter {
  public:
    virtual ~CallWriter() = default;

    /// First of all; exactly `key_count` keys follow, then the arguments.
    virtual void begin(std::string_view function, std::size_t key_count) = 0;
    /// Roughly how much follows, where that is much.
    virtual void expect(std::size_t /*bytes*/, std::size_t /*arguments*/) {}
    virtual void key(std::string_view name, std::string_view key) = 0;
    virtual void arg(std::string_view name, std::string_view bytes) = 0;

    void arg(std::string_view name, const std::string& bytes) {
        arg(name, std::string_view(bytes));
    }
    void arg(std::string_view name, const char* text) { arg(name, std::string_view(text)); }
    void arg(std::string_view name, std::int64_t number);
    void arg(std::string_view name, const model::ExecutionId& id);
    void arg(std::string_view name, const model::Uuid& uuid);
    template <class Tag>
    void arg(std::string_view name, const model::UuidId<Tag>& id) {
        arg(name, id.uuid());
    }
    void arg(std::string_view name, Millis span) { arg(name, std::int64_t{span.count()}); }
    void arg(std::string_view name, Timestamp at) { arg(name, to_ms(at)); }
    void flag(std::string_view name, bool on) { arg(name, std::string_view(on ? "1" : "")); }
    /// An absent value is the empty argument.
    template <class T>
    void arg(std::string_view name, const std::optional<T>& value) {
        if (value) {
            arg(name, *value);
        } else {
            arg(name, std::string_view());
        }
    }
};

/// Writes the call as a command.
class CommandWriter final : public CallWriter {
  public:
    void begin(std::string_view function, std::size_t key_count) override;
    void expect(std::size_t bytes, std::size_t arguments) override {
        command_.reserve(bytes, arguments);
    }
    void key(std::string_view name, std::string_view key) override;
    using CallWriter::arg;
    void arg(std::string_view name, std::string_view bytes) override;

    resp::Command take() &&;

  private:
    resp::Command command_{};
    std::size_t keys_left_ = 0;
};

}  // namespace ff::engine
