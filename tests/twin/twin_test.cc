// One seeded stream of calls into two states, one compiled, one interpreted.
//   FF_TWIN_SEED=n   runs this seed only (a failure prints it)
//   FF_TWIN_CALLS=n  calls per seed
//   FF_TWIN_SEEDS=n  seeds per test
//   FF_TWIN_TALLY=1  prints how often each function was called, and how often it succeeded
//   FF_SOAK=1        20 million calls in all instead of 200 thousand

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "model/function_catalogue.h"
#include "twin/shrink.h"
#include "twin/story.h"
#include "twin/twin_host.h"

namespace ff::twin {
namespace {

/// Each seed gets a fresh pair of states: what is compiled depends on what ran before, so many
/// young pairs find more than one old pair. It also bounds the calls kept for shrinking.
constexpr std::uint64_t kCallsOfSeed = 1000;
#if defined(FF_SANITIZED)
constexpr std::uint64_t kSeeds = 5;
#else
constexpr std::uint64_t kSeeds = 50;
#endif
constexpr std::uint64_t kCallsThatReachAll = 40'000;
constexpr std::uint64_t kSeedsOfSoak = 5000;
/// LuaJIT decides with random numbers of its own when to compile, so a replay of the same calls may
/// pass. A shrunk list is dropped only after several times as many passes as the full one needed.
constexpr int kReplaysMax = 400;
constexpr int kPatience = 4;
constexpr std::chrono::seconds kReplayTime{30};
constexpr std::chrono::seconds kShrinkTime{60};
constexpr std::size_t kShownCalls = 100;

std::optional<std::uint64_t> number_from(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr) return std::nullopt;
    return std::strtoull(text, nullptr, 10);
}

PairOptions options_of(std::uint64_t seed, bool compile) {
    return {.compile = compile, .rehearsed = seed % 2 == 0};
}

/// What is different after these calls on fresh states; empty if nothing is.
std::string difference_after(const Calls& calls, const PairOptions& options) {
    PairOfStates states(options);
    for (const RecordedCall& call : calls) {
        std::string difference = states.run(call);
        if (!difference.empty()) return difference;
    }
    return states.compare_contents();
}

/// How many replays it took to see a difference; nothing if none of them showed one.
std::optional<int> replays_needed(const Calls& calls, const PairOptions& options, int most,
                                  std::string& difference) {
    const auto end = std::chrono::steady_clock::now() + kReplayTime;
    for (int i = 1; i <= most && std::chrono::steady_clock::now() < end; ++i) {
        std::string found = difference_after(calls, options);
        if (found.empty()) continue;
        difference = std::move(found);
        return i;
    }
    return std::nullopt;
}

std::string shrunk_text(const Calls& all, const PairOptions& options) {
    std::string difference;
    const auto needed = replays_needed(all, options, kReplaysMax, difference);
    if (!needed) return "a replay of these calls on fresh states shows no difference";
    const auto differs = [&](const Calls& calls) {
        return replays_needed(calls, options, kPatience * *needed, difference).has_value();
    };
    const Calls few = shrunk(all, differs, kShrinkTime);
    std::string out =
        std::to_string(few.size()) + " of " + std::to_string(all.size()) + " calls are enough:\n";
    for (std::size_t i = 0; i < few.size() && i < kShownCalls; ++i) {
        out += "  " + to_text(few[i]) + "\n";
    }
    return out + difference;
}

using Tallies = std::map<std::string, FunctionTally, std::less<>>;

/// False once there was a difference.
bool run_seed(std::uint64_t seed, std::uint64_t calls, const PairOptions& options,
              Tallies& tallies) {
    TwinHost host(options, seed);
    Story story(host, seed + 1);
    try {
        story.run(calls);
    } catch (const Difference& difference) {
        ADD_FAILURE() << "FF_TWIN_SEED=" << seed << " FF_TWIN_CALLS=" << calls << ", call "
                      << host.calls().size() << ": " << to_text(host.calls().back()) << "\n"
                      << difference.what() << "\n"
                      << shrunk_text(host.calls(), options);
        return false;
    }
    for (const auto& [name, tally] : host.tallies()) {
        tallies[name].calls += tally.calls;
        tallies[name].granted += tally.granted;
    }
    return true;
}

/// Every function of the library was called and succeeded at least once.
void check_coverage(const Tallies& tallies) {
    for (const model::FunctionInfo& function : model::function_catalogue()) {
        const auto found = tallies.find(function.name);
        ASSERT_NE(found, tallies.end()) << function.name << " was never called";
        EXPECT_GT(found->second.granted, 0U) << function.name << " never succeeded";
    }
}

void run_seeds(std::uint64_t first) {
    const auto one = number_from("FF_TWIN_SEED");
    const std::uint64_t calls = number_from("FF_TWIN_CALLS").value_or(kCallsOfSeed);
    const bool is_long = std::getenv("FF_SOAK") != nullptr;
    const std::uint64_t count =
        one ? 1 : number_from("FF_TWIN_SEEDS").value_or(is_long ? kSeedsOfSoak : kSeeds);
    Tallies tallies;
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t seed = one.value_or(first * 1'000'000 + i);
        if (!run_seed(seed, calls, options_of(seed, true), tallies)) return;
    }
    for (const auto& [name, tally] : tallies) {
        total += tally.calls;
        if (std::getenv("FF_TWIN_TALLY") != nullptr) {
            std::cout << name << " " << tally.calls << " " << tally.granted << "\n";
        }
    }
    std::cout << count << " seeds, " << total << " calls\n";
    if (!one && total >= kCallsThatReachAll) check_coverage(tallies);
}

/// The control: a difference here is a defect of the comparison, not of the compiler.
TEST(Twin, TwoInterpretedStatesDoTheSame) {
    constexpr std::uint64_t kControlSeeds = 4;
    Tallies tallies;
    for (std::uint64_t seed = 0; seed < kControlSeeds; ++seed) {
        ASSERT_TRUE(run_seed(seed, kCallsOfSeed, options_of(seed, false), tallies));
    }
}

/// The first call of a state prepares all later ones, and that must not show.
TEST(Twin, TheFirstCallIsLikeAnyOther) {
    PairOfStates states({});
    const RecordedCall set_lane{
        std::chrono::microseconds(1'700'000'000'000'482),
        {"FCALL", "ff_set_lane", "1", "ff:lane:lane:config", "lane", "scheduling_weight", "7"}};
    EXPECT_EQ(states.run(set_lane), "");
}

TEST(Twin, CompiledAndInterpretedDoTheSame1) {
    run_seeds(1);
}
TEST(Twin, CompiledAndInterpretedDoTheSame2) {
    run_seeds(2);
}
TEST(Twin, CompiledAndInterpretedDoTheSame3) {
    run_seeds(3);
}
TEST(Twin, CompiledAndInterpretedDoTheSame4) {
    run_seeds(4);
}

}  // namespace
}  // namespace ff::twin
