#include "twin/batches.h"

#include <algorithm>

namespace ff::twin {
namespace {

/// Most that ff_claim_batch and ff_complete_and_claim take.
constexpr std::uint64_t kClaimedMax = 256;
constexpr std::size_t kHeldMax = 600;
constexpr std::size_t kClaimedFields = 23;

}  // namespace

List Batches::lane_keys(const Partition& partition) const {
    return {
        lane_key(partition, "lane", "eligible"),    lane_key(partition, "lane", "blocked:route"),
        index_key(partition, "lease_expiry"),       noop_key(partition),
        lane_key(partition, "lane", "active"),      index_key(partition, "attempt_timeout"),
        index_key(partition, "execution_deadline"), "ff:wake:" + partition.tag};
}

List Batches::claim_args(std::uint64_t tasks) {
    const bool is_plain = !world_.one_in(3);
    List args{world_.worker(),
              "w1-1",
              "lane",
              is_plain ? "" : world_.caps(),
              std::to_string(tasks),
              world_.pick({"30000", "60000"}),
              "",
              world_.one_in(3) ? "r" + world_.number(1000) : "",
              "",
              "",
              is_plain ? "" : world_.pick({"defer", "bypass"}),
              is_plain ? "" : world_.pick({"", "beta", "*"}),
              is_plain ? "" : world_.pick({"", "1"}),
              is_plain ? "" : world_.pick({"", "acme"}),
              "",
              is_plain ? "" : world_.pick({"", "ns"}),
              world_.one_in(4) ? "1000" : "",
              world_.pick({"", "1", "0"}),
              "0"};
    for (std::uint64_t i = 0; i < 2 * tasks; ++i) args.push_back(world_.uuid());
    if (world_.one_in(4)) {
        args.emplace_back();
        args.push_back(world_.pick({"kind", "kind0", "kind1\nkind2", "kind\nkind0\nkind1"}));
    }
    return args;
}

void Batches::create(Partition& partition) {
    List args{std::to_string(size_), "16"};
    // As submitters are: most batches are of one kind of task, some of all kinds.
    const bool is_mixed = world_.one_in(4);
    contract::CreateArgs item{.payload = "in"};
    if (world_.one_in(3)) item.priority = world_.number(9);
    for (std::uint64_t i = 0; i < size_; ++i) {
        const contract::Execution e(world_.host(), partition.tag, world_.uuid());
        if (is_mixed) item = world_.creation(partition);
        const List values = e.create_args(item);
        args.insert(args.end(), values.begin(), values.end());
    }
    world_.host().fcall("ff_create_batch",
                        {index_key(partition, "execution_deadline"),
                         index_key(partition, "all_executions"), "ff:wake:" + partition.tag},
                        args);
    waiting_ += static_cast<std::int64_t>(size_);
}

void Batches::remember(const RespValue& claim_reply) {
    if (claim_reply.items.size() < 3) return;
    const std::vector<RespValue>& claimed = claim_reply.items[2].items;
    waiting_ = claimed.empty() ? 0 : waiting_ - static_cast<std::int64_t>(claimed.size());
    for (const RespValue& record : claimed) {
        if (record.items.size() != kClaimedFields || held_.size() >= kHeldMax) continue;
        const auto& fields = record.items;
        held_.push_back({.execution_id = fields[0].text,
                         .lease_id = fields[1].text,
                         .lease_epoch = contract::element(record, 3),
                         .attempt_id = fields[4].text});
    }
}

void Batches::claim(Partition& partition) {
    const std::uint64_t tasks = std::min(size_, kClaimedMax);
    remember(world_.host().fcall("ff_claim_batch", lane_keys(partition), claim_args(tasks)));
}

void Batches::complete_and_claim(Partition& partition) {
    const std::size_t count = std::min({held_.size(), size_, kClaimedMax});
    List args{std::to_string(count)};
    for (std::size_t i = 0; i < count; ++i) {
        const contract::ClaimedTask task = std::move(held_.back());
        held_.pop_back();
        args.insert(args.end(), {task.execution_id, task.lease_id, task.lease_epoch,
                                 task.attempt_id, world_.bytes(20), ""});
    }
    if (!world_.one_in(4)) {
        const List claim = claim_args(std::min(size_, kClaimedMax));
        args.insert(args.end(), claim.begin(), claim.end());
    }
    const RespValue reply =
        world_.host().fcall("ff_complete_and_claim", lane_keys(partition), args);
    if (reply.items.size() >= 4) remember(reply.items[3]);
}

void Batches::step(Partition& partition) {
    if (waiting_ <= 0 || world_.one_in(4)) return create(partition);
    if (held_.empty() || world_.one_in(4)) return claim(partition);
    complete_and_claim(partition);
}

}  // namespace ff::twin
