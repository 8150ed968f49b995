// The KEYS and ARGV that the operations of room engine write are those that the functions declare
// in their head comments: the same names in the same order.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/admission_block.h"
#include "engine/approval_link.h"
#include "engine/budget.h"
#include "engine/calls.h"
#include "engine/change_execution.h"
#include "engine/claim_resumed.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/due_execution.h"
#include "engine/flow_build.h"
#include "engine/flow_cancel.h"
#include "engine/flow_resolve.h"
#include "engine/flow_retain.h"
#include "engine/grant.h"
#include "engine/lane.h"
#include "engine/lease.h"
#include "engine/operation.h"
#include "engine/pause_execution.h"
#include "engine/quota.h"
#include "engine/retain_execution.h"
#include "engine/signal.h"
#include "engine/steps.h"
#include "engine/stream_read.h"
#include "engine/waitpoint.h"
#include "engine/worker_registry.h"
#include "model/function_catalogue.h"

namespace ff::engine {
namespace {

using Names = std::vector<std::string>;

struct Written {
    std::string function{};
    Names keys{};
    Names args{};
    bool resend_safe = false;
};

class Recorder final : public CallWriter {
  public:
    void begin(std::string_view function, std::size_t key_count) override {
        written.function = function;
        key_count_ = key_count;
    }
    void key(std::string_view name, std::string_view key) override {
        EXPECT_FALSE(key.empty()) << written.function << " " << name;
        written.keys.emplace_back(name);
    }
    using CallWriter::arg;
    void arg(std::string_view name, std::string_view) override { written.args.emplace_back(name); }

    Written finish() && {
        EXPECT_EQ(written.keys.size(), key_count_) << written.function;
        return std::move(written);
    }

  private:
    Written written{};
    std::size_t key_count_ = 0;
};

template <Operation Op>
Written record(const Op& operation) {
    Recorder recorder;
    operation.write(recorder);
    Written written = std::move(recorder).finish();
    written.resend_safe = operation.resend_safe();
    return written;
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

/// Whether the names follow the declaration from `at` on. `[x]` may be cut off with all that
/// follows; `...`, and a bracket with `...` behind it, stand for any number of names.
bool follows(const Names& names, std::size_t at, const std::vector<std::string>& declared,
             std::size_t position) {
    if (position == declared.size()) return at == names.size();
    std::string word = declared[position];
    if (word == "..." || word.ends_with("...")) {
        for (std::size_t skip = at; skip <= names.size(); ++skip) {
            if (follows(names, skip, declared, position + 1)) return true;
        }
        return false;
    }
    const bool optional = word.starts_with('[');
    if (optional && at == names.size()) return true;
    if (optional) word = word.substr(1, word.size() - 2);
    return at < names.size() && names[at] == word && follows(names, at + 1, declared, position + 1);
}

struct Contract {
    std::string keys{};
    std::string args{};
};

/// `[key value]...` becomes one word.
std::string join_groups(std::string text) {
    bool inside = false;
    for (char& c : text) {
        if (c == '[') inside = true;
        if (c == ']') inside = false;
        if (inside && c == ' ') c = '_';
    }
    return text;
}

std::map<std::string, Contract> read_contracts() {
    std::map<std::string, Contract> contracts;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(FF_LUA_FOLDER)) {
        if (entry.path().extension() != ".lua") continue;
        std::ifstream file(entry.path());
        std::string function;
        for (std::string line; std::getline(file, line);) {
            const auto rest = [&](std::string_view mark) {
                return line.starts_with(mark) ? std::optional(line.substr(mark.size()))
                                              : std::nullopt;
            };
            if (const auto name = rest("-- @function ")) function = *name;
            if (function.empty()) continue;
            if (const auto keys = rest("-- @keys")) contracts[function].keys = join_groups(*keys);
            if (const auto args = rest("-- @argv")) contracts[function].args = join_groups(*args);
        }
    }
    return contracts;
}

const model::ExecutionId kExecution =
    *model::ExecutionId::parse("{fp:24}:550e8400-e29b-41d4-a716-446655440000");
const model::FlowId kFlowId = *model::FlowId::parse("550e8400-e29b-41d4-a716-446655440000");
const model::LaneId kLane = *model::LaneId::parse("default");
const model::Namespace kNamespace = *model::Namespace::parse("acme");
const model::WorkerId kWorker = *model::WorkerId::parse("w");
const model::WorkerInstanceId kInstance = *model::WorkerInstanceId::parse("w-1");
const model::IdempotencyKey kIdempotency = *model::IdempotencyKey::parse("once");

template <class Id>
Id id() {
    SeededRandom random(7);
    return Id::mint(random);
}

Fence fence() {
    return {
        .lease_id = id<model::LeaseId>(), .lease_epoch = {1}, .attempt_id = id<model::AttemptId>()};
}

Claimant claimant() {
    return {.worker_id = kWorker,
            .worker_instance_id = kInstance,
            .lane = kLane,
            .lease_id = id<model::LeaseId>(),
            .attempt_id = id<model::AttemptId>()};
}

ClaimBatch claim_batch() {
    ClaimBatch batch{.partition = model::PartitionKey::flow(24),
                     .worker_id = kWorker,
                     .worker_instance_id = kInstance,
                     .lane = kLane};
    batch.admitted.push_back({.execution_id = kExecution});
    batch.leases.push_back(
        {.lease_id = id<model::LeaseId>(), .attempt_id = id<model::AttemptId>()});
    return batch;
}

CreateExecution create() {
    return {.execution_id = kExecution, .ns = kNamespace, .lane = kLane};
}

std::vector<Written> execution_calls() {
    return {
        record(create()),
        record(CreateBatch{.partition = model::PartitionKey::flow(24), .executions = {create()}}),
        record(ClaimExecution{.execution_id = kExecution, .claimant = claimant()}),
        record(ReclaimExecution{.execution_id = kExecution, .claimant = claimant()}),
        record(ClaimResumedExecution{.execution_id = kExecution, .claimant = claimant()}),
        record(CompleteExecution{.execution_id = kExecution, .fence = fence()}),
        record(FailExecution{.execution_id = kExecution, .fence = fence()}),
        record(CancelExecution{.execution_id = kExecution, .fence = fence()}),
        record(DelayExecution{.execution_id = kExecution, .fence = fence()}),
        record(MoveToWaitingChildren{.execution_id = kExecution, .fence = fence()}),
        record(ExpireExecution{.execution_id = kExecution}),
        record(PromoteDelayed{.execution_id = kExecution}),
        record(SetExecutionTags{.execution_id = kExecution, .tags = {{"a.b", "c"}}}),
        record(UpdateProgress{.execution_id = kExecution, .fence = fence()}),
        record(ChangePriority{.execution_id = kExecution}),
        record(ReplayExecution{.execution_id = kExecution}),
        record(ReconcileExecutionIndex{.execution_id = kExecution}),
        record(PurgeExecution{.execution_id = kExecution}),
        record(RenewLease{.execution_id = kExecution, .fence = fence()}),
        record(MarkLeaseExpiredIfDue{.execution_id = kExecution}),
        record(RevokeLease{.execution_id = kExecution}),
        record(
            RecordSteps{.execution_id = kExecution, .fence = fence(), .steps = {Step{}, Step{}}}),
        record(ReadSteps{.execution_id = kExecution}),
        record(CompleteExecution{.execution_id = kExecution, .fence = fence(), .steps = {Step{}}}),
        record(FailExecution{.execution_id = kExecution, .fence = fence(), .steps = {Step{}}}),
        record(DelayExecution{.execution_id = kExecution, .fence = fence(), .steps = {Step{}}}),
        record(
            MoveToWaitingChildren{.execution_id = kExecution, .fence = fence(), .steps = {Step{}}}),
        record(CallChildren{.execution_id = kExecution,
                            .fence = fence(),
                            .children = {{.name = "a", .execution = create()},
                                         {.name = "b", .execution = create()}},
                            .steps = {Step{}}}),
        record(ReadChildren{.execution_id = kExecution}),
    };
}

std::vector<Written> admission_calls() {
    const BudgetAddress budget{.id = id<model::BudgetId>()};
    const QuotaAddress quota{.id = id<model::QuotaPolicyId>()};
    const GrantRequest grant{.execution_id = kExecution,
                             .worker_id = kWorker,
                             .worker_instance_id = kInstance,
                             .lane = kLane};
    return {
        record(CreateBudget{.budget = budget, .limits = {{.dimension = "d"}}}),
        record(ReportUsage{.budget = budget, .amounts = {{"d", 1}}}),
        record(RecordSpend{.budget = budget, .execution_id = kExecution, .amounts = {{"d", 1}}}),
        record(ReleaseBudget{.budget = budget, .execution_id = kExecution}),
        record(ResetBudget{.budget = budget}),
        record(UpdateBudget{.budget = budget, .changes = {{.dimension = "d"}}}),
        record(GetBudget{.budget = budget}),
        record(CreateQuotaPolicy{.quota = quota}),
        record(UpdateQuotaPolicy{.quota = quota}),
        record(AttachQuotaPolicy{.quota = quota}),
        record(SetLane{.lane = kLane, .state = "paused"}),
        record(DeleteLane{.lane = kLane}),
        record(CheckAdmission{.quota = quota, .execution_id = kExecution}),
        record(AdmitBatch{.quota = quota, .executions = {{.execution_id = "e", .epoch = 1}}}),
        record(ReleaseAdmission{.quota = quota, .execution_id = kExecution}),
        record(ReleaseAdmissionBatch{.quota = quota,
                                     .executions = {{.execution_id = "e", .epoch = 1}}}),
        record(
            ReconcileQuota{.quota = quota, .dead_executions = {{.execution_id = "e", .epoch = 1}}}),
        record(VoidAdmission{.execution_id = kExecution}),
        record(BlockExecution{.execution_id = kExecution}),
        record(UnblockExecution{.execution_id = kExecution}),
        record(UnblockBatch{.partition = model::PartitionKey::flow(24), .lane = kLane}),
        record(IndexKinds{.partition = model::PartitionKey::flow(24), .lane = kLane}),
        record(IssueClaimGrant{.request = grant}),
        record(IssueReclaimGrant{.request = grant}),
        record(IssueGrantAndClaim{.execution_id = kExecution, .claimant = claimant()}),
        record(claim_batch()),
        record(CompleteAndClaim{
            .claim = claim_batch(),
            .completions = {CompleteExecution{.execution_id = kExecution, .fence = fence()}}}),
        record(RegisterWorker{.ns = kNamespace, .instance_id = kInstance, .worker_id = kWorker}),
        record(HeartbeatWorker{.ns = kNamespace, .instance_id = kInstance}),
        record(MarkWorkerDead{.ns = kNamespace, .instance_id = kInstance}),
        record(ListWorkers{.ns = kNamespace}),
    };
}

std::vector<Written> suspension_calls() {
    const model::PartitionKey partition = model::PartitionKey::flow(24);
    const auto waitpoint = id<model::WaitpointId>();
    const auto key = model::default_waitpoint_key(waitpoint);
    const Signal signal{.id = id<model::SignalId>(),
                        .execution_id = kExecution,
                        .waitpoint_id = waitpoint,
                        .idempotency_key = kIdempotency};
    return {
        record(SuspendExecution{.execution_id = kExecution,
                                .fence = fence(),
                                .suspension_id = id<model::SuspensionId>(),
                                .waitpoint = {.id = waitpoint, .key = key},
                                .additional = {{.id = waitpoint}}}),
        record(ResumeExecution{.execution_id = kExecution}),
        record(ExpireSuspension{.execution_id = kExecution}),
        record(CreatePendingWaitpoint{.execution_id = kExecution,
                                      .waitpoint_id = waitpoint,
                                      .waitpoint_key = key,
                                      .expires_at = model::DueTime::after(Millis(1))}),
        record(CloseWaitpoint{.execution_id = kExecution, .waitpoint_id = waitpoint}),
        record(
            ExpirePendingWaitpoint{.partition = kExecution.partition(), .waitpoint_id = waitpoint}),
        record(RemintWaitpointToken{.execution_id = kExecution, .waitpoint_id = waitpoint}),
        record(CreateApprovalLink{.execution_id = kExecution,
                                  .waitpoint_id = waitpoint,
                                  .expires_at = model::DueTime::after(Millis(1))}),
        record(RevokeApprovalLinks{.execution_id = kExecution, .waitpoint_id = waitpoint}),
        record(ReadApprovalLink{.execution_id = kExecution, .waitpoint_id = waitpoint}),
        record(AnswerApprovalLink{
            .execution_id = kExecution, .waitpoint_id = waitpoint, .signal_id = signal.id}),
        record(InitWaitpointSecret{.partition = partition}),
        record(RotateWaitpointSecret{.partition = partition}),
        record(ListWaitpointKids{.partition = partition}),
        record(DeliverSignal{.signal = signal}),
        record(BufferSignal{.signal = signal}),
    };
}

std::vector<Written> stream_calls() {
    const StreamAddress stream{.execution_id = kExecution};
    return {
        record(AppendFrame{.stream = stream, .fence = fence()}),
        record(AppendFrames{.stream = stream, .fence = fence(), .frames = {Frame{}}}),
        record(AppendSystemFrame{.stream = stream}),
        record(OpenStream{.stream = stream}),
        record(ReadAttemptStream{.stream = stream}),
        record(ReadSummary{.stream = stream}),
    };
}

std::vector<Written> flow_calls() {
    const FlowAddress flow{.id = kFlowId};
    const Edge edge{.id = id<model::EdgeId>(), .upstream = kExecution, .downstream = kExecution};
    const SiblingGroup group{.flow = flow, .downstream = kExecution};
    return {
        record(CreateFlow{.flow = flow, .ns = kNamespace}),
        record(AddExecutionToFlow{.flow = flow, .execution_id = kExecution}),
        record(StageDependencyEdge{.flow = flow, .edge = edge}),
        record(ApplyDependencyToChild{.flow = flow, .edge = edge}),
        record(SetEdgeGroupPolicy{.flow = flow, .downstream = kExecution}),
        record(SetFlowTags{.flow = flow, .tags = {{"a.b", "c"}}}),
        record(SealFlow{.flow = flow}),
        record(SubmitFlow{.flow = flow, .payloads = {"x"}}),
        record(ResolveDependency{
            .flow = flow, .edge_id = edge.id, .upstream = kExecution, .downstream = kExecution}),
        record(CascadeCompletion{.execution_id = kExecution, .flow = flow}),
        record(ReconcileDependencies{.execution_id = kExecution}),
        record(EvaluateFlowEligibility{.execution_id = kExecution}),
        record(PromoteBlockedToEligible{.execution_id = kExecution}),
        record(CancelFlow{.flow = flow}),
        record(CancelFlowMembers{.flow = flow}),
        record(AckCancelMember{.flow = flow, .execution_id = kExecution}),
        record(DrainSiblingCancelGroup{.group = group}),
        record(ReconcileSiblingCancelGroup{.group = group}),
        record(ReplaySubgraph{.execution_id = kExecution, .flow = flow}),
        record(ProjectFlowSummary{.flow = flow}),
        record(PurgeFlow{.flow = flow}),
    };
}

std::vector<Written> all_calls() {
    std::vector<Written> all;
    for (auto part :
         {execution_calls(), admission_calls(), suspension_calls(), stream_calls(), flow_calls()}) {
        std::ranges::move(part, std::back_inserter(all));
    }
    return all;
}

TEST(EngineContract, EveryFunctionThatTheLibraryHasIsCalledAsItDeclares) {
    const auto contracts = read_contracts();
    ASSERT_FALSE(contracts.empty());
    std::map<std::string, Written> by_function;
    for (Written& written : all_calls()) by_function[written.function] = std::move(written);
    for (const auto& [function, contract] : contracts) {
        if (function == "ff_version" || function == "ff_library_info") continue;
        const auto found = by_function.find(function);
        ASSERT_NE(found, by_function.end()) << function << " has no operation";
        const Written& written = found->second;
        EXPECT_TRUE(follows(written.keys, 0, split(contract.keys), 0))
            << function << " declares KEYS " << contract.keys << "\n and gets "
            << ::testing::PrintToString(written.keys);
        EXPECT_TRUE(follows(written.args, 0, split(contract.args), 0))
            << function << " declares ARGV " << contract.args << "\n and gets "
            << ::testing::PrintToString(written.args);
    }
}

TEST(EngineContract, EveryOperationCallsAKnownFunctionWithItsBaseArity) {
    for (const Written& written : all_calls()) {
        const model::FunctionInfo* info = model::find_function(written.function);
        ASSERT_NE(info, nullptr) << written.function;
        EXPECT_GE(written.keys.size(), info->base_keys()) << written.function;
        EXPECT_GE(written.args.size(), info->base_argv()) << written.function;
    }
}

TEST(EngineContract, OnlyWhatTheCatalogueAllowsMayBeResent) {
    for (const Written& written : all_calls()) {
        const model::FunctionInfo* info = model::find_function(written.function);
        ASSERT_NE(info, nullptr) << written.function;
        if (info->resend == model::Resend::No) {
            EXPECT_FALSE(written.resend_safe) << written.function;
        }
        if (info->resend == model::Resend::Yes && info->condition.empty()) {
            EXPECT_TRUE(written.resend_safe) << written.function;
        }
    }
}

/// `{1,"OK"}` and then nothing, or what is no id: the ids of a lease are never made up.
template <Operation Claim>
void expect_parse_error(const Claim& claim, std::vector<std::string> rest, std::string_view what) {
    resp::Value::Items items;
    items.push_back(resp::Value::integer(1));
    items.push_back(resp::Value::bulk("OK"));
    for (std::string& text : rest) items.push_back(resp::Value::bulk(std::move(text)));
    const auto outcome = claim.read(resp::Value::array(std::move(items)));
    ASSERT_FALSE(outcome.has_value()) << what;
    EXPECT_EQ(outcome.error().code, "parse_error") << what;
    ASSERT_FALSE(outcome.error().detail.empty()) << what;
    EXPECT_EQ(outcome.error().detail.front().substr(0, 3), "ff_") << what;
}

TEST(Ch01Replies, S37_AShortReplyOfAClaimIsAParseError) {
    const ClaimExecution claim{.execution_id = kExecution, .claimant = claimant()};
    const ReclaimExecution reclaim{.execution_id = kExecution, .claimant = claimant()};
    const ClaimResumedExecution resumed{.execution_id = kExecution, .claimant = claimant()};
    const IssueGrantAndClaim taken{.execution_id = kExecution, .claimant = claimant()};
    const std::string lease = id<model::LeaseId>().to_string();
    for (const std::vector<std::string>& rest : {std::vector<std::string>{},
                                                 {lease},
                                                 {lease, "many"},
                                                 {"", "1", "2", lease, "0", "initial"}}) {
        expect_parse_error(claim, rest, "claim");
        expect_parse_error(reclaim, rest, "reclaim");
        expect_parse_error(resumed, rest, "resumed");
        expect_parse_error(taken, rest, "taken");
    }
    expect_parse_error(claim_batch(), {}, "batch");
    expect_parse_error(CompleteAndClaim{.claim = claim_batch()}, {}, "complete and claim");
}

}  // namespace
}  // namespace ff::engine
