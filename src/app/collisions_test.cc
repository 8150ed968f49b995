#include "app/collisions.h"

#include <gtest/gtest.h>

namespace ff::app {
namespace {

Collisions with(std::size_t colliding, std::size_t lanes) {
    return {.lanes = lanes, .colliding = std::vector<std::string>(colliding, "x")};
}

TEST(Collisions, AreGradedInIntegers) {
    using enum Collisions::Severity;
    EXPECT_EQ(with(0, 10).severity(), Clean);
    EXPECT_EQ(with(2, 41).severity(), Watch);
    EXPECT_EQ(with(2, 40).severity(), Elevated);
    EXPECT_EQ(with(3, 20).severity(), Elevated);
    EXPECT_EQ(with(4, 26).severity(), Remediate);
    EXPECT_EQ(with(2, 2).severity(), Remediate);
}

TEST(Collisions, AreFoundByPartition) {
    Settings settings;
    settings.partitions = *model::PartitionConfig::create({.flow = 1});
    settings.lanes = {*model::LaneId::parse("a"), *model::LaneId::parse("b")};
    const Collisions found = find_collisions(settings);
    EXPECT_EQ(found.colliding, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(found.to_text(),
              "partitions: 1\nlanes: 2\ncolliding lanes: 2\n  a\n  b\nseverity: Remediate\n");
}

TEST(Collisions, RefuseWhatTheyDoNotUnderstandWithTwo) {
    const Environment none = [](std::string_view) { return std::nullopt; };
    const Environment bad = [](std::string_view name) {
        return name == "FF_LANES" ? std::optional<std::string>("a,a") : std::nullopt;
    };
    EXPECT_EQ(run_admin({}, none), 2);
    EXPECT_EQ(run_admin({"partition-collision"}, none), 2);
    EXPECT_EQ(run_admin({"partition-collisions"}, bad), 2);
    EXPECT_EQ(run_admin({"partition-collisions"}, none), 0);
}

TEST(Collisions, Repair_20_NameTheUnknownArgument) {
    const Environment none = [](std::string_view) { return std::nullopt; };
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_admin({"partition-collision"}, none), 2);
    EXPECT_EQ(run_admin({"partition-collisions", "--lanes=a"}, none), 2);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("did you mean `partition-collisions`?"), std::string::npos) << said;
    EXPECT_NE(said.find("unknown argument `--lanes=a`"), std::string::npos) << said;
}

}  // namespace
}  // namespace ff::app
