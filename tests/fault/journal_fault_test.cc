#include <array>
#include <cstdlib>

#include "journal_history.h"

// Disk faults and power cuts against one journal. Every run replays from the numbers it prints.

namespace ff::fault {
namespace {

using journal::Fault;
using journal::FaultyFileSystem;
using journal::Operation;

constexpr std::uint64_t kPowerCuts = 6;

std::uint64_t seeds() {
    return std::getenv("FF_SOAK") != nullptr ? 200 : 10;
}

std::uint64_t operations_of(std::uint64_t seed) {
    FaultyFileSystem files;
    History history({.seed = seed});
    history.run(files);
    return files.operations();
}

/// Runs the history of `seed` with one fault, cuts the power, and looks; then goes on from there
/// and cuts it again.
void run_with_fault(std::uint64_t seed, std::uint64_t index, Fault fault) {
    FaultyFileSystem files;
    files.fail_at(index, fault);
    History history({.seed = seed});
    history.run(files);
    EXPECT_TRUE(history.check(*files.restart())) << "after a restart";
    for (std::uint64_t cut = 0; cut < kPowerCuts; ++cut) {
        const std::uint64_t cut_seed = cut == 0 ? 0 : seed * 1000 + index * 10 + cut;
        const std::unique_ptr<FaultyFileSystem> found = files.crash(cut_seed);
        EXPECT_TRUE(history.check(*found)) << "after power cut " << cut_seed;
    }
    const std::unique_ptr<FaultyFileSystem> second = files.crash(seed + index);
    history.run(*second);
    EXPECT_TRUE(history.check(*second->crash(seed + index + 1))) << "after the second power cut";
}

class JournalFault : public testing::TestWithParam<Fault> {};

TEST_P(JournalFault, AtAnyOperationLosesNothingAcknowledged) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        const std::uint64_t operations = operations_of(seed);
        ASSERT_GT(operations, 30U);
        for (std::uint64_t index = 0; index < operations; ++index) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(index));
            run_with_fault(seed, index, GetParam());
            if (HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, JournalFault,
                         testing::Values(Fault::NoSpace, Fault::ShortWrite, Fault::Io,
                                         Fault::Crash));

TEST(JournalFaults, ManyInOneRunLoseNothingAcknowledged) {
    constexpr std::array<Fault, 4> kKinds = {Fault::NoSpace, Fault::ShortWrite, Fault::ShortWrite,
                                             Fault::Io};
    for (std::uint64_t seed = 100; seed < 100 + seeds() * 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        auto files = std::make_unique<FaultyFileSystem>();
        SeededRandom random(seed);
        History history({.seed = seed});
        for (int life = 0; life < 4; ++life) {
            for (int i = 0; i < 6; ++i) files->fail_at(random.below(120), kKinds[random.below(4)]);
            history.run(*files);
            files = random.below(3) == 0 ? files->restart() : files->crash(random.u64());
            ASSERT_TRUE(history.check(*files->crash(0)));
        }
    }
}

TEST(JournalFaults, AFailedSyncIsNeverFollowedByAnAcknowledgement) {
    FaultyFileSystem files;
    Content content;
    Result<journal::Opened> opened =
        journal::Journal::open(files, History::folder(), History::journal_options(), content);
    ASSERT_TRUE(opened);
    journal::Journal& journal = *opened->journal;
    journal.append(payload_of(1));
    ASSERT_TRUE(journal.commit(journal::Sync::Yes));
    files.fail_next(Operation::Sync, Fault::Io);
    journal.append(payload_of(2));
    EXPECT_FALSE(journal.commit(journal::Sync::Yes));
    EXPECT_EQ(journal.state(), journal::JournalState::Failed);
    // The system now takes the lost pages for clean, so a second sync would lie.
    EXPECT_FALSE(journal.commit(journal::Sync::Yes));
    EXPECT_FALSE(journal.sync());
    Content found;
    ASSERT_TRUE(journal::Journal::open(*files.crash(0), History::folder(),
                                       History::journal_options(), found));
    EXPECT_EQ(found.items(), 1U);
}

}  // namespace
}  // namespace ff::fault
