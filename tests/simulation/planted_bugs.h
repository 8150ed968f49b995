#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ff::simulation {

/// One rule broken on purpose. The simulator is worth what it finds of these.
struct PlantedBug {
    /// Where the rule is broken: in the text of the library, or in what the store stands on.
    enum class Place : std::uint8_t {
        Library,
        SyncSkipped,         // the disk answers a sync and has not done it
        FolderNotSynced,     // new names of files are not made to last
        AnsweredTooEarly,    // replies leave before their writes are stored
        MissingTakenForNew,  // nothing knows which files there were
        CutTakenForTorn,     // nothing knows how long a log was
        RemovedUnnoticed,    // nobody looks whether an open log still has its name
        MemoryUnlimited,     // the store has no limit
        LeapBelieved,        // its time follows the clock wherever that goes
        TimersNotHeld,       // servers do not ask whether the time is doubted
        LeasesNotHeld,       // leases go on while nobody can renew them
    };

    std::string_view name{};
    /// What is wrong, in one line.
    std::string_view rule{};
    /// Of a defect that this product once had: the commit before which it was so.
    std::string_view until{};
    Place place = Place::Library;
    /// Stands exactly once in the library's text.
    std::string_view right{};
    std::string_view wrong{};
};

std::span<const PlantedBug> planted_bugs();
/// Empty if there is no such bug.
const PlantedBug* find_planted(std::string_view name);
/// The library's text with the bug in it, if there is one there; without one, as it is.
std::string library_with(const PlantedBug* bug);

}  // namespace ff::simulation
