#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "keyspace/keyspace_fixture.h"
#include "keyspace/sorted_set.h"

namespace ff::keyspace {
namespace {

constexpr const char* kNotInteger = "(error) ERR value is not an integer or out of range";
constexpr const char* kSyntax = "(error) ERR syntax error";
constexpr const char* kNotFloat = "(error) ERR value is not a valid float";
constexpr const char* kBadBound = "(error) ERR min or max is not a float";

TEST(SortedSetCommands, AddAndOverwrite) {
    Shell shell;
    EXPECT_EQ(shell("ZADD", "z", "1", "a", "2", "b", "3", "a"), "2");
    EXPECT_EQ(shell("ZADD", "z", "1.5", "b"), "0");
    EXPECT_EQ(shell("ZSCORE", "z", "a"), "\"3\"");
    EXPECT_EQ(shell("ZSCORE", "z", "b"), "\"1.5\"");
    EXPECT_EQ(shell("ZSCORE", "z", "x"), "nil");
    EXPECT_EQ(shell("ZSCORE", "none", "x"), "nil");
    EXPECT_EQ(shell("ZCARD", "z"), "2");
    EXPECT_EQ(shell("ZREM", "z", "a", "x"), "1");
    EXPECT_EQ(shell("ZREM", "z", "b"), "1");
    EXPECT_EQ(shell("EXISTS", "z"), "0");
    EXPECT_EQ(shell("ZREM", "z", "b"), "0");
}

TEST(SortedSetCommands, RefuseBadScoresBeforeStoringAny) {
    Shell shell;
    EXPECT_EQ(shell("ZADD", "z", "1", "a", "x", "b"), kNotFloat);
    for (const char* score : {"", " 1", "1 ", "nan", "1e400", "1e-400", "0x", "--1", "(1"}) {
        EXPECT_EQ(shell("ZADD", "z", score, "a"), kNotFloat) << score;
    }
    EXPECT_EQ(shell("ZADD", "z", "1", "a", "2"), kSyntax);
    for (const char* option : {"NX", "xx", "GT", "LT", "CH", "INCR"}) {
        EXPECT_EQ(shell("ZADD", "z", option, "1", "a"), kSyntax) << option;
        EXPECT_EQ(shell("ZADD", "z", option, "CH", "1", "a"), kSyntax) << option;
    }
    EXPECT_EQ(shell("EXISTS", "z"), "0");
}

TEST(Ch01, S46_ScoresOfPriorityQueuesAreExact) {
    Shell shell;
    shell("ZADD", "k", "-8998300000000000", "m");
    EXPECT_EQ(shell("ZSCORE", "k", "m"), "\"-8998300000000000\"");
    shell.resp3 = true;
    EXPECT_EQ(shell("ZSCORE", "k", "m"), ",-8998300000000000");
}

TEST(SortedSetCommands, RangeByRank) {
    Shell shell;
    shell("ZADD", "z", "3", "c", "1", "b", "1", "a", "inf", "d");
    EXPECT_EQ(shell("ZRANGE", "z", "0", "-1"), "[\"a\" \"b\" \"c\" \"d\"]");
    EXPECT_EQ(shell("ZRANGE", "z", "1", "2", "WITHSCORES"), "[\"b\" \"1\" \"c\" \"3\"]");
    EXPECT_EQ(shell("ZREVRANGE", "z", "0", "1", "withscores"), "[\"d\" \"inf\" \"c\" \"3\"]");
    EXPECT_EQ(shell("ZREVRANGE", "z", "-1", "-1"), "[\"a\"]");
    EXPECT_EQ(shell("ZRANGE", "z", "4", "9"), "[]");
    EXPECT_EQ(shell("ZRANGE", "none", "0", "-1", "WITHSCORES"), "[]");
    EXPECT_EQ(shell("ZRANGE", "z", "a", "9"), kNotInteger);
    EXPECT_EQ(shell("ZRANGE", "z", "0", "9", "REV"), kSyntax);
    EXPECT_EQ(shell("ZREVRANGE", "z", "0", "9", "BYSCORE"), kSyntax);
    EXPECT_EQ(shell("ZRANGE", "z", "0", "9", "LIMIT", "0", "1"),
              "(error) ERR syntax error, LIMIT is only supported in combination with either "
              "BYSCORE or BYLEX");
    shell.resp3 = true;
    EXPECT_EQ(shell("ZRANGE", "z", "0", "1", "WITHSCORES"), "[[\"a\" ,1] [\"b\" ,1]]");
    EXPECT_EQ(shell("ZRANGE", "z", "0", "1"), "[\"a\" \"b\"]");
}

TEST(SortedSetCommands, RangeByScore) {
    Shell shell;
    shell("ZADD", "z", "1", "a", "2", "b", "3", "c", "4", "d");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "2", "3"), "[\"b\" \"c\"]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "(2", "+inf"), "[\"c\" \"d\"]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "(2", "WITHSCORES"), "[\"a\" \"1\"]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "inf", "LIMIT", "1", "2"), "[\"b\" \"c\"]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "inf", "LIMIT", "1", "-1", "WITHSCORES"),
              "[\"b\" \"2\" \"c\" \"3\" \"d\" \"4\"]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "inf", "LIMIT", "4", "2"), "[]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "inf", "LIMIT", "-1", "2"), "[]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "-inf", "inf", "LIMIT", "0", "0"), "[]");
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "3", "2"), "[]");
    EXPECT_EQ(shell("ZRANGE", "z", "2", "4", "BYSCORE", "LIMIT", "1", "1"), "[\"c\"]");
    EXPECT_EQ(shell("ZCOUNT", "z", "(1", "4"), "3");
    EXPECT_EQ(shell("ZCOUNT", "none", "(1", "4"), "0");
    EXPECT_EQ(shell("ZCOUNT", "z", "x", "4"), kBadBound);
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "1", "nan"), kBadBound);
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "1", "2", "LIMIT", "1"), kSyntax);
    EXPECT_EQ(shell("ZRANGEBYSCORE", "z", "1", "2", "LIMIT", "x", "1"), kNotInteger);
    EXPECT_EQ(shell("ZREMRANGEBYSCORE", "z", "2", "x"), kBadBound);
    EXPECT_EQ(shell("ZREMRANGEBYSCORE", "z", "2", "(4"), "2");
    EXPECT_EQ(shell("ZREMRANGEBYSCORE", "z", "10", "20"), "0");
    EXPECT_EQ(shell("ZREMRANGEBYSCORE", "z", "-inf", "+inf"), "2");
    EXPECT_EQ(shell("EXISTS", "z"), "0");
}

/// Against a model, in sizes on both sides of every change of form.
TEST(SortedSet, AgreesWithAModel) {
    SeededRandom random(7);
    for (const std::uint64_t members : {20U, 100U, 5000U}) {
        SortedSet sorted;
        std::map<std::string, double> scores;
        std::set<std::pair<double, std::string>> order;
        for (std::uint64_t step = 0; step < members * 6; ++step) {
            const std::string member = "member-" + std::to_string(random.below(members));
            const auto score = static_cast<double>(random.below(members / 2));
            const auto known = scores.find(member);
            if (random.below(3) > 0) {
                const auto put = sorted.put(score, member);
                EXPECT_EQ(put == SortedSet::Put::Added, known == scores.end());
                if (known != scores.end()) order.erase({known->second, member});
                scores[member] = score;
                order.insert({score, member});
            } else {
                EXPECT_EQ(sorted.erase(member), known != scores.end());
                if (known != scores.end()) {
                    order.erase({known->second, member});
                    scores.erase(known);
                }
            }
            const ScoreBound bound{.score = score, .exclusive = random.below(2) == 0};
            const auto at = bound.exclusive ? order.lower_bound({score + 0.5, ""})
                                            : order.lower_bound({score, ""});
            if (step % 97 == 0) {
                EXPECT_EQ(sorted.rank_from(bound), std::distance(order.begin(), at));
            }
        }
        ASSERT_EQ(sorted.size(), order.size());
        std::vector<std::pair<double, std::string>> walked;
        const auto collect = [&walked](std::string_view member, double score) {
            walked.emplace_back(score, member);
        };
        sorted.for_ranks(0, sorted.size(), false, collect);
        EXPECT_TRUE(std::ranges::equal(walked, order));
        walked.clear();
        sorted.for_ranks(sorted.size() - 1, sorted.size(), true, collect);
        EXPECT_TRUE(std::equal(walked.begin(), walked.end(), order.rbegin(), order.rend()));
        sorted.erase_ranks(sorted.size() / 3, sorted.size() / 3);
        order.erase(std::next(order.begin(), static_cast<std::ptrdiff_t>(scores.size() / 3)),
                    std::next(order.begin(), static_cast<std::ptrdiff_t>(scores.size() / 3 * 2)));
        walked.clear();
        const SortedSet copy = sorted.clone();
        copy.for_ranks(0, copy.size(), false, collect);
        EXPECT_TRUE(std::ranges::equal(walked, order));
    }
}

}  // namespace
}  // namespace ff::keyspace
