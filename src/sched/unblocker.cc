#include "sched/unblocker.h"

#include <algorithm>

#include "base/csv.h"
#include "engine/operation.h"
#include "engine/suspend_execution.h"
#include "engine/worker_registry.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "model/quota_keys.h"
#include "model/worker_keys.h"
#include "sched/store_time.h"

namespace ff::sched {
namespace {

constexpr std::size_t kPage = 100;
constexpr std::size_t kCursorsMax = 65536;
constexpr int kPagesMax = 20;

std::string text_of(const store::Reply& reply) {
    return std::string(reply.text().value_or(std::string_view()));
}

}  // namespace

Task<std::size_t> Unblocker::pass(std::uint16_t partition, model::LaneId lane) {
    const Place place{partition, lane};
    const model::LaneKeys keys(model::PartitionKey::flow(partition), lane);
    FF_CO_TRY(const std::size_t budget,
              co_await pages(place, keys.blocked_budget(), &Unblocker::pass_budget));
    FF_CO_TRY(const std::size_t suspended,
              co_await pages(place, keys.suspended(), &Unblocker::pass_suspended));
    FF_CO_TRY(const std::size_t quota,
              co_await pages(place, keys.blocked_quota(), &Unblocker::pass_quota));
    FF_CO_TRY(const std::size_t route,
              co_await pages(place, keys.blocked_route(), &Unblocker::pass_route));
    FF_CO_TRY(const std::size_t policy, co_await pass_lane_policy(place));
    co_return budget + suspended + quota + route + policy;
}

Task<std::size_t> Unblocker::pages(Place place, std::string index_key, PageOf page) {
    std::size_t unblocked = 0;
    for (int turned = 0; turned < kPagesMax; ++turned) {
        FF_CO_TRY(const std::size_t done, co_await (this->*page)(place));
        unblocked += done;
        Cursor& cursor = cursors_[index_key];
        if (cursor.score == "-inf") break;
        // What left the index is not there to be passed over.
        cursor.skip -= std::min(cursor.skip, done);
    }
    co_return unblocked;
}

Task<std::size_t> Unblocker::freed(std::string ref, std::vector<std::uint16_t> partitions,
                                   std::vector<model::LaneId> lanes) {
    begin_round();
    const bool budget = ref.starts_with("budget:");
    std::vector<Place> places;
    std::vector<store::Call> reads;
    for (const std::uint16_t partition : partitions) {
        for (const model::LaneId& lane : lanes) {
            const model::LaneKeys keys(model::PartitionKey::flow(partition), lane);
            const std::string index = budget ? keys.blocked_budget() : keys.blocked_quota();
            reads.push_back(store::plain({"ZCARD", index}, true));
            reads.push_back(store::plain({"ZCARD", keys.suspended()}, true));
            places.emplace_back(partition, lane);
        }
    }
    std::size_t unblocked = 0;
    if (reads.empty()) co_return unblocked;
    const std::vector<Result<store::Reply>> counts = co_await store_.pipeline(std::move(reads));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        const model::LaneKeys keys(model::PartitionKey::flow(place.first), place.second);
        const Result<store::Reply>& blocked = counts[2 * i];
        const Result<store::Reply>& suspended = counts[2 * i + 1];
        if (blocked && blocked->to_integer().value_or(0) > 0) {
            const std::string index = budget ? keys.blocked_budget() : keys.blocked_quota();
            const PageOf page = budget ? &Unblocker::pass_budget : &Unblocker::pass_quota;
            FF_CO_TRY(const std::size_t done, co_await pages(place, index, page));
            unblocked += done;
        }
        if (budget && suspended && suspended->to_integer().value_or(0) > 0) {
            FF_CO_TRY(const std::size_t done,
                      co_await pages(place, keys.suspended(), &Unblocker::pass_suspended));
            unblocked += done;
        }
    }
    co_return unblocked;
}

Task<std::vector<Unblocker::Blocked>> Unblocker::next_page(std::string index_key) {
    if (cursors_.size() >= kCursorsMax) cursors_.clear();
    Cursor& cursor = cursors_[index_key];
    const std::string from = cursor.score;
    const std::string offset = std::to_string(cursor.skip);
    const std::string count = std::to_string(kPage);
    store::Call read = store::plain(
        {"ZRANGEBYSCORE", index_key, from, "+inf", "WITHSCORES", "LIMIT", offset, count}, true);
    FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
    std::vector<model::ExecutionId> ids;
    std::string last_score;
    std::size_t of_last_score = 0;
    std::size_t seen = 0;
    const auto visit = [&](const store::Reply& member, const store::Reply& score) {
        ++seen;
        std::string text = score.as_double()
                               ? std::to_string(static_cast<std::int64_t>(*score.as_double()))
                               : text_of(score);
        of_last_score = text == last_score ? of_last_score + 1 : 1;
        last_score = std::move(text);
        if (const auto id = model::ExecutionId::parse(member.text().value_or("")))
            ids.push_back(*id);
    };
    const auto items = reply.items();
    const bool nested = !items.empty() && items.front().is_aggregate();
    for (std::size_t i = 0; i < items.size(); nested ? ++i : i += 2) {
        if (nested) {
            if (items[i].items().size() == 2) visit(items[i].items()[0], items[i].items()[1]);
        } else if (i + 1 < items.size()) {
            visit(items[i], items[i + 1]);
        }
    }
    Cursor& after = cursors_[index_key];
    if (seen < kPage) {
        after = Cursor{};
    } else {
        const bool same = last_score == from && of_last_score == seen;
        after = Cursor{.score = last_score, .skip = same ? after.skip + seen : of_last_score};
    }
    co_return co_await with_records(std::move(ids));
}

Task<std::vector<Unblocker::Blocked>> Unblocker::with_records(std::vector<model::ExecutionId> ids) {
    std::vector<Blocked> blocked;
    if (ids.empty()) co_return blocked;
    std::vector<store::Call> reads;
    for (const model::ExecutionId& id : ids) {
        const std::string core = model::ExecKeys(id).core();
        reads.push_back(
            store::plain({"HMGET", core, "namespace", "flow_id", "budget_ids", "quota_policy_id",
                          "required_capabilities", "blocking_reason", "blocking_ref"},
                         true));
    }
    const std::vector<Result<store::Reply>> cores = co_await store_.pipeline(std::move(reads));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        // A read error leaves it blocked until the next pass.
        if (!cores[i]) continue;
        const auto fields = cores[i]->items();
        if (fields.size() != 7 || fields[0].is_null()) continue;
        blocked.push_back(Blocked{.execution_id = ids[i],
                                  .ns = text_of(fields[0]),
                                  .flow_id = text_of(fields[1]),
                                  .budget_ids_csv = text_of(fields[2]),
                                  .quota_policy_id = text_of(fields[3]),
                                  .required_csv = text_of(fields[4]),
                                  .reason = text_of(fields[5]),
                                  .ref = text_of(fields[6])});
    }
    co_return blocked;
}

Task<std::size_t> Unblocker::pass_budget(Place place) {
    const model::LaneKeys keys(model::PartitionKey::flow(place.first), place.second);
    FF_CO_TRY(std::vector<Blocked> blocked, co_await next_page(keys.blocked_budget()));
    FF_CO_TRY(std::vector<Blocked> ready,
              co_await with_budget_room(place.second, std::move(blocked)));
    co_return co_await unblock(engine::AdmissionBlock::Budget, std::move(ready));
}

Task<std::size_t> Unblocker::pass_suspended(Place place) {
    const model::LaneKeys keys(model::PartitionKey::flow(place.first), place.second);
    FF_CO_TRY(std::vector<Blocked> suspended, co_await next_page(keys.suspended()));
    std::erase_if(suspended, [](const Blocked& one) { return one.reason != "waiting_for_budget"; });
    FF_CO_TRY(std::vector<Blocked> ready,
              co_await with_budget_room(place.second, std::move(suspended)));
    std::vector<engine::ResumeExecution> resumes;
    for (const Blocked& one : ready) {
        resumes.push_back(engine::ResumeExecution{.execution_id = one.execution_id,
                                                  .trigger = engine::ResumeTrigger::AutoResume,
                                                  .actor = "budget"});
    }
    std::size_t resumed = 0;
    if (resumes.empty()) co_return resumed;
    const auto outcomes = co_await engine::run_all(store_, std::move(resumes));
    for (const auto& outcome : outcomes) resumed += outcome ? 1U : 0U;
    co_return resumed;
}

Task<std::vector<Unblocker::Blocked>> Unblocker::with_budget_room(model::LaneId lane,
                                                                  std::vector<Blocked> blocked) {
    std::vector<Blocked> ready;
    if (blocked.empty()) co_return ready;
    std::vector<engine::DeferredTask> tasks;
    for (const Blocked& one : blocked) {
        tasks.push_back(engine::DeferredTask{.execution_id = one.execution_id,
                                             .ns = one.ns,
                                             .flow_id = one.flow_id,
                                             .budget_ids_csv = one.budget_ids_csv});
    }
    FF_CO_TRY(const std::vector<AdmissionSubject> subjects,
              co_await admission_.subjects(lane, std::move(tasks)));
    std::set<std::string> ids;
    for (const AdmissionSubject& subject : subjects) {
        ids.insert(subject.budget_ids.begin(), subject.budget_ids.end());
    }
    FF_CO_TRY(const auto exhausted, co_await admission_.exhausted_budgets(std::move(ids)));
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        const bool room = std::ranges::none_of(
            subjects[i].budget_ids, [&](const std::string& id) { return exhausted.contains(id); });
        if (room) ready.push_back(std::move(blocked[i]));
    }
    co_return ready;
}

Task<std::size_t> Unblocker::pass_quota(Place place) {
    const model::LaneKeys keys(model::PartitionKey::flow(place.first), place.second);
    FF_CO_TRY(std::vector<Blocked> blocked, co_await next_page(keys.blocked_quota()));
    std::map<std::string, std::vector<Blocked>> by_ref;
    for (Blocked& one : blocked) by_ref[one.ref].push_back(std::move(one));
    std::size_t unblocked = 0;
    for (auto& [ref, waiting] : by_ref) {
        constexpr std::string_view kPrefix = "quota:";
        const std::string id = ref.starts_with(kPrefix) ? ref.substr(kPrefix.size()) : ref;
        if (!room_.contains(id)) {
            FF_CO_TRY(const std::size_t places, co_await free_places(id));
            room_.emplace(id, places);
        }
        // Whoever was admitted already holds its place and is among them; the claim asks again.
        const std::size_t places = room_.at(id);
        if (waiting.size() > places)
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(places), waiting.end());
        FF_CO_TRY(const std::size_t done,
                  co_await unblock(engine::AdmissionBlock::Quota, std::move(waiting)));
        room_[id] -= std::min(room_[id], done);
        unblocked += done;
    }
    co_return unblocked;
}

Task<std::size_t> Unblocker::free_places(std::string quota_id) {
    const auto id = model::QuotaPolicyId::parse(quota_id);
    // Nobody can be held back by a policy that cannot exist.
    if (!id) co_return kPage;
    const model::QuotaKeys keys(*id, partitions_);
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HMGET", keys.definition(), "max_requests_per_window",
                                  "requests_per_window_seconds", "active_concurrency_cap"},
                                 true));
    reads.push_back(store::plain({"GET", keys.concurrency()}, true));
    const std::vector<Result<store::Reply>> found = co_await store_.pipeline(std::move(reads));
    for (const auto& one : found) {
        if (!one) co_return one.error();
    }
    const auto definition = found[0]->items();
    if (definition.size() != 3 || definition[0].is_null()) co_return kPage;
    const std::int64_t rate = definition[0].to_integer().value_or(0);
    const std::int64_t window_s = definition[1].to_integer().value_or(0);
    const std::int64_t cap = definition[2].to_integer().value_or(0);
    std::int64_t room = kPage;
    if (cap > 0) room = std::min(room, cap - found[1]->to_integer().value_or(0));
    if (rate > 0) {
        FF_CO_TRY(const Timestamp now, co_await store_time(store_));
        const std::string since = "(" + std::to_string(to_ms(now) - window_s * 1000);
        store::Call count = store::plain({"ZCOUNT", keys.window(), since, "+inf"}, true);
        FF_CO_TRY(const store::Reply used, co_await store_.call(std::move(count)));
        room = std::min(room, rate - used.to_integer().value_or(0));
    }
    co_return static_cast<std::size_t>(std::max<std::int64_t>(room, 0));
}

Task<std::size_t> Unblocker::pass_route(Place place) {
    const model::LaneKeys keys(model::PartitionKey::flow(place.first), place.second);
    FF_CO_TRY(std::vector<Blocked> blocked, co_await next_page(keys.blocked_route()));
    std::map<std::string, std::vector<Worker>> workers;
    std::vector<Blocked> ready;
    for (Blocked& one : blocked) {
        if (one.ns.empty()) continue;
        if (!workers.contains(one.ns)) {
            FF_CO_TRY(std::vector<Worker> live, co_await live_workers(one.ns));
            workers.emplace(one.ns, std::move(live));
        }
        const auto required = model::CapabilitySet::parse_csv(one.required_csv);
        // One single worker must cover it all: two halves would only make it bounce.
        const bool capable =
            required && std::ranges::any_of(workers.at(one.ns), [&](const Worker& worker) {
                const bool serves =
                    worker.lanes.empty() ||
                    std::ranges::find(worker.lanes, place.second.text()) != worker.lanes.end();
                return serves && worker.capabilities.covers(*required);
            });
        if (capable) ready.push_back(std::move(one));
    }
    co_return co_await unblock(engine::AdmissionBlock::CapableWorker, std::move(ready));
}

Task<std::vector<Unblocker::Worker>> Unblocker::live_workers(std::string ns) {
    std::vector<Worker> live;
    if (const auto name = model::Namespace::parse(ns)) {
        engine::ListWorkers list{.ns = *name};
        FF_CO_TRY(const engine::ListWorkers::Outcome page, co_await engine::run(store_, list));
        for (const engine::WorkerInfo& worker : page.workers) {
            const auto capabilities = model::CapabilitySet::parse_csv(worker.capabilities_csv);
            if (!capabilities) continue;
            live.push_back(
                Worker{.lanes = split_csv(worker.lanes_csv), .capabilities = *capabilities});
        }
    }
    store::Call list = store::plain({"SMEMBERS", model::direct_workers_key()}, true);
    FF_CO_TRY(const store::Reply direct, co_await store_.call(std::move(list)));
    std::vector<store::Call> reads;
    for (const store::Reply& member : direct.items()) {
        const auto id = model::WorkerInstanceId::parse(member.text().value_or(""));
        if (id) reads.push_back(store::plain({"GET", model::DirectWorkerKeys(*id).caps()}, true));
    }
    if (reads.empty()) co_return live;
    const std::vector<Result<store::Reply>> caps = co_await store_.pipeline(std::move(reads));
    for (const Result<store::Reply>& one : caps) {
        if (!one || one->is_null()) continue;
        const auto capabilities = model::CapabilitySet::parse_csv(one->text().value_or(""));
        if (capabilities) live.push_back(Worker{.capabilities = *capabilities});
    }
    co_return live;
}

Task<std::size_t> Unblocker::pass_lane_policy(Place place) {
    FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(place.second));
    if (!config.gives_work()) co_return std::size_t{0};
    engine::UnblockBatch batch{.partition = model::PartitionKey::flow(place.first),
                               .lane = place.second,
                               .block = engine::AdmissionBlock::LanePolicy,
                               .limit = kPage};
    FF_CO_TRY(const engine::UnblockBatch::Outcome done,
              co_await engine::run(store_, std::move(batch)));
    co_return static_cast<std::size_t>(done.unblocked);
}

Task<std::size_t> Unblocker::unblock(engine::AdmissionBlock block, std::vector<Blocked> ready) {
    std::vector<engine::UnblockExecution> calls;
    for (const Blocked& one : ready) {
        calls.push_back(engine::UnblockExecution{
            .execution_id = one.execution_id, .block = block, .expected_ref = one.ref});
    }
    std::size_t unblocked = 0;
    if (calls.empty()) co_return unblocked;
    const auto outcomes = co_await engine::run_all(store_, std::move(calls));
    for (const auto& outcome : outcomes) {
        if (!outcome && outcome.error().code == "storage_error") co_return outcome.error();
        unblocked += outcome ? 1U : 0U;
    }
    co_return unblocked;
}

}  // namespace ff::sched
