#include "app/secret_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/setting_values.h"
#include "base/bytes.h"

namespace ff::app {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr mode_t kOwnerOnly = 0600;

Error refuse(const std::string& path, const std::string& why) {
    return {.code = "config", .detail = {path}, .message = path + ": " + why};
}

/// Written beside and moved into place, so that a crash leaves no half of it.
Result<Done> write_file(const std::string& path, const std::string& text) {
    const std::string beside = path + ".new";
    ::unlink(beside.c_str());
    const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
    if (file < 0) return refuse(beside, std::strerror(errno));
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file) == 0;
    const int failure = errno;
    ::close(file);
    if (!written) return refuse(beside, std::strerror(failure));
    if (std::rename(beside.c_str(), path.c_str()) != 0) return refuse(path, std::strerror(errno));
    return Done{};
}

}  // namespace

std::string make_secret(Random& random) {
    std::array<std::uint8_t, kSecretBytes> bytes{};
    random.fill(bytes);
    return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::string> load_or_make_secret(const std::string& folder, Random& random) {
    const std::string path = folder + "/" + kSecretFile;
    std::ifstream file(path);
    if (!file) {
        if (errno != ENOENT) return refuse(path, std::strerror(errno));
        const std::string secret = make_secret(random);
        FF_CHECK(write_file(path, secret + "\n"));
        return secret;
    }
    std::string secret;
    std::getline(file, secret);
    auto read = read_secret(secret, kSecretFile);
    if (!read.has_value()) return refuse(path, "holds no secret");
    return *std::move(read);
}

}  // namespace ff::app
