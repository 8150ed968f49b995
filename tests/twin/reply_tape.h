#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "keyspace/reply_sink.h"
#include "support/resp_connection.h"

namespace ff::twin {

/// The answer to one command as plain bytes: equal answers are equal bytes, and only those that
/// somebody looks at are taken apart.
class ReplyTape final : public keyspace::ReplySink {
  public:
    std::string_view bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }
    /// Maps and sets as arrays.
    testing::RespValue value() const;

    bool resp3() const override { return true; }
    void null() override { bytes_ += '_'; }
    void null_array() override { bytes_ += '_'; }
    void integer(std::int64_t number) override { add_word(':', number); }
    void real(double number) override { add_word(',', number); }
    void bulk(std::string_view text) override { add_text('$', text); }
    void status(std::string_view text) override { add_text('+', text); }
    void error(std::string_view text) override { add_text('-', text); }
    void array(std::size_t n) override { add_word('*', n); }
    void map(std::size_t n_pairs) override { add_word('*', 2 * n_pairs); }
    void set(std::size_t n) override { add_word('*', n); }

  private:
    template <class Word>
    void add_word(char type, Word word) {
        static_assert(sizeof(word) == 8);
        bytes_ += type;
        bytes_.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    void add_text(char type, std::string_view text) {
        add_word(type, text.size());
        bytes_ += text;
    }

    std::string bytes_{};
};

}  // namespace ff::twin
