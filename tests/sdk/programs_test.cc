// Programs of users: the examples, an installed package, an engine inside a program that is killed.

#include <algorithm>
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
        Example{
            "board_approval",
            {"two of the board: suspended", "and legal: completed", "approved by ann, bob, lea"}},
        Example{"many_at_once", {"sum of squares: 385", "first event: completion success"}},
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

/// The program with an engine inside, on a folder of its own.
class Ch07Embedded : public ::testing::TestWithParam<std::string> {
  protected:
    TempDir folder{};
    std::string data = folder.file("data");
    Process program{
        {.args = {FF_EMBEDDED_PROGRAM, data, GetParam()}, .env = {{"FF_LOG", "error"}}}};

    std::size_t lines() const {
        const std::string out = program.out();
        return static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
    }
    bool gets_to(std::size_t count) {
        return wait_until([&] { return lines() > count || !program.running(); }) &&
               program.running();
    }
    /// What is left of each execution must be at least what was said of it last.
    static bool agrees(const std::string& verb, const flowfabric::ExecutionInfo& info) {
        if (verb == "created") return true;
        if (verb == "suspended") return info.attempt_count == 1;
        if (verb == "signalled") return info.attempt_count == 1 && info.public_state != "suspended";
        return info.terminal_outcome == "success";
    }
};

/// In every mode an answer means that the kernel has it at least, so that no kill of the program
/// alone takes anything back.
TEST_P(Ch07Embedded, S56_WhatWasAcknowledgedOutlivesTheProgram) {
    ASSERT_TRUE(gets_to(80)) << program.err();
    // No socket is open: its file descriptors tell.
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(program.pid()) + "/fd")) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
        EXPECT_FALSE(target.starts_with("socket:")) << target;
    }
    program.kill();
    const auto engine = flowfabric::Engine::open({.data_dir = data}).value();
    std::istringstream told(program.out());
    std::string verb;
    std::string id;
    int checked = 0;
    while (told >> verb >> id) {
        const auto info = engine->client().describe_execution(id);
        EXPECT_TRUE(info.has_value() && agrees(verb, *info)) << verb << " " << id;
        ++checked;
    }
    EXPECT_GT(checked, 80);
    const auto after = engine->client().create_execution({.kind = "after"});
    EXPECT_TRUE(after.has_value()) << "the folder is as good as before";
}

TEST_P(Ch07Embedded, S57_ASecondProcessOnTheSameFolderIsRefusedAndTheFirstGoesOn) {
    ASSERT_TRUE(gets_to(5)) << program.err();
    const auto second = flowfabric::Engine::open({.data_dir = data});
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, "config") << second.error().text();
    EXPECT_NE(second.error().text().find(data), std::string::npos) << second.error().text();
    Process third({.args = {FF_EMBEDDED_PROGRAM, data, GetParam()}, .env = {{"FF_LOG", "error"}}});
    EXPECT_NE(third.wait_for_exit(), 0);
    EXPECT_TRUE(gets_to(lines() + 20)) << program.err();
}

INSTANTIATE_TEST_SUITE_P(Modes, Ch07Embedded, ::testing::Values("always", "interval", "off"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
