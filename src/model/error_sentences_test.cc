#include "model/error_sentences.h"

#include <gtest/gtest.h>

#include "model/error_catalogue.h"

namespace ff::model {
namespace {

TEST(ErrorSentences, EveryCodeHasOne) {
    for (const ErrorInfo& info : error_catalogue()) {
        const std::string bare = sentence_of(make_error(info.code));
        EXPECT_NE(bare.find(' '), std::string::npos) << info.code << ": " << bare;
        EXPECT_TRUE(bare.ends_with('.')) << info.code << ": " << bare;
        EXPECT_EQ(bare.find_first_of("{}"), std::string::npos) << info.code << ": " << bare;
        // Some errors come with a sentence of their own.
        if (!make_error(info.code, {"a", "b", "c", "d", "e"}).message.empty()) continue;
        const std::string full = sentence_of(make_error(info.code, {"a", "b", "c", "d", "e"}));
        EXPECT_TRUE(full.ends_with('.')) << info.code << ": " << full;
        EXPECT_EQ(full.find("  "), std::string::npos) << info.code << ": " << full;
    }
}

TEST(ErrorSentences, SayWhatHappenedToWhat) {
    EXPECT_EQ(
        sentence_of(make_error("execution_not_active",
                               {"success", "2", "terminal", "a", "complete", "l", "0"})),
        "The execution is not being worked on now: its phase is terminal, its outcome success. "
        "Claim it first, or leave it alone if it has ended.");
    EXPECT_EQ(sentence_of(make_error("lane_not_accepting", {"gpu"})),
              "The lane gpu takes no new work. Activate it, or choose another one.");
    EXPECT_EQ(sentence_of(make_error("lane_not_accepting")),
              "The lane takes no new work. Activate it, or choose another one.");
    EXPECT_EQ(
        sentence_of(make_error("rate_limit_exceeded", {"250"})),
        "A quota or a limit of requests lets no more in for now, for 250 ms. Repeat it later.");
    EXPECT_EQ(sentence_of(make_error("already_member_of_different_flow:x")),
              "The execution is a member of another flow.");
}

TEST(ErrorSentences, NameTheFieldOfBadInput) {
    EXPECT_EQ(sentence_of(invalid_input("lane_id", "missing")), "lane_id is missing.");
    EXPECT_EQ(
        sentence_of(invalid_input("id", "MissingTag(nope)")),
        "id 'nope' is no id of an execution; those look like fp.86.<uuid> or {fp:86}:<uuid>.");
    EXPECT_EQ(sentence_of(invalid_input("completions[2].lease", "not_object")),
              "completions[2].lease must be an object.");
    EXPECT_EQ(sentence_of(invalid_input("tokens", "can only be omit")),
              "tokens is not valid: can only be omit.");
    Error own = invalid_input("a", "unknown");
    own.message = "unknown field `a`";
    EXPECT_EQ(sentence_of(own), "unknown field `a`");
}

TEST(ErrorSentences, DetailsHaveNames) {
    const auto named =
        named_details(make_error("execution_not_active", {"success", "2", "terminal"}));
    ASSERT_EQ(named.size(), 3U);
    EXPECT_EQ(named[1].first, "lease_epoch");
    EXPECT_EQ(named[1].second, "2");
    const auto field = named_details(invalid_input("a.b", "too_long"));
    ASSERT_EQ(field.size(), 2U);
    EXPECT_EQ(field[0].second, "a.b");
    EXPECT_EQ(field[1].second, "too_long");
    const auto told = named_details(invalid_input("a[0]:b", "is not empty: /tmp/c:d"));
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].second, "a[0]:b");
    EXPECT_EQ(told[1].second, "is not empty: /tmp/c:d");
    EXPECT_TRUE(named_details(make_error("stale_lease", {"x"})).empty());
}

}  // namespace
}  // namespace ff::model
