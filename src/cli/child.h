#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace ff::cli {

/// Another call of this program, as a process of its own that never outlives this one. Its lines
/// of standard output come to a callback, on a thread; its logs go nowhere.
class Child {
  public:
    using OnLine = std::function<void(const std::string& line)>;

    static Result<std::unique_ptr<Child>> start(std::vector<std::string> arguments, OnLine on_line);
    /// Kills it if it still runs.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t pid() const { return pid_; }
    /// SIGKILL; returns when it is gone.
    void kill();
    /// SIGTERM; returns when it is gone.
    void stop();

  private:
    Child(pid_t pid, int output, OnLine on_line);
    void end_with(int number);

    pid_t pid_;
    int output_;
    std::thread reader_;
};

}  // namespace ff::cli
