#include "store/command_keys.h"

#include <vector>

#include <gtest/gtest.h>

#include "store/call.h"

namespace ff::store {
namespace {

using Words = std::vector<std::string_view>;

Words keys(const Words& args) {
    const auto found = keys_of(args);
    return {found.begin(), found.end()};
}

TEST(CommandKeys, FindsTheKeysOfEveryShapeOfCommand) {
    EXPECT_EQ(keys({"GET", "k"}), Words({"k"}));
    EXPECT_EQ(keys({"hSet", "k", "f", "v"}), Words({"k"}));
    EXPECT_EQ(keys({"DEL", "a", "b", "c"}), Words({"a", "b", "c"}));
    EXPECT_EQ(keys({"COPY", "a", "b", "REPLACE"}), Words({"a", "b"}));
    EXPECT_EQ(keys({"FCALL", "f", "2", "a", "b", "x"}), Words({"a", "b"}));
    EXPECT_EQ(keys({"XREAD", "COUNT", "1", "streams", "a", "b", "0", "0"}), Words({"a", "b"}));
}

TEST(CommandKeys, FindsNoneWhereThereAreNone) {
    EXPECT_EQ(keys({}), Words());
    EXPECT_EQ(keys({"PING"}), Words());
    EXPECT_EQ(keys({"GET"}), Words());
    EXPECT_EQ(keys({"PUBLISH", "channel", "text"}), Words());
    EXPECT_EQ(keys({"FCALL", "f", "0", "x"}), Words());
    EXPECT_EQ(keys({"a name that is longer than any command has", "k"}), Words());
}

TEST(CommandKeys, GivesTheSlotOfTheTag) {
    const Words args = {"DEL", "a{fp:42}", "b{fp:42}c"};
    const auto slot = slot_of(args);
    ASSERT_TRUE(slot.has_value());
    EXPECT_EQ(slot->value(), 2824);
    EXPECT_EQ(slot_of(Words{"TIME"})->has_value(), false);
}

TEST(Ch01, S18_KeysOfTwoTagsAreRefusedWithoutAskingTheStore) {
    const auto refused = slot_of(Words{"FCALL", "f", "2", "a{fp:1}", "b{fp:2}"});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "storage_error");
    EXPECT_EQ(refused.error().kind, "cross_slot");
}

TEST(CommandKeys, RefusesACallWithFewerKeysThanItSays) {
    for (const Words& args :
         {Words{"FCALL", "f", "2", "a"}, Words{"FCALL", "f", "x", "a"}, Words{"FCALL", "f"}}) {
        const auto refused = slot_of(args);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().kind, "response_error");
    }
}

TEST(FunctionCommand, PutsTheCountBeforeTheKeys) {
    const Words key_names = {"k1", "k2"};
    const Words arguments = {"", "x"};
    const resp::Command command = function_command("ff_x", key_names, arguments);
    const auto args = command.args();
    EXPECT_EQ(Words(args.begin(), args.end()), Words({"FCALL", "ff_x", "2", "k1", "k2", "", "x"}));
}

}  // namespace
}  // namespace ff::store
