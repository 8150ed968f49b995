#include "engine/admission_block.h"

#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kBlock = "ff_block_execution_for_admission";
constexpr std::string_view kUnblock = "ff_unblock_execution";
constexpr std::string_view kUnblockBatch = "ff_unblock_batch";

std::string blocked_key(const model::LaneKeys& lane, AdmissionBlock block) {
    switch (block) {
        case AdmissionBlock::Budget:
            return lane.blocked_budget();
        case AdmissionBlock::Quota:
            return lane.blocked_quota();
        case AdmissionBlock::CapableWorker:
        case AdmissionBlock::LocalityMatch:
            return lane.blocked_route();
        case AdmissionBlock::Operator:
        case AdmissionBlock::LanePolicy:
            return lane.blocked_operator();
    }
    return {};
}

}  // namespace

std::string_view blocking_reason_of(AdmissionBlock block) {
    switch (block) {
        case AdmissionBlock::Budget:
            return "waiting_for_budget";
        case AdmissionBlock::Quota:
            return "waiting_for_quota";
        case AdmissionBlock::CapableWorker:
            return "waiting_for_capable_worker";
        case AdmissionBlock::LocalityMatch:
            return "waiting_for_locality_match";
        case AdmissionBlock::Operator:
            return "paused_by_operator";
        case AdmissionBlock::LanePolicy:
            return "paused_by_policy";
    }
    return {};
}

void BlockExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kBlock, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("blocking_reason", blocking_reason_of(block));
    to.arg("blocking_detail", detail);
    to.arg("now_ms", "");
    to.arg("blocking_ref", blocking_ref);
}

Result<Done> BlockExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kBlock, reply));
    if (reader.word() != "OK") return reader.fault("word");
    return Done{};
}

void UnblockExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kUnblock, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("now_ms", "");
    to.arg("expected_blocking_reason", blocking_reason_of(block));
    to.arg("expected_ref", expected_ref);
}

Result<Done> UnblockExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kUnblock, reply));
    if (reader.word() != "OK") return reader.fault("word");
    return Done{};
}

void UnblockBatch::write(CallWriter& to) const {
    const model::LaneKeys indexes(partition, lane);
    to.begin(kUnblockBatch, 1);
    to.key("blocked", blocked_key(indexes, block));
    to.arg("now_ms", "");
    to.arg("expected_reason", blocking_reason_of(block));
    to.arg("expected_ref", expected_ref);
    to.arg("limit", limit);
    to.arg("min_score", from_score);
}

Result<UnblockBatch::Outcome> UnblockBatch::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kUnblockBatch, reply));
    FF_TRY(const std::int64_t unblocked, reader.integer(3, "unblocked"));
    FF_TRY(const std::int64_t examined, reader.integer(4, "examined"));
    FF_TRY(const std::string_view next, reader.text(5, "next_score"));
    return Outcome{.unblocked = unblocked, .examined = examined, .next_score = std::string(next)};
}

}  // namespace ff::engine
