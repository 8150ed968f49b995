#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/time.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::testing {

struct ProcessOptions {
    /// The program (a path, or a name to look up in PATH) and its arguments.
    std::vector<std::string> args{};
    /// Added to the environment of the test, or replacing what is there.
    std::vector<std::pair<std::string, std::string>> env{};
    /// The working folder; empty means the test's own.
    std::string directory{};
};

/// A child process whose output goes to files. It never outlives this object, nor the thread that
/// started it: the kernel kills it when that ends, so start servers from a thread that stays.
/// Like all test support it throws where a test could only give up; the framework reports that.
class Process {
  public:
    explicit Process(const ProcessOptions& options);
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    pid_t pid() const { return pid_; }
    bool running();
    std::string out() const { return read_file(folder_.file("out")); }
    std::string err() const { return read_file(folder_.file("err")); }

    /// The first whole line of either output that holds `text`; nullopt when none came in time or
    /// the process ended without writing one.
    std::optional<std::string> wait_for_line(std::string_view text, Millis timeout = kPatience);
    /// The exit code, or 128 plus the signal that ended it; nullopt when it is still running.
    std::optional<int> wait_for_exit(Millis timeout = kPatience);

    void signal(int number) const;
    /// SIGKILL, and waits until the process is gone. Does nothing when it is already.
    void kill();

  private:
    TempDir folder_;
    pid_t pid_ = -1;
    std::optional<int> exit_code_{};
};

struct CommandResult {
    int exit_code = 0;
    std::string out{};
    std::string err{};
};

/// Runs a program to its end; throws when it takes longer than `timeout`.
CommandResult run_command(std::vector<std::string> args, Millis timeout = kPatience);

}  // namespace ff::testing
