#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/deadline.h"
#include "base/error.h"
#include "resp/command.h"
#include "resp/value.h"
#include "valkey/resumption.h"

namespace ff::valkey {

class Pipeline;

/// Whether the server may have executed a request whose reply did not come.
enum class Sent : std::uint8_t { No, Maybe };

struct Failure {
    Error error{};
    Sent sent = Sent::No;
    /// Another attempt, perhaps at another server, may fare better.
    bool worth_retrying = true;
};

/// Nothing yet, the reply (which may be an error reply), or why there is none.
using Outcome = std::variant<std::monostate, resp::Value, Failure>;

/// Counts the answers that one coroutine waits for, and resumes it with the last of them.
class Waiter {
  public:
    void expect() { ++missing_; }
    void arrived() {
        if (--missing_ == 0 && resumption_.is_set()) resumption_.call();
    }
    std::size_t missing() const { return missing_; }
    Resumption& resumption() { return resumption_; }

  private:
    std::size_t missing_ = 0;
    Resumption resumption_{};
};

/// One command on its way to one server and its outcome. Belongs to the coroutine that waits for
/// it, which stays until the outcome is there; the pipeline holds a pointer meanwhile.
class Exchange {
  public:
    Exchange(const resp::Command& sent_command, Deadline answer_by, Waiter& waiting)
        : command(&sent_command), deadline(answer_by), waiter_(&waiting) {
        waiter_->expect();
    }

    const resp::Command* command;
    Deadline deadline;
    /// Preceded by ASKING: the slot is on its way to this server.
    bool asking = false;
    Outcome outcome{};
    /// Where it waits, or has waited.
    Pipeline* pipeline = nullptr;

    void finish(Outcome answer) {
        outcome = std::move(answer);
        waiter_->arrived();
    }
    bool finished() const { return outcome.index() != 0; }

  private:
    Waiter* waiter_;
};

}  // namespace ff::valkey
