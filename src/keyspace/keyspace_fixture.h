#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "keyspace/keyspace.h"

namespace ff::keyspace {

/// For tests: an answer as one line. OK, (error) ERR ..., "bulk", 7, ,1.5, nil, nil*, [a b], {k v},
/// <a b> for an array, a map and a set.
class LineSink final : public ReplySink {
  public:
    explicit LineSink(bool resp3) : resp3_(resp3) {}

    bool resp3() const override { return resp3_; }
    void null() override { put("nil"); }
    void null_array() override { put("nil*"); }
    void integer(std::int64_t value) override { put(std::to_string(value)); }
    void real(double value) override;
    void bulk(std::string_view bytes) override { put('"' + std::string(bytes) + '"'); }
    void status(std::string_view text) override { put(text); }
    void error(std::string_view text) override { put("(error) " + std::string(text)); }
    void array(std::size_t n) override { open('[', ']', n); }
    void map(std::size_t n_pairs) override { open('{', '}', n_pairs * 2); }
    void set(std::size_t n) override { open('<', '>', n); }

    /// Whole: exactly one value has been sent.
    bool whole() const { return values_ == 1 && open_.empty(); }
    const std::string& line() const { return line_; }

  private:
    struct Open {
        std::size_t left;
        char end;
    };
    void put(std::string_view text);
    void open(char begin, char end, std::size_t n);
    void close();

    bool resp3_;
    std::string line_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
};

/// For tests: a keyspace and a clock that is set by hand.
class Shell {
  public:
    Keyspace keyspace;
    std::chrono::milliseconds now{1'700'000'000'000};
    bool resp3 = false;

    std::string run(const std::vector<std::string>& args);
    template <class... Args>
    std::string operator()(Args&&... args) {
        return run({std::string(std::forward<Args>(args))...});
    }
};

/// What the keyspace holds, key by key, with expiry, and regardless of orders nobody can rely on.
/// Takes a snapshot to find out.
std::map<std::string, std::string> content_of(Keyspace& keyspace);
/// A snapshot at one go.
std::string snapshot_of(Keyspace& keyspace);
/// The content that a snapshot or a sequence of effects without deletions spells out.
std::map<std::string, std::string> content_of_snapshot(std::string_view effects);

}  // namespace ff::keyspace
