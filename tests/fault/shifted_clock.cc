// Preloaded into a server: its wall clock is that of the machine and as many milliseconds as the
// file FF_SHIFTED_CLOCK_FILE says, an eight-byte number that a test may change at any time.

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

const volatile std::int64_t* shift() {
    static const volatile std::int64_t* const mapped = [] {
        const char* path = std::getenv("FF_SHIFTED_CLOCK_FILE");
        const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        void* bytes = file < 0
                          ? MAP_FAILED
                          : mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
        return bytes == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(bytes);
    }();
    return mapped;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the C library's name.
extern "C" int clock_gettime(clockid_t clock, timespec* at) noexcept {
    const long outcome = syscall(SYS_clock_gettime, clock, at);
    if (outcome != 0 || clock != CLOCK_REALTIME || shift() == nullptr)
        return static_cast<int>(outcome);
    at->tv_sec += *shift() / 1000;
    return 0;
}
