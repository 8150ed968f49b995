#include "cli/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ff::cli {
namespace {

Error system_error(const char* what) {
    return {.code = "internal", .message = std::string(what) + ": " + std::strerror(errno)};
}

void read_lines(int fd, const Child::OnLine& on_line) {
    std::string buffer;
    char bytes[4096];
    while (true) {
        const ssize_t got = ::read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        buffer.append(bytes, static_cast<std::size_t>(got));
        for (std::size_t end = buffer.find('\n'); end != std::string::npos;
             end = buffer.find('\n')) {
            on_line(buffer.substr(0, end));
            buffer.erase(0, end + 1);
        }
    }
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(std::vector<std::string> arguments, OnLine on_line) {
    std::vector<char*> words;
    std::string self = "/proc/self/exe";
    words.push_back(self.data());
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe");
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(ends[1], STDOUT_FILENO);
        const int nowhere = ::open("/dev/null", O_WRONLY);
        if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
        ::execv(self.c_str(), words.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    if (pid < 0) {
        ::close(ends[0]);
        return system_error("fork");
    }
    return std::unique_ptr<Child>(new Child(pid, ends[0], std::move(on_line)));
}

Child::Child(pid_t pid, int output, OnLine on_line)
    : pid_(pid),
      output_(output),
      reader_([output, tell = std::move(on_line)] { read_lines(output, tell); }) {}

Child::~Child() {
    end_with(SIGKILL);
}

void Child::kill() {
    end_with(SIGKILL);
}

void Child::stop() {
    end_with(SIGTERM);
}

void Child::end_with(int number) {
    if (pid_ <= 0) return;
    ::kill(pid_, number);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    reader_.join();
    ::close(output_);
}

}  // namespace ff::cli
