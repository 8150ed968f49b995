#include "report.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace ff::bench {
namespace {

TEST(Report, PrintsATableAndWritesAFlatObject) {
    const testing::TempDir folder;
    std::string out = folder.file("figures.json");
    std::string program = "bench";
    std::string option = "--out";
    char* argv[] = {program.data(), option.data(), out.data()};
    Report report("title", 3, argv);
    report.add("calls_per_s", 1234.5, "1/s");
    report.add_ratio("ours_over_theirs", 3, 4);
    EXPECT_EQ(report.value("ours_over_theirs"), 0.75);
    EXPECT_EQ(report.to_table(),
              "title\n"
              "  calls_per_s               1234 1/s\n"
              "  ours_over_theirs        0.7500\n");
    EXPECT_EQ(report.finish(), 0);
    EXPECT_EQ(testing::read_file(out), "{\"calls_per_s\":1234.5,\"ours_over_theirs\":0.75}\n");
}

TEST(Report, SaysThatItCannotWrite) {
    std::string program = "bench";
    std::string option = "--out";
    std::string out = "/dev/null/no/file";
    char* argv[] = {program.data(), option.data(), out.data()};
    EXPECT_EQ(Report("title", 3, argv).finish(), 1);
}

TEST(NanosecondsPerCall, GrowsWithTheWork) {
    volatile unsigned sink = 0;
    const auto work = [&sink](unsigned turns) {
        for (unsigned i = 0; i < turns; ++i) sink = sink + i;
    };
    const MeasureOptions quick{.round = std::chrono::milliseconds(5), .rounds = 3};
    const double little = nanoseconds_per_call([&] { work(100); }, quick);
    const double much = nanoseconds_per_call([&] { work(10'000); }, quick);
    EXPECT_GT(much, little * 5);
}

}  // namespace
}  // namespace ff::bench
