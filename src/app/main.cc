#include <cstdio>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "app/backup.h"
#include "app/collisions.h"
#include "app/server.h"
#include "app/server_flags.h"
#include "app/settings.h"
#include "app/store_check.h"
#include "base/log.h"
#include "cli/command_line.h"
#include "cli/session.h"

namespace {

int tell(const ff::Error& error, int exit_code) {
    std::fprintf(stderr, "flowfabric: %s\n", error.text().c_str());
    return exit_code;
}

/// Requests and replies of a megabyte come and go all the time. As it is, the allocator gives their
/// memory back to the kernel each time and gets it as fresh pages: a tenth of the CPU time of a
/// busy server (bench/e2e_bench.cc).
void keep_freed_memory() {
#if defined(__GLIBC__)
    constexpr int kTrimBytes = 64 << 20;
    constexpr int kMmapBytes = 16 << 20;
    ::mallopt(M_TRIM_THRESHOLD, kTrimBytes);
    ::mallopt(M_MMAP_THRESHOLD, kMmapBytes);
#endif
}

int serve(const std::vector<std::string>& arguments, const ff::app::Ready& ready) {
    const auto said = ff::app::parse_server_arguments(arguments);
    if (!said.has_value()) return tell(said.error(), ff::cli::kUsage);
    if (said->help) {
        std::fputs(ff::app::server_help().c_str(), stdout);
        return ff::cli::kDone;
    }
    const auto settings = ff::app::Settings::read(ff::app::process_environment, said->flags);
    if (!settings.has_value()) {
        // What the command line says wrong is a matter of usage, a variable is not.
        const bool flag =
            !settings.error().detail.empty() && settings.error().detail.front().starts_with("--");
        return tell(settings.error(), flag ? ff::cli::kUsage : ff::cli::kFailed);
    }
    keep_freed_memory();
    return ff::app::run_server(*settings, ready);
}

ff::Result<ff::Done> copy_data(const std::string& data_folder, const std::string& copy) {
    FF_TRY([[maybe_unused]] const auto made, ff::app::backup_stopped(data_folder, copy));
    return ff::Done{};
}

/// What they find is told by the command, and a repair that is only tried is none.
ff::Result<ff::cli::DataCheck> check_data(const std::string& data_folder) {
    ff::log::set_level(ff::log::Level::Error);
    return ff::app::check_store(data_folder);
}

ff::Result<std::vector<ff::cli::DataDamage>> repair_data(const std::string& data_folder) {
    ff::log::set_level(ff::log::Level::Error);
    return ff::app::repair_store(data_folder);
}

}  // namespace

int main(int argc, char** argv) {
    const ff::cli::Programs programs{.serve = serve,
                                     .copy_data = copy_data,
                                     .check_data = check_data,
                                     .repair_data = repair_data};
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "admin")
        return ff::app::run_admin({arguments.begin() + 1, arguments.end()},
                                  ff::app::process_environment);
    return ff::cli::run_command_line(std::move(arguments), programs);
}
