#pragma once

#include <string_view>

#include <sys/types.h>

namespace ff::bench {

/// Seconds of CPU that the process has used since it was started.
double cpu_seconds(pid_t process);

/// A line of /proc/<process>/status that counts memory, such as "VmRSS" and "VmHWM", in bytes.
double memory_bytes(pid_t process, std::string_view line);

}  // namespace ff::bench
