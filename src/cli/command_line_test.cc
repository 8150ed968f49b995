#include "cli/command_line.h"

#include <sstream>

#include <gtest/gtest.h>

#include "cli/flow_drawing.h"
#include "cli/session.h"
#include "cli/words.h"
#include "flowfabric/json.h"

namespace ff::cli {
namespace {

Words words_of(std::vector<std::string> arguments) {
    const auto understood = parse_command_line(std::move(arguments));
    const auto* words = std::get_if<Words>(&understood);
    return words == nullptr ? Words{.text = "a command", .exit_code = -1} : *words;
}

Parsed parsed(std::vector<std::string> arguments) {
    auto understood = parse_command_line(std::move(arguments));
    if (const auto* words = std::get_if<Words>(&understood)) {
        ADD_FAILURE() << words->text;
        return {};
    }
    return std::get<Parsed>(std::move(understood));
}

TEST(CommandLine, HandsTheArgumentsOfTheServerOnUnread) {
    const Parsed server = parsed({"server", "--listen", "h:1", "--help"});
    EXPECT_EQ(server.command->name, "server");
    EXPECT_EQ(server.arguments.rest(), (std::vector<std::string>{"--listen", "h:1", "--help"}));
}

TEST(CommandLine, ReadsOptionsPositionalsAndCommonOptionsAnywhere) {
    const Parsed submit = parsed({"--json", "submit", "kind", "--tag", "a=1", "--tag=b=2",
                                  "--priority", "7", "--server", "http://h:1"});
    EXPECT_EQ(submit.command->name, "submit");
    EXPECT_EQ(submit.arguments.text("kind"), "kind");
    EXPECT_EQ(submit.arguments.all("tag"), (std::vector<std::string>{"a=1", "b=2"}));
    EXPECT_EQ(*submit.arguments.integer("priority", 0, 0, 9), 7);
    EXPECT_TRUE(submit.arguments.has("json"));
    EXPECT_EQ(submit.arguments.text("server"), "http://h:1");
    EXPECT_EQ(parsed({"flow", "show", "f"}).command->name, "flow show");
}

TEST(CommandLine, HelpNamesEveryCommand) {
    const Words help = words_of({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const CommandSpec& spec : command_table()) {
        const std::string first(spec.name.substr(0, spec.name.find(' ')));
        if (!spec.hidden) {
            EXPECT_NE(help.text.find("  " + first), std::string::npos) << first;
        }
        if (spec.raw) continue;
        std::vector<std::string> arguments;
        for (std::string_view name = spec.name; !name.empty();) {
            const std::size_t end = std::min(name.find(' '), name.size());
            arguments.emplace_back(name.substr(0, end));
            name.remove_prefix(std::min(end + 1, name.size()));
        }
        arguments.emplace_back("--help");
        EXPECT_EQ(words_of(arguments).exit_code, 0) << spec.name;
        arguments.back() = "--no-such-option";
        EXPECT_EQ(words_of(arguments).exit_code, 2) << spec.name;
    }
}

TEST(CommandLine, RefusesWithTwoWhatItDoesNotUnderstand) {
    for (const std::vector<std::string>& bad :
         std::vector<std::vector<std::string>>{{},
                                               {"sever"},
                                               {"get"},
                                               {"version", "now"},
                                               {"list", "--state", "bogus"},
                                               {"completion", "fish"},
                                               {"flow"},
                                               {"submit", "--payload"}}) {
        const Words words = words_of(bad);
        EXPECT_EQ(words.exit_code, 2) << words.text;
        EXPECT_FALSE(words.text.empty());
    }
}

TEST(CommandLine, Repair_20_NamesTheUnknownOptionAndTheNearestOne) {
    const auto expect = [](std::vector<std::string> arguments, std::string_view said) {
        const Words words = words_of(std::move(arguments));
        EXPECT_EQ(words.exit_code, 2) << words.text;
        EXPECT_NE(words.text.find(said), std::string::npos) << words.text;
    };
    expect({"submit", "kind", "--paylod", "x"},
           "unknown option `--paylod`; did you mean `--payload`?");
    expect({"submit", "kind", "--priorty=4"}, "did you mean `--priority`?");
    expect({"list", "--sevrer", "http://h:1"}, "did you mean `--server`?");
    expect({"--sevrer", "http://h:1", "list"}, "did you mean `--server`?");
    expect({"list", "-l", "5"}, "unknown option `-l`");
    expect({"--server", "http://h:1", "list", "--stat", "x"}, "did you mean `--state`?");
    expect({"--server", "http://h:1", "list", "--state", "bogus"}, "--state");
    expect({"lst"}, "did you mean `list`?");
    // No command may be forgotten.
    for (const CommandSpec& spec : command_table()) {
        if (spec.raw) continue;
        std::vector<std::string> arguments;
        std::istringstream words{std::string(spec.name)};
        for (std::string word; words >> word;) arguments.push_back(word);
        for (const Positional& positional : spec.positionals)
            if (positional.required) arguments.emplace_back("x");
        arguments.emplace_back("--no-such-option");
        expect(arguments, "unknown option `--no-such-option`");
    }
}

TEST(CommandLine, VersionIsThreeNumbers) {
    int dots = 0;
    for (const char c : version()) dots += c == '.' ? 1 : 0;
    EXPECT_EQ(dots, 2) << version();
}

TEST(Arguments, RefuseWhatIsNoNumberOrPair) {
    Arguments arguments;
    arguments.add("limit", "12x");
    arguments.add("tag", "novalue");
    arguments.add("hard", "tokens=many");
    EXPECT_FALSE(arguments.integer("limit", 0, 0, 100).has_value());
    EXPECT_FALSE(arguments.pairs("tag").has_value());
    EXPECT_FALSE(arguments.amounts("hard").has_value());
    EXPECT_EQ(*arguments.integer("other", 5, 0, 100), 5);
}

TEST(FlowDrawing, ShowsLevelsStatesAndWhatANodeDependsOn) {
    const auto node = [](const char* id, const char* state) {
        return flowfabric::FlowMember{.execution_id = id, .name = id, .public_state = state};
    };
    const auto edge = [](const char* from, const char* to) {
        return flowfabric::FlowEdge{.upstream = from, .downstream = to};
    };
    const auto lines =
        draw_flow({node("join", "waiting_children"), node("a", "completed"), node("b", "failed")},
                  {edge("a", "join"), edge("b", "join")},
                  [](const std::string& state) { return "<" + state + ">"; });
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], "✓ a        <completed>");
    EXPECT_EQ(lines[1], "✗ b        <failed>");
    EXPECT_EQ(lines[2], "└─ · join  <waiting_children>  ← a, b");
    const auto siblings =
        draw_flow({node("a", "completed"), node("b", "failed"), node("c", "active")},
                  {edge("a", "b"), edge("a", "c")}, [](const std::string& state) { return state; });
    ASSERT_EQ(siblings.size(), 3U);
    EXPECT_TRUE(siblings[1].starts_with("├─ ✗ b")) << siblings[1];
    EXPECT_TRUE(siblings[2].starts_with("└─ ▶ c")) << siblings[2];
}

TEST(Table, ShowsTheColumnsThatFitTheTerminal) {
    const auto shown = [](std::size_t width) {
        const Programs none;
        const Session session({.width = width}, none);
        Table table({"NAME", "STATE", "KIND"});
        table.row({"a-name", "a-state", "a-kind"});
        ::testing::internal::CaptureStdout();
        session.print(table);
        return ::testing::internal::GetCapturedStdout();
    };
    EXPECT_EQ(shown(0), "NAME    STATE    KIND\na-name  a-state  a-kind\n");
    EXPECT_EQ(shown(23), shown(0));
    EXPECT_EQ(shown(22), "NAME    STATE\na-name  a-state\n");
    EXPECT_EQ(shown(3), "NAME\na-name\n");
}

TEST(Words, SayTimesAndIdsForPeople) {
    EXPECT_EQ(duration_text(999), "999 ms");
    EXPECT_EQ(duration_text(12'540), "12.5 s");
    EXPECT_EQ(duration_text(200'000), "3 min 20 s");
    EXPECT_EQ(duration_text(14'700'000), "4 h 5 min");
    EXPECT_EQ(duration_text(183'600'000), "2 d 3 h");
    EXPECT_EQ(age_text(1000, 3000), "2.0 s ago");
    EXPECT_EQ(age_text(3000, 1000), "in 2.0 s");
    EXPECT_EQ(age_text(0, 1000), "-");
    EXPECT_EQ(plain_id("{fp:86}:00000000-0000-4000-8000-000000000000"),
              "fp.86.00000000-0000-4000-8000-000000000000");
    EXPECT_EQ(plain_id("a-flow"), "a-flow");
    EXPECT_EQ(tag_filter("team=a:b"), "team:a:b");
    EXPECT_EQ(tag_filter("team:a=b"), "team:a=b");
}

}  // namespace
}  // namespace ff::cli
