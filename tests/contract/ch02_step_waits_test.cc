#include "contract/suspension.h"

namespace ff::contract {
namespace {

/// Steps that a suspend takes along.
class StepWaits : public SuspensionContract {
  protected:
    RespValue suspend_with(const Execution& e, SuspendArgs args, const List& steps) const {
        args.suspension_id = new_uuid();
        if (args.waitpoint_id.empty()) args.waitpoint_id = new_uuid();
        if (!args.use_pending && args.waitpoint_key.empty())
            args.waitpoint_key = "wpk:" + args.waitpoint_id;
        // They stand behind what a person is asked.
        args.approval = List(6);
        List argv = suspend_args(e, args);
        argv.insert(argv.end(), steps.begin(), steps.end());
        return host().fcall("ff_suspend_execution", suspend_keys(e, args), argv);
    }
};

FF_CONTRACT_SUITE(Ch02StepWaits, StepWaits);

TEST_P(Ch02StepWaits, S76_ASuspendTakesThemAlong) {
    const Execution e = active();
    EXPECT_EQ(flat(suspend_with(e, {}, {"1", "a", std::string(1'048'577, 'x'), ""})),
              (List{"0", "step_limit_exceeded", "bytes_per_step", "1048576", "a"}));
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_FALSE(exists(e.key("suspension:current")));
    EXPECT_FALSE(exists(e.key("steps")));
    const RespValue done = suspend_with(e,
                                        {.condition = composite(all_of({single("a"), single("b")})),
                                         .waitpoint_key = "a",
                                         .additional = {{.id = new_uuid(), .key = "b"}}},
                                        {"2", "a", "1", "", "b", "2", "raw"});
    EXPECT_EQ(element(done, 2), "OK");
    EXPECT_EQ(element(done, 7), "1");
    EXPECT_EQ(e.core("public_state"), "suspended");
    EXPECT_EQ(e.core("step_count"), "2");
    EXPECT_EQ(hash(e.key("steps")).at("v:b"), "2");
    EXPECT_EQ(element(suspend_with(e, {}, {"1", "c", "3", ""}), 2), "DUPLICATE");
    EXPECT_EQ(e.core("step_count"), "2");
}

TEST_P(Ch02StepWaits, S76_ASuspendThatIsSatisfiedAtOnceDoesToo) {
    const Execution e = active();
    const Waitpoint waitpoint = pending(e);
    ASSERT_EQ(element(buffer(e, waitpoint), 1), "1");
    const RespValue done =
        suspend_with(e, {.waitpoint_id = waitpoint.id, .use_pending = true}, {"1", "a", "1", ""});
    EXPECT_EQ(element(done, 2), "ALREADY_SATISFIED") << to_string(done);
    EXPECT_EQ(e.core("public_state"), "active");
    EXPECT_EQ(e.core("step_count"), "1");
}

}  // namespace
}  // namespace ff::contract
