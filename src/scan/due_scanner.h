#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/partition.h"
#include "scan/due_agenda.h"
#include "scan/scanner.h"

namespace ff::scan {

/// A member of an index whose time has come.
struct DueEntry {
    std::uint16_t partition = 0;
    /// Of indexes that a partition keeps for each lane.
    std::string lane{};
    std::string member{};
    Timestamp at{};
};

/// What tells one scanner of due entries from another.
struct DueRules {
    Kind kind{};
    /// The index, as announcements name it.
    std::string_view index{};
    std::size_t page = 50;
    model::PartitionFamily family = model::PartitionFamily::Flow;
    bool per_lane = false;
    /// Entries may stay where they are after they were dealt with.
    bool stays = false;
    std::string (*key)(const DuePlace& place) = nullptr;
    boost::asio::awaitable<void> (*act)(Cycle& cycle, std::vector<DueEntry> due) = nullptr;
};

/// Serves the entries of indexes that are ordered by due time: each cycle it learns what is due
/// where, and when the next one will be; in between it acts at exactly those times, and at those
/// that functions announce.
class DueScanner final : public Scanner {
  public:
    explicit DueScanner(const DueRules& rules) : rules_(rules) {}

    Kind kind() const override { return rules_.kind; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    std::optional<Timestamp> next_due() const override { return agenda_.next(); }
    bool heeds_messages() const override { return true; }
    bool announced(const Announcement& announcement) override;

  private:
    /// How far the pages of one place have come in this cycle.
    struct Walk {
        DuePlace place{};
        std::int64_t from = 0;
        bool from_start = true;
        std::size_t skip = 0;
        std::set<std::string> seen{};
    };

    std::vector<DuePlace> places(Cycle& cycle) const;
    /// Reads the next due time of each place; those where it has passed are the outcome.
    boost::asio::awaitable<std::vector<DuePlace>> look(Cycle& cycle, std::vector<DuePlace> places,
                                                       bool behind_now);
    boost::asio::awaitable<void> serve(Cycle& cycle, std::vector<DuePlace> places);
    boost::asio::awaitable<void> serve_some(Cycle& cycle, std::vector<DuePlace> places);
    /// One page of every walk; the walks whose page was full are the outcome.
    boost::asio::awaitable<std::vector<Walk>> turn_page(Cycle& cycle, std::vector<Walk> walks,
                                                        std::vector<DueEntry>& due);
    std::string lower_bound(const DuePlace& place) const;

    DueRules rules_;
    DueAgenda agenda_{};
    /// Of indexes where entries stay: everything up to here was dealt with.
    std::map<DuePlace, std::int64_t> served_up_to_{};
    std::uint64_t cycles_ = 0;
};

}  // namespace ff::scan
