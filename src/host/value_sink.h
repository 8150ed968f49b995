#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keyspace/reply_sink.h"
#include "resp/value.h"

namespace ff::host {

/// Keeps the answer of one command until it is taken as a value in the shapes of RESP3. It is built
/// up as plain bytes: the shard, which has the most to do, only copies, and the many small pieces
/// of memory of a value are made by the thread that will free them.
class ValueSink final : public keyspace::ReplySink {
  public:
    /// The complete value, once.
    resp::Value take();

    bool resp3() const override { return true; }
    void null() override { add(resp::Type::Null); }
    void null_array() override { add(resp::Type::Null); }
    void integer(std::int64_t value) override { add_word(resp::Type::Integer, value); }
    void real(double value) override { add_word(resp::Type::Double, value); }
    void bulk(std::string_view bytes) override { add_text(resp::Type::BulkString, bytes); }
    void status(std::string_view text) override { add_text(resp::Type::SimpleString, text); }
    void error(std::string_view text) override { add_text(resp::Type::Error, text); }
    void array(std::size_t n) override { add_word(resp::Type::Array, n); }
    void map(std::size_t n_pairs) override { add_word(resp::Type::Map, n_pairs * 2); }
    void set(std::size_t n) override { add_word(resp::Type::Set, n); }

  private:
    class Reader;
    /// Texts from this size on are kept apart and moved, not copied, into the value.
    static constexpr std::size_t kLargeBytes = 1024;

    void add(resp::Type type) { bytes_.push_back(static_cast<char>(type)); }
    template <class Word>
    void add_word(resp::Type type, Word word) {
        static_assert(sizeof(word) == sizeof(std::uint64_t));
        char piece[1 + sizeof(word)];
        piece[0] = static_cast<char>(type);
        __builtin_memcpy(piece + 1, &word, sizeof(word));
        bytes_.append(piece, sizeof(piece));
    }
    void add_text(resp::Type type, std::string_view text);

    /// One after the other: a byte with the type, then a number, a count of elements, or a size
    /// with as many bytes; a size of kLargeBytes or more means the next of `large_`.
    std::string bytes_{};
    std::vector<std::string> large_{};
};

}  // namespace ff::host
