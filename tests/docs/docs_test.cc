#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "docs/reference.h"
#include "sdk/door_world.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ff::testing {
namespace {

std::string source(const std::string& name) {
    return std::string(FF_SOURCE_FOLDER) + "/" + name;
}

/// With FF_WRITE_DOCS set the page is written instead.
void expect_same(const std::string& name, const std::string& generated) {
    if (std::getenv("FF_WRITE_DOCS") != nullptr) std::ofstream(source(name)) << generated;
    EXPECT_EQ(read_file(source(name)), generated)
        << name << " is not what the code says; run this test with FF_WRITE_DOCS=1";
}

TEST(Docs, ConfigurationIsWhatTheCodeSays) {
    expect_same("docs/configuration.md", configuration_reference());
}

TEST(Docs, ErrorsAreWhatTheCodeSays) {
    expect_same("docs/errors.md", error_reference());
}

/// The blocks of a page that are marked as runnable, one after the other.
std::string runnable_blocks(const std::string& text) {
    constexpr std::string_view kMark = "```sh runnable\n";
    std::string script;
    for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
        at += kMark.size();
        const std::size_t end = text.find("\n```", at);
        script += text.substr(at, end - at) + "\n";
        at = end;
    }
    return script;
}

class RunnableDocs : public ::testing::TestWithParam<std::string> {};

/// Twice, because a reader's server is seldom a new one.
TEST_P(RunnableDocs, EveryRunnableBlockDoesWhatItSaysTwiceOnOneServer) {
    const std::string script = runnable_blocks(read_file(source(GetParam())));
    ASSERT_FALSE(script.empty()) << "no block is marked as runnable";
    const TempDir folder;
    const ServerProcess::Environment in_memory = {{"FF_DATA_DIR", ":memory:"}};
    const ServerProcess server(in_memory);
    std::ofstream(folder.file("script")) << "set -euo pipefail\n" << script;
    const std::string programs = std::filesystem::path(FF_PROGRAM).parent_path().string();
    for (const std::string time : {"first", "second"}) {
        Process shell({.args = {"bash", "-x", folder.file("script")},
                       .env = {{"PATH", programs + ":" + std::getenv("PATH")},
                               {"FF_SERVER_URL", server.url()}},
                       .directory = folder.path().string()});
        ASSERT_EQ(shell.wait_for_exit(), 0) << "the " << time << " time\n"
                                            << shell.err() << shell.out() << server.log();
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, RunnableDocs,
                         ::testing::Values("README.md", "docs/getting-started.md",
                                           "docs/concepts.md", "docs/delivery.md",
                                           "docs/workers.md", "docs/operations.md"),
                         [](const auto& info) {
                             std::string name = std::filesystem::path(info.param).stem().string();
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

/// Every C++ block of a page is a whole file.
TEST(Docs, CppBlocksCompile) {
    constexpr std::string_view kMark = "```cpp\n";
    int compiled = 0;
    for (const std::string page : {"README.md", "docs/getting-started.md", "docs/concepts.md",
                                   "docs/workers.md", "docs/operations.md"}) {
        const std::string text = read_file(source(page));
        for (std::size_t at = text.find(kMark); at != std::string::npos;
             at = text.find(kMark, at)) {
            at += kMark.size();
            const TempDir folder;
            std::ofstream(folder.file("block.cc")) << text.substr(at, text.find("```", at) - at);
            const CommandResult done =
                run_command({FF_COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                             "-Werror", "-I" + source("include"), folder.file("block.cc")},
                            Millis(60'000));
            EXPECT_EQ(done.exit_code, 0) << page << ": " << done.err;
            ++compiled;
        }
    }
    EXPECT_GE(compiled, 4);
}

/// Links between pages lead somewhere.
TEST(Docs, LinksLeadToFiles) {
    for (const std::string page :
         {"README.md", "docs/getting-started.md", "docs/concepts.md", "docs/delivery.md",
          "docs/limits.md", "docs/workers.md", "docs/operations.md"}) {
        const std::string text = read_file(source(page));
        const auto folder = std::filesystem::path(source(page)).parent_path();
        for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at)) {
            at += 2;
            const std::string target = text.substr(at, text.find_first_of(")#", at) - at);
            // A capture list and its parameters look like a link, but no file has a space in its
            // name.
            const bool code = target.find(' ') != std::string::npos;
            if (code || target.starts_with("http") || target.empty()) continue;
            EXPECT_TRUE(std::filesystem::exists(folder / target)) << page << ": " << target;
        }
    }
}

}  // namespace
}  // namespace ff::testing
