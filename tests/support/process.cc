#include "support/process.h"

#include <cerrno>
#include <map>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace ff::testing {
namespace {

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
    std::map<std::string, std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals != std::string::npos) merged[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const auto& [name, value] : added) merged[name] = value;
    std::vector<std::string> lines;
    lines.reserve(merged.size());
    for (const auto& [name, value] : merged) lines.push_back(name + "=" + value);
    return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

int open_output(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), path);
    return fd;
}

/// What the child needs, prepared beforehand: between fork and exec nothing may allocate or lock.
struct Launch {
    char* const* argv;
    char* const* envp;
    const char* directory;
    int out;
    int err;
    int failure;  // takes errno when the program cannot be started; closed by a successful exec
    pid_t parent;
};

[[noreturn]] void become(const Launch& launch) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    // The parent may have died before prctl; then nobody would ever kill this child.
    const bool ready = ::getppid() == launch.parent && nothing >= 0 && ::dup2(nothing, 0) >= 0 &&
                       ::dup2(launch.out, 1) >= 0 && ::dup2(launch.err, 2) >= 0 &&
                       (launch.directory == nullptr || ::chdir(launch.directory) == 0);
    if (ready) ::execvpe(launch.argv[0], launch.argv, launch.envp);
    const int reason = errno;
    const ssize_t written = ::write(launch.failure, &reason, sizeof reason);
    ::_exit(written == sizeof reason ? 127 : 126);
}

int decode(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::optional<std::string> find_line(const std::string& text, std::string_view wanted) {
    const auto at = text.find(wanted);
    if (at == std::string::npos) return std::nullopt;
    const auto end = text.find('\n', at);
    if (end == std::string::npos) return std::nullopt;
    const auto before = text.rfind('\n', at);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, end - begin);
}

}  // namespace

Process::Process(const ProcessOptions& options) {
    std::vector<std::string> args = options.args;
    std::vector<std::string> env = environment_with(options.env);
    const std::vector<char*> argv = pointers_to(args);
    const std::vector<char*> envp = pointers_to(env);
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    const int out = open_output(folder_.file("out"));
    const int err = open_output(folder_.file("err"));
    const Launch launch{
        .argv = argv.data(),
        .envp = envp.data(),
        .directory = options.directory.empty() ? nullptr : options.directory.c_str(),
        .out = out,
        .err = err,
        .failure = failure[1],
        .parent = ::getpid()};
    pid_ = ::fork();
    if (pid_ == 0) become(launch);
    const int fork_error = errno;
    ::close(out);
    ::close(err);
    ::close(failure[1]);
    int reason = pid_ < 0 ? fork_error : 0;
    if (pid_ > 0 && ::read(failure[0], &reason, sizeof reason) != sizeof reason) reason = 0;
    ::close(failure[0]);
    if (reason != 0) {
        kill();
        throw std::system_error(reason, std::generic_category(), "start " + options.args.front());
    }
}

Process::Process(Process&& other) noexcept
    : folder_(std::move(other.folder_)),
      pid_(std::exchange(other.pid_, -1)),
      exit_code_(other.exit_code_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this != &other) {
        kill();
        folder_ = std::move(other.folder_);
        pid_ = std::exchange(other.pid_, -1);
        exit_code_ = other.exit_code_;
    }
    return *this;
}

Process::~Process() {
    kill();
}

bool Process::running() {
    return !wait_for_exit(Millis(0)).has_value();
}

std::optional<std::string> Process::wait_for_line(std::string_view text, Millis timeout) {
    std::optional<std::string> line;
    const auto look = [&] {
        line = find_line(out(), text);
        if (!line.has_value()) line = find_line(err(), text);
        return line.has_value();
    };
    wait_until(
        [&] {
            // Asked before looking, so that the last words of an ended process are still read.
            const bool ended = !running();
            return look() || ended;
        },
        timeout);
    return line;
}

std::optional<int> Process::wait_for_exit(Millis timeout) {
    wait_until(
        [&] {
            if (exit_code_.has_value() || pid_ <= 0) return true;
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) == pid_) exit_code_ = decode(status);
            return exit_code_.has_value();
        },
        timeout);
    return pid_ <= 0 ? std::optional<int>(-1) : exit_code_;
}

void Process::signal(int number) const {
    // An ended child has been reaped and its number may belong to somebody else by now.
    if (pid_ > 0 && !exit_code_.has_value()) ::kill(pid_, number);
}

void Process::kill() {
    if (pid_ <= 0 || exit_code_.has_value()) return;
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    exit_code_ = decode(status);
}

CommandResult run_command(std::vector<std::string> args, Millis timeout) {
    const std::string name = args.front();
    Process process({.args = std::move(args)});
    const std::optional<int> exit_code = process.wait_for_exit(timeout);
    if (!exit_code.has_value()) throw std::runtime_error(name + " did not end in time");
    return {.exit_code = *exit_code, .out = process.out(), .err = process.err()};
}

}  // namespace ff::testing
