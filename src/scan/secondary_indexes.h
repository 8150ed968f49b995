#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scan/cycle.h"

namespace ff::scan {

/// What listings by namespace and tag know an execution by.
struct Listing {
    model::ExecutionId execution_id;
    std::string ns{};
    std::string created_at{};
    std::string lane{};
    bool unfinished = false;
    std::vector<std::pair<std::string, std::string>> tags{};
};

/// Reads namespaces and tags, in the order of the ids. Without an answer for one that cannot be
/// read; its namespace is empty if it is gone.
boost::asio::awaitable<std::vector<std::optional<Listing>>> read_listings(
    Cycle& cycle, std::vector<model::ExecutionId> ids);

/// Enters the lanes of unfinished executions that no scanner knows, because a lane was deleted
/// while somebody still used it.
boost::asio::awaitable<void> enter_lanes(Cycle& cycle, const std::vector<Listing>& listings);
/// Adds executions to the listings in which they are missing.
boost::asio::awaitable<void> list_missing(Cycle& cycle, std::vector<Listing> listings);
/// Takes executions that are gone off the listings.
boost::asio::awaitable<void> unlist(Cycle& cycle, std::vector<Listing> listings);

}  // namespace ff::scan
