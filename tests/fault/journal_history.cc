#include "journal_history.h"

namespace ff::fault {

using journal::Journal;
using journal::JournalState;
using journal::Sync;

std::string payload_of(std::uint64_t number) {
    std::string payload = std::to_string(number);
    payload.append(number * 37 % 800, static_cast<char>('a' + number % 26));
    return payload;
}

Result<Done> Content::snapshot_chunk(std::string_view chunk) {
    ++from_snapshot_;
    return take(chunk);
}

Result<Done> Content::record(std::string_view payload) {
    return take(payload);
}

Result<Done> Content::take(std::string_view payload) {
    ++items_;
    if (payload != payload_of(items_) && first_wrong_ == 0) first_wrong_ = items_;
    return Done{};
}

testing::AssertionResult Content::is_sequence() const {
    if (first_wrong_ == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "item " << first_wrong_ << " is not what was committed";
}

journal::JournalOptions History::journal_options() {
    return {.shard = 0, .segment_bytes = 6000, .grow_bytes = 2048, .mark_path = "store/mark-0"};
}

void History::run(journal::FileSystem& files) {
    Content content;
    Result<journal::Opened> opened = Journal::open(files, folder(), journal_options(), content);
    if (!opened) return;
    ASSERT_TRUE(content.is_sequence());
    ASSERT_GE(content.items(), acknowledged_);
    ASSERT_LE(content.items(), handed_over_);
    // What was found is promised from now on: a reader may have seen it.
    handed_over_ = content.items();
    acknowledged_ = content.items();
    for (std::uint32_t i = 0; i < options_.steps; ++i) {
        if (!step(*opened->journal)) return;
    }
}

bool History::step(Journal& journal) {
    const std::uint64_t choice = random_.below(8);
    if (choice == 0 && options_.snapshots) return snapshot(journal);
    const std::uint64_t records = random_.below(4);
    for (std::uint64_t i = 0; i < records; ++i) journal.append(payload_of(++handed_over_));
    return commit(journal, choice < 3 ? Sync::No : Sync::Yes);
}

bool History::commit(Journal& journal, Sync sync) {
    Result<Done> stored = journal.commit(sync);
    for (int tries = 0; !stored && journal.state() == JournalState::Stuck && tries < 5; ++tries) {
        stored = journal.retry_commit(sync);
    }
    if (stored && sync == Sync::Yes) acknowledged_ = handed_over_;
    return stored.has_value();
}

bool History::snapshot(Journal& journal) {
    Result<std::unique_ptr<journal::SnapshotWriter>> writer = journal.begin_snapshot();
    if (!writer) return journal.state() == JournalState::Open;
    acknowledged_ = handed_over_;
    const std::uint64_t items = handed_over_;
    // Commits go on while the snapshot is written.
    journal.append(payload_of(++handed_over_));
    if (!commit(journal, Sync::Yes)) return false;
    for (std::uint64_t i = 1; i <= items; ++i) {
        if (!(*writer)->write(payload_of(i))) return true;
    }
    // A failed snapshot is no failure of the journal.
    static_cast<void>((*writer)->finish().has_value());
    return true;
}

testing::AssertionResult History::check(journal::FileSystem& files) const {
    Content content;
    Result<journal::Opened> opened = Journal::open(files, folder(), journal_options(), content);
    if (!opened) return testing::AssertionFailure() << "refused: " << opened.error().text();
    if (!content.is_sequence()) return content.is_sequence();
    if (content.items() < acknowledged_) {
        return testing::AssertionFailure()
               << "holds " << content.items() << " of " << acknowledged_ << " acknowledged items";
    }
    if (content.items() > handed_over_) {
        return testing::AssertionFailure() << "holds more than was ever handed over";
    }
    return testing::AssertionSuccess();
}

}  // namespace ff::fault
