// A claim that carries an id can be repeated after its reply was lost, on any server. The functions
// keep a record of the tasks in each partition that gave some. So that a first claim need not ask
// every partition, it looks at home, in the lanes' own partitions, and one of these is the anchor:
// before anything is taken elsewhere, a mark is left there. A repetition that finds neither the
// mark nor a record at home has nothing to collect anywhere.

#include <algorithm>

#include "engine/operation.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "sched/claim_waits.h"
#include "sched/claimer.h"

namespace ff::sched {
namespace {

/// With more of them, home is the anchor alone.
constexpr std::size_t kHomesMost = 16;

std::string request_key(std::uint16_t partition, const ClaimRequest& request,
                        std::string_view request_id) {
    return model::IndexKeys(partition).claim_request(request.worker_instance_id, request_id);
}

}  // namespace

std::uint16_t Claimer::anchor_of(const ClaimRequest& request) const {
    const model::LaneId& first = *std::ranges::min_element(request.lanes);
    return partitioner_.partition(first, options_.partitions);
}

std::vector<std::uint16_t> Claimer::own_partitions(const model::LaneId& lane) const {
    const std::uint16_t solo = partitioner_.partition(lane, options_.partitions);
    return model::LaneSpread{spread_of(lane)}.partitions(solo, options_.partitions);
}

std::vector<std::uint16_t> Claimer::homes_of(const ClaimRequest& request) const {
    std::vector<std::uint16_t> homes;
    for (const model::LaneId& lane : request.lanes) {
        std::ranges::copy(own_partitions(lane), std::back_inserter(homes));
        if (homes.size() > kHomesMost) return {anchor_of(request)};
    }
    std::ranges::sort(homes);
    homes.erase(std::ranges::unique(homes).begin(), homes.end());
    return homes;
}

Task<Done> Claimer::leave_mark(Round& round) {
    const ClaimRequest& request = round.request;
    if (round.marked || request.claim_id.empty()) co_return Done{};
    const std::string key = request_key(anchor_of(request), request, mark_id(request.claim_id));
    // As long as any lease of this claim may last.
    const std::string ttl = std::to_string((request.wait + request.lease_ttl).count());
    store::Call mark = store::plain({"SET", key, "1", "PX", ttl}, true);
    FF_CO_TRY(const store::Reply stored, co_await store_.call(std::move(mark)));
    round.marked = true;
    co_return Done{};
}

Task<bool> Claimer::collect_earlier(Round& round) {
    const ClaimRequest& request = round.request;
    std::vector<store::Call> looks;
    const auto look_at = [&](std::uint16_t partition, std::string_view id) {
        looks.push_back(store::plain({"EXISTS", request_key(partition, request, id)}, true));
    };
    look_at(anchor_of(request), mark_id(request.claim_id));
    const std::string second = second_request_id(request.claim_id);
    for (const std::uint16_t home : homes_of(request)) {
        look_at(home, request.claim_id);
        look_at(home, second);
    }
    const std::vector<Result<store::Reply>> found = co_await store_.pipeline(std::move(looks));
    bool earlier = false;
    for (const Result<store::Reply>& one : found) {
        if (!one) co_return one.error();
        earlier = earlier || one->to_integer() == 1;
    }
    if (!earlier) co_return false;
    FF_CO_CHECK(co_await collect_records(round));
    co_return true;
}

Task<Done> Claimer::collect_records(Round& round) {
    const ClaimRequest& request = round.request;
    struct Record {
        std::uint16_t partition = 0;
        std::string request_id{};
    };
    std::vector<Record> records;
    std::vector<store::Call> looks;
    for (std::uint32_t p = 0; p < options_.partitions.num_flow_partitions(); ++p) {
        const auto partition = static_cast<std::uint16_t>(p);
        for (const std::string& id : {request.claim_id, second_request_id(request.claim_id)}) {
            looks.push_back(store::plain({"EXISTS", request_key(partition, request, id)}, true));
            records.push_back(Record{.partition = partition, .request_id = id});
        }
    }
    const std::vector<Result<store::Reply>> found = co_await store_.pipeline(std::move(looks));
    std::vector<engine::ClaimBatch> batches;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) co_return found[i].error();
        if (found[i]->to_integer() != 1) continue;
        const Place place{.lane = request.lanes.front(), .partition = records[i].partition};
        engine::ClaimBatch batch = batch_for(round, place, request.tasks_max);
        batch.request_id = records[i].request_id;
        batches.push_back(std::move(batch));
    }
    if (batches.empty()) co_return Done{};
    std::vector<Result<engine::ClaimedBatch>> replies =
        co_await engine::run_all(store_, std::move(batches));
    std::vector<engine::ClaimedTask> tasks;
    for (Result<engine::ClaimedBatch>& reply : replies) {
        if (!reply) co_return std::move(reply).error();
        std::ranges::move(reply->claimed, std::back_inserter(tasks));
    }
    co_return co_await add_with_lanes(round, std::move(tasks));
}

Task<Done> Claimer::add_with_lanes(Round& round, std::vector<engine::ClaimedTask> tasks) {
    std::vector<store::Call> reads;
    for (const engine::ClaimedTask& task : tasks) {
        const std::string core = model::ExecKeys(task.execution_id).core();
        reads.push_back(store::plain({"HGET", core, "lane_id"}, true));
    }
    if (reads.empty()) co_return Done{};
    const std::vector<Result<store::Reply>> lanes = co_await store_.pipeline(std::move(reads));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!lanes[i]) co_return lanes[i].error();
        FF_CO_TRY(model::LaneId lane, model::LaneId::parse(lanes[i]->text().value_or("")));
        round.tasks.push_back(LaneTask{.lane = std::move(lane), .task = std::move(tasks[i])});
    }
    co_return Done{};
}

}  // namespace ff::sched
