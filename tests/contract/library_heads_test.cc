#include <regex>
#include <set>
#include <sstream>

#include "model/function_catalogue.h"
#include "model/library.h"

namespace ff::contract {
namespace {

/// The head comment of a function: what stands in brackets is optional, what ends in dots repeats.
struct Head {
    std::string name{};
    std::vector<std::string> keys{};
    std::vector<std::string> argv{};
    bool has_reply = false;
    bool has_repeat = false;
    /// As registered.
    std::size_t keys_least = 0;
    std::size_t argv_least = 0;
    bool read_only = false;
};

std::vector<std::string> words(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

std::size_t required(const std::vector<std::string>& names) {
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (!name.starts_with("[") && !name.ends_with("...")) ++count;
    }
    return count;
}

std::vector<Head> heads() {
    static const std::regex tag("^-- @(\\w+)(?: (.*))?$");
    static const std::regex added(
        "^registry\\.add(_read_only|_growing)?\\(\"(\\w+)\", (\\d+), (\\d+),.*");
    std::vector<Head> out;
    std::istringstream in(model::library_text());
    std::smatch found;
    for (std::string line; std::getline(in, line);) {
        if (std::regex_match(line, found, tag)) {
            const std::string name = found[1];
            if (name == "function") out.push_back({.name = found[2]});
            if (out.empty()) continue;
            if (name == "keys") out.back().keys = words(found[2]);
            if (name == "argv") out.back().argv = words(found[2]);
            if (name == "reply") out.back().has_reply = true;
            if (name == "repeat") out.back().has_repeat = true;
        } else if (std::regex_match(line, found, added)) {
            EXPECT_FALSE(out.empty() || out.back().name != found[2])
                << line << ": no head above it";
            if (out.empty()) continue;
            out.back().read_only = found[1] == "_read_only";
            out.back().keys_least = std::stoul(found[3]);
            out.back().argv_least = std::stoul(found[4]);
        }
    }
    return out;
}

TEST(LibraryHeads, AgreeWithTheRegistrationAndTheCatalogue) {
    std::set<std::string> seen;
    for (const Head& head : heads()) {
        EXPECT_TRUE(seen.insert(head.name).second) << head.name << " stands twice";
        EXPECT_TRUE(head.has_reply && head.has_repeat) << head.name;
        const model::FunctionInfo* known = model::find_function(head.name);
        ASSERT_NE(known, nullptr) << head.name;
        EXPECT_EQ(head.keys_least, known->base_keys()) << head.name;
        EXPECT_EQ(head.argv_least, known->base_argv()) << head.name;
        EXPECT_EQ(required(head.keys), head.keys_least) << head.name;
        EXPECT_EQ(required(head.argv), head.argv_least) << head.name;
        EXPECT_EQ(head.read_only, known->read_only) << head.name;
    }
    EXPECT_GE(seen.size(), 22U);
}

}  // namespace
}  // namespace ff::contract
