#include "http/unix_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace ff::http {
namespace {

/// 0 when somebody answers at `path`, else why nobody does.
int failure_to_connect(const std::string& path) {
    const int number = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (number < 0) return errno;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, address.sun_path);
    const auto* name = reinterpret_cast<const sockaddr*>(&address);
    const int failure = ::connect(number, name, sizeof address) == 0 ? 0 : errno;
    ::close(number);
    return failure;
}

}  // namespace

std::optional<std::string> clear_unix_path(const std::string& path) {
    if (path.size() > kUnixPathBytesMax) return "the path is too long";
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
    if (!S_ISSOCK(found.st_mode)) return "there is a file of that name, which is no socket";
    switch (const int failure = failure_to_connect(path)) {
        case ECONNREFUSED:
            ::unlink(path.c_str());
            return std::nullopt;
        case 0:
        case EAGAIN:
            return "another process serves it (stop that one, or choose another path)";
        default:
            return std::string(std::strerror(failure));
    }
}

}  // namespace ff::http
