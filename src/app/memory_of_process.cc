#include "app/memory_of_process.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "base/numbers.h"

namespace ff::app {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
/// A limit of addresses also counts what is mapped and hardly used: the program, the stacks of its
/// threads, the arenas of the allocator.
constexpr std::uint64_t kAddressesOfProgram = 256ULL << 20U;

std::uint64_t of_machine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long bytes = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || bytes <= 0) return kNoLimit;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

std::uint64_t of_addresses() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
    return limit.rlim_cur - std::min(limit.rlim_cur / 2, kAddressesOfProgram);
}

std::uint64_t of_data() {
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
    return limit.rlim_cur;
}

/// The number in a file of the control group; `max` and anything else is no limit.
std::uint64_t of_file(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    if (!(file >> text)) return kNoLimit;
    return parse_u64(text).value_or(kNoLimit);
}

/// The least of the group that this process is in and of all groups around it.
std::uint64_t of_control_group() {
    constexpr std::string_view kUnified = "0::";
    std::ifstream groups("/proc/self/cgroup");
    std::uint64_t least = of_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with(kUnified)) continue;
        std::string path = line.substr(kUnified.size());
        while (!path.empty()) {
            least = std::min(least, of_file("/sys/fs/cgroup" + path + "/memory.max"));
            path.resize(path.rfind('/'));
        }
    }
    // Inside a container the group is the root.
    return std::min(least, of_file("/sys/fs/cgroup/memory.max"));
}

}  // namespace

std::uint64_t memory_of_process() {
    return std::min({of_machine(), of_control_group(), of_addresses(), of_data()});
}

}  // namespace ff::app
