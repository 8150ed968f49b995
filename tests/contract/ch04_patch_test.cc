#include <algorithm>
#include <cstdlib>

#include "base/random.h"
#include "contract/streams.h"

namespace ff::contract {
namespace {

/// A JSON value as the test knows it: the text of anything that is no object, or members in order.
struct Value {
    /// Of a member; `spelled` is the name as written, quotes included: the first spelling stays.
    std::string name{};
    std::string spelled{};
    std::string text{};
    bool is_object = false;
    std::vector<Value> members{};
};

std::vector<Value>::iterator find(std::vector<Value>& members, const std::string& name) {
    return std::find_if(members.begin(), members.end(),
                        [&](const Value& one) { return one.name == name; });
}

/// RFC 7396 in its own words, with the sentinel that stores a null.
void merge(Value& target, const Value& patch) {
    for (const Value& change : patch.members) {
        auto known = find(target.members, change.name);
        if (change.text == "null") {
            if (known != target.members.end()) target.members.erase(known);
            continue;
        }
        if (known == target.members.end()) {
            target.members.push_back({.name = change.name, .spelled = change.spelled});
            known = target.members.end() - 1;
        }
        if (change.is_object) {
            known->is_object = true;
            known->text.clear();
            merge(*known, change);
        } else {
            known->is_object = false;
            known->members.clear();
            known->text = change.text == "\"__ff_null__\"" ? "null" : change.text;
        }
    }
}

std::string compact(const Value& value) {
    if (!value.is_object) return value.text;
    std::string out = "{";
    for (const Value& one : value.members) {
        if (out.size() > 1) out += ",";
        out += one.spelled + ":" + compact(one);
    }
    return out + "}";
}

class Writer {
  public:
    explicit Writer(std::uint64_t seed) : random_(seed) {}

    Value object(int depth) {
        Value made{.is_object = true};
        for (std::uint64_t i = random_.below(4); i > 0; --i) {
            const auto& [name, spelled] = kNames[random_.below(kNames.size())];
            if (find(made.members, name) != made.members.end()) continue;
            made.members.push_back(value(depth));
            made.members.back().name = name;
            made.members.back().spelled = spelled;
        }
        return made;
    }
    /// With blanks wherever JSON allows them; other text than `compact` for the same value.
    std::string spaced(const Value& value) {
        if (!value.is_object) return blank() + value.text + blank();
        std::string out = blank() + "{" + blank();
        for (const Value& one : value.members) {
            if (&one != &value.members.front()) out += "," + blank();
            out += one.spelled + blank() + ":" + spaced(one);
        }
        return out + "}" + blank();
    }

  private:
    Value value(int depth) {
        if (depth > 0 && random_.below(3) == 0) return object(depth - 1);
        return {.text = kScalars[random_.below(kScalars.size())]};
    }
    std::string blank() {
        static const std::vector<std::string> kBlanks{"", "", "", " ", "\n\t", "\r\n  "};
        return kBlanks[random_.below(kBlanks.size())];
    }

    static inline const std::vector<std::pair<std::string, std::string>> kNames{
        {"a", "\"a\""},
        {"a", R"("\u0061")"},
        {"b", "\"b\""},
        {"\"", R"("\"")"},
        {"\\", R"("\\")"},
        {"\\", R"("\u005C")"},
        {"\\n", R"("\\n")"},
        {"\n", R"("\n")"},
        {"", "\"\""},
        {"/", "\"/\""},
        {"/", R"("\/")"},
        {"\xc3\xa9", "\"\xc3\xa9\""},
        {"\xc3\xa9", R"("\u00e9")"}};
    static inline const List kScalars{"null",
                                      "null",
                                      "true",
                                      "false",
                                      "0",
                                      "-0",
                                      "1.0",
                                      "1e400",
                                      "9007199254740993",
                                      "-1.50E-7",
                                      "\"\"",
                                      "\"__ff_null__\"",
                                      R"("x\ty\u20ac\\")",
                                      "[]",
                                      "[ 1 , [ ] , {\"a\": null} ]",
                                      R"(["__ff_null__",{"b":[{}]}])",
                                      "\"\xf0\x9f\x98\x80\""};
    SeededRandom random_;
};

class PatchContract : public StreamContract {
  protected:
    static constexpr std::uint64_t kRuns = 40;
    static constexpr int kPatches = 15;

    void play(std::uint64_t seed) const {
        Writer writer(seed);
        const Execution e = active();
        Value expected{.is_object = true};
        for (int i = 1; i <= kPatches; ++i) {
            const Value patch = writer.object(3);
            const std::string text = writer.spaced(patch);
            const RespValue reply = append(e, {.payload = text, .mode = "summary"});
            ASSERT_EQ(element(reply, 5), std::to_string(i)) << text << " " << to_string(reply);
            merge(expected, patch);
            ASSERT_EQ(element(summary(e), 3), compact(expected)) << text;
        }
    }
};

FF_CONTRACT_SUITE(Ch04Patch, PatchContract);

/// FF_SEED=<n> replays the run that a failure names.
TEST_P(Ch04Patch, MergingTextEqualsMergingValues) {
    if (const char* only = std::getenv("FF_SEED")) {
        play(std::strtoull(only, nullptr, 10));
        return;
    }
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        play(seed);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace ff::contract
