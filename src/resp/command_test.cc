#include "resp/command.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ff::resp {
namespace {

std::vector<std::string> texts(const Command& command) {
    std::vector<std::string> out;
    for (const std::string_view one : command.args()) out.emplace_back(one);
    return out;
}

TEST(Command, IsBuiltInItsWireForm) {
    Command command("SET");
    command.arg("k").arg(-5).arg(0.5);
    EXPECT_EQ(command.wire(), "*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n-5\r\n$3\r\n0.5\r\n");
    EXPECT_EQ(texts(command), (std::vector<std::string>{"SET", "k", "-5", "0.5"}));
    EXPECT_EQ(command.argv(4), "");
}

TEST(Command, JoinsPartsIntoOneArgument) {
    Command command("GET");
    command.arg_parts({"ff:exec:", "{fp:1}", ":", std::string_view("\0", 1)});
    EXPECT_EQ(command.argv(1), std::string("ff:exec:{fp:1}:\0", 16));
}

TEST(Command, KeepsItsArgumentsWhileItGrows) {
    Command command("MSET");
    std::vector<std::string> expected{"MSET"};
    for (int i = 0; i < 1200; ++i) {
        expected.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
        command.arg(expected.back());
    }
    EXPECT_EQ(texts(command), expected);
    EXPECT_TRUE(command.wire().starts_with("*1201\r\n$4\r\nMSET\r\n"));
}

TEST(Command, TakesBytesOfItself) {
    Command command("ECHO");
    command.arg(std::string(400, 'a'));
    for (int i = 0; i < 6; ++i) command.arg(command.argv(1));
    for (std::size_t i = 1; i < command.argc(); ++i) EXPECT_EQ(command.argv(i).size(), 400U);
    command.append(command.args());
    EXPECT_EQ(command.argc(), 16U);
    EXPECT_EQ(command.argv(8), "ECHO");
}

TEST(Command, IsAValue) {
    Command original("GET");
    original.arg("key");
    Command copy = original;
    EXPECT_EQ(copy, original);
    copy.arg("more");
    EXPECT_NE(copy, original);
    const std::string_view wire = original.wire();
    const Command moved = std::move(original);
    EXPECT_EQ(moved.wire().data(), wire.data()) << "views survive a move";
    original = copy;
    EXPECT_EQ(original.argc(), 3U);
    original.clear();
    EXPECT_TRUE(original.wire().empty());
    EXPECT_EQ(original.arg("PING").wire(), "*1\r\n$4\r\nPING\r\n");
    EXPECT_TRUE(Command().wire().empty());
    EXPECT_EQ(Command(Command()).argc(), 0U);
}

}  // namespace
}  // namespace ff::resp
