#include "contract/bad_input.h"
#include "contract/contract.h"
#include "model/function_catalogue.h"

namespace ff::contract {
namespace {

/// Each argument and key of each function replaced in turn by what cannot be right. Whatever the
/// function makes of it, it answers; and what it refuses it leaves untouched.
class LibraryBadInputBase : public Contract {
  protected:
    /// A granted call in a partition of its own, which serves until a call has changed something.
    struct Ground {
        std::string tag{};
        GoodCall good{};
        std::map<std::string, std::string> before{};
    };
    Ground ground(const BadInputRow& row) const {
        Ground made;
        made.tag = another_tag();
        made.good = row.prepare(host(), made.tag);
        host().command({"SET", "text:" + made.tag, "x"});
        host().command({"ZADD", "scored:" + made.tag, "1", "x"});
        made.before = host().contents(made.tag);
        return made;
    }

    /// Listing keys takes as long as there are keys.
    void clear(const Ground& at) const {
        for (const auto& [key, content] : host().contents(at.tag)) host().command({"DEL", key});
    }

    /// True when the call was refused, as it must be to leave the ground untouched.
    static bool refused(const BadInputRow& row, const RespValue& reply, const std::string& what) {
        EXPECT_EQ(reply.kind, RespValue::Kind::Array) << what << " " << to_string(reply);
        const std::string first = element(reply, 1);
        EXPECT_TRUE(row.bare || first == "0" || first == "1") << what << " " << to_string(reply);
        return first == "0";
    }

    /// What must be as it was.
    std::map<std::string, std::string> kept(const BadInputRow& row,
                                            std::map<std::string, std::string> contents) const {
        if (!row.stamped.empty()) {
            std::erase_if(contents,
                          [&](const auto& entry) { return entry.first.ends_with(row.stamped); });
        }
        return contents;
    }

    void try_call(const BadInputRow& row, Ground& at, const List& keys, const List& args,
                  const std::string& what) const {
        const std::optional<std::uint64_t> changes = host().changes();
        const RespValue reply = host().fcall(row.function, keys, args);
        if (refused(row, reply, row.function + " " + what)) {
            if (changes && host().changes() == changes) return;
            EXPECT_EQ(kept(row, host().contents(at.tag)), kept(row, at.before))
                << row.function << " " << what;
        } else {
            clear(at);
            at = ground(row);
        }
    }
};

class LibraryBadInput : public LibraryBadInputBase {};

/// What decides here is Lua alone, so its two engines are enough.
INSTANTIATE_TEST_SUITE_P(On, LibraryBadInput,
                         ::testing::Values(HostKind::Embedded, HostKind::Valkey),
                         [](const auto& info) { return std::string(to_string(info.param)); });

const std::vector<std::string>& bad_values() {
    static const std::vector<std::string> values{"",
                                                 std::string(70'000, 'x'),
                                                 "abc",
                                                 "-1",
                                                 "nan",
                                                 "9007199254740992",
                                                 "1e3",
                                                 "{",
                                                 "+-1",
                                                 "0x10",
                                                 " 1",
                                                 "1.5",
                                                 std::string("\0\xff", 2)};
    return values;
}

TEST_P(LibraryBadInput, ArgumentsAreAnsweredAndRefusalsChangeNothing) {
    for (const BadInputRow& row : all_bad_input_rows()) {
        Ground at = ground(row);
        for (std::size_t i = 0; i < at.good.args.size(); ++i) {
            for (const std::string& value : bad_values()) {
                List args = at.good.args;
                args[i] = value;
                try_call(row, at, at.good.keys, args,
                         "argument " + std::to_string(i + 1) + " = " + value.substr(0, 20));
            }
        }
        clear(at);
    }
}

TEST_P(LibraryBadInput, KeysOfTheWrongTypeOrNameAreAnswered) {
    for (const BadInputRow& row : all_bad_input_rows()) {
        Ground at = ground(row);
        for (std::size_t i = 0; i < at.good.keys.size(); ++i) {
            for (const char* name : {"text:", "scored:", "ff:noop:"}) {
                List keys = at.good.keys;
                keys[i] = name + at.tag;
                try_call(row, at, keys, at.good.args,
                         "key " + std::to_string(i + 1) + " = " + name);
            }
        }
    }
}

TEST_P(LibraryBadInput, ARecordOfTheWrongTypeIsAnswered) {
    for (const BadInputRow& row : execution_rows()) {
        Ground at = ground(row);
        host().command({"SET", at.good.keys[0], "not a hash"});
        const auto before = host().contents(at.tag);
        const RespValue reply = host().fcall(row.function, at.good.keys, at.good.args);
        if (refused(row, reply, row.function + " on a text")) {
            EXPECT_EQ(host().contents(at.tag), before) << row.function;
        }
    }
}

TEST_P(LibraryBadInput, TheGoodCallsAreGranted) {
    for (const BadInputRow& row : all_bad_input_rows()) {
        const Ground at = ground(row);
        const RespValue reply = host().fcall(row.function, at.good.keys, at.good.args);
        EXPECT_EQ(element(reply, 1), row.bare ? "ADMITTED" : "1")
            << row.function << " " << to_string(reply);
    }
}

/// Callers built for earlier libraries name every key; what they do not name is derived.
TEST_P(LibraryBadInput, TheFirstKeyIsEnoughWhereTheCatalogueSaysSo) {
    std::size_t tried = 0;
    for (const BadInputRow& row : all_bad_input_rows()) {
        const model::FunctionInfo* known = model::find_function(row.function);
        ASSERT_NE(known, nullptr) << row.function;
        if (!known->keys.starts_with("1 or ")) continue;
        const Ground named = ground(row);
        const RespValue expected = host().fcall(row.function, named.good.keys, named.good.args);
        const std::size_t left = host().contents(named.tag).size();
        const Ground bare = ground(row);
        const RespValue reply =
            host().fcall(row.function, {bare.good.keys.front()}, bare.good.args);
        EXPECT_EQ(element(reply, 1), "1") << row.function << " " << to_string(reply);
        EXPECT_EQ(element(reply, 2), element(expected, 2)) << row.function;
        EXPECT_EQ(host().contents(bare.tag).size(), left) << row.function;
        ++tried;
    }
    EXPECT_GE(tried, 60U);
}

}  // namespace
}  // namespace ff::contract
