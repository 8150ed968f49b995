#include "cli/command_line.h"

#include <gtest/gtest.h>

namespace ff::cli {
namespace {

Words words_of(std::vector<std::string> arguments) {
    const Command command = parse_command_line(std::move(arguments));
    const auto* words = std::get_if<Words>(&command);
    return words == nullptr ? Words{.text = "a command", .exit_code = -1} : *words;
}

TEST(CommandLine, UnderstandsServerAndVersion) {
    EXPECT_EQ(std::get<ServerCommand>(parse_command_line({"server"})), ServerCommand{});
    EXPECT_EQ(std::get<ServerCommand>(parse_command_line({"server", "--listen", "h:1"})),
              ServerCommand{.listen = "h:1"});
    EXPECT_EQ(std::get<ServerCommand>(parse_command_line({"server", "--listen=h:1"})),
              ServerCommand{.listen = "h:1"});
    EXPECT_EQ(std::get<VersionCommand>(parse_command_line({"version"})), VersionCommand{});
}

TEST(CommandLine, HelpNamesTheSubcommandsAndSettings) {
    const Words help = words_of({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const std::string part : {"server", "version", "FF_LISTEN_ADDR"})
        EXPECT_NE(help.text.find(part), std::string::npos) << help.text;
    EXPECT_NE(words_of({"server", "--help"}).text.find("--listen"), std::string::npos);
}

TEST(CommandLine, RefusesWithTwoWhatItDoesNotUnderstand) {
    EXPECT_EQ(words_of({}).exit_code, 2);
    EXPECT_EQ(words_of({"sever"}).exit_code, 2);
    EXPECT_EQ(words_of({"server", "--port", "1"}).exit_code, 2);
    EXPECT_EQ(words_of({"server", "--listen"}).exit_code, 2);
    EXPECT_EQ(words_of({"version", "now"}).exit_code, 2);
    EXPECT_FALSE(words_of({"sever"}).text.empty());
}

TEST(CommandLine, VersionIsThreeNumbers) {
    int dots = 0;
    for (const char c : version()) dots += c == '.' ? 1 : 0;
    EXPECT_EQ(dots, 2) << version();
}

}  // namespace
}  // namespace ff::cli
