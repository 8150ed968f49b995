#include <gtest/gtest.h>

#include "api/exec_world.h"
#include "support/process.h"

namespace ff::testing {
namespace {

class Ch07AnyLanguage : public ExecApi {};

TEST_P(Ch07AnyLanguage, S35_AWorkerNeedsNothingButHttp) {
    const std::string base = "http://127.0.0.1:" + std::to_string(world().port());
    const CommandResult ran = run_command({FF_WORKER_SCRIPT, base, own_name()}, Millis(60'000));
    EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("all done"), std::string::npos) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07AnyLanguage, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
