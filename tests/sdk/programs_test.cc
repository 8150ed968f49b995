// Programs of users: the examples, an installed package, an engine inside a program that is killed.

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "flowfabric/flowfabric.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

struct Example {
    std::string name{};
    std::vector<std::string> lines{};
};

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, SaysWhatItIsThereToShow) {
    const TempDir folder;
    Process program({.args = {std::string(FF_EXAMPLES) + "/example_" + GetParam().name},
                     .env = {{"FF_LOG", "error"}},
                     .directory = folder.path().string()});
    EXPECT_EQ(program.wait_for_exit(), 0) << program.err();
    std::size_t at = 0;
    for (const std::string& line : GetParam().lines) {
        at = program.out().find(line + "\n", at);
        EXPECT_NE(at, std::string::npos) << line << " is not in its place in\n" << program.out();
        if (at == std::string::npos) return;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Examples,
    ::testing::Values(
        Example{"retry_and_cancel",
                {"attempt 0", "attempt 1", "attempt 2", "flaky: completed", "result: it worked",
                 "cancel: cancelled"}},
        Example{"human_approval",
                {"forged token: invalid_token", "real token: resume_condition_satisfied",
                 "state: completed", "result: refund approved"}},
        Example{"token_budget",
                {"state: failed", "said: Durable work outlives the machine that ...",
                 "why: the budget is spent"}},
        Example{"media_pipeline",
                {"join: completed", "result: [a of film:parts][b of film:parts][c of film:parts]"}},
        Example{"quorum_race", {"decide: completed", "completed: 2, cancelled: 3"}},
        Example{
            "external_callback",
            {"bank: buffered_for_pending_waitpoint", "already answered: yes", "pay: completed"}},
        Example{"in_process", {"created", "completed", "Hello, world!"}}),
    [](const auto& info) { return info.param.name; });

TEST(Package, BuildsAndRunsAProjectOutsideTheTree) {
    const TempDir folder;
    const std::string prefix = folder.file("prefix");
    const std::string build = folder.file("build");
    const auto must = [](std::vector<std::string> command) {
        const CommandResult done = run_command(std::move(command), Millis(180'000));
        ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
    };
    must({"cmake", "--install", FF_BUILD_FOLDER, "--prefix", prefix});
    must({"cmake", "-S", FF_EXAMPLES_SOURCE, "-B", build, "-G", "Ninja",
          "-DCMAKE_PREFIX_PATH=" + prefix});
    must({"ninja", "-C", build, "example_in_process"});
    Process program({.args = {build + "/example_in_process", folder.file("data")}});
    EXPECT_EQ(program.wait_for_exit(), 0) << program.err();
    EXPECT_NE(program.out().find("Hello, world!"), std::string::npos) << program.out();
    Process again({.args = {build + "/example_in_process", folder.file("data")}});
    EXPECT_EQ(again.wait_for_exit(), 0) << again.err();
    EXPECT_NE(again.out().find("found\ncompleted\nHello, world!"), std::string::npos)
        << again.out();
    EXPECT_EQ(run_command({prefix + "/bin/flowfabric", "version"}).exit_code, 0);
}

TEST(Ch07Embedded, S56_WhatWasAcknowledgedOutlivesTheProgram) {
    const TempDir folder;
    const std::string data = folder.file("data");
    Process program({.args = {FF_EMBEDDED_PROGRAM, data}, .env = {{"FF_LOG", "error"}}});
    ASSERT_TRUE(wait_until([&] {
        std::size_t lines = 0;
        for (const char c : program.out()) lines += c == '\n' ? 1 : 0;
        return lines > 60 || !program.running();
    })) << program.err();
    ASSERT_TRUE(program.running()) << program.err();
    // No socket is open: its file descriptors tell.
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(program.pid()) + "/fd")) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
        EXPECT_FALSE(target.starts_with("socket:")) << target;
    }
    const auto second = flowfabric::Engine::open({.data_dir = data});
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, "config") << second.error().text();
    program.kill();
    const auto engine = flowfabric::Engine::open({.data_dir = data}).value();
    std::istringstream lines(program.out());
    std::string verb;
    std::string id;
    int checked = 0;
    while (lines >> verb >> id) {
        const auto info = engine->client().describe_execution(id);
        ASSERT_TRUE(info.has_value()) << verb << " " << id << ": " << info.error().text();
        if (verb == "completed") {
            EXPECT_EQ(info->terminal_outcome, "success");
        }
        ++checked;
    }
    EXPECT_GT(checked, 60);
}

}  // namespace
}  // namespace ff::testing
