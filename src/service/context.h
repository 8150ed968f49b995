#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "base/time.h"
#include "model/partition.h"
#include "model/solo_partition.h"
#include "service/task_token.h"
#include "store/store.h"

namespace ff::sched {
class Claimer;
}  // namespace ff::sched

namespace ff::service {

/// What the operator decided about how the services behave.
struct Rules {
    model::PartitionConfig partitions{};
    /// Over how many partitions a lane's solo work is spread, as the claimer knows it too.
    std::uint16_t lane_spread = 1;
    std::map<std::string, std::uint16_t> lane_spread_overrides{};
    /// What task tokens say of the store behind this server.
    TokenStore token_store = TokenStore::Embedded;
    Millis retention_default{86'400'000};
    Millis flow_retention{604'800'000};
    Millis budget_ledger_ttl{2'592'000'000};
    Millis waitpoint_grace{86'400'000};
    bool secondary_indexes = true;
    /// Listings never show waitpoint tokens.
    bool redact_waitpoint_tokens = false;
};

/// What every service is made from. Everything lives on one loop and outlives the services.
struct Context {
    boost::asio::any_io_executor loop;
    store::Store& store;
    const Clock& clock;
    Random& random;
    const model::SoloPartitioner& partitioner;
    sched::Claimer& claimer;
    const Rules& rules;
};

}  // namespace ff::service
