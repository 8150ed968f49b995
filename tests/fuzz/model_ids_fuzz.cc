// Any bytes: an id is refused with a detail, or reads back as what it was, and its keys carry its
// tag.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/capability_set.h"
#include "model/due_time.h"
#include "model/exec_keys.h"
#include "model/slot.h"
#include "model/waitpoint_token.h"
#include "model/worker_keys.h"

namespace {

using namespace ff::model;

void require(bool holds) {
    if (!holds) std::abort();
}

template <class Id>
void round_trip(std::string_view text) {
    const ff::Result<Id> id = Id::parse(text);
    if (!id.has_value()) {
        require(id.error().code == "invalid_input");
        require(id.error().detail.size() == 1 && !id.error().detail[0].empty());
        return;
    }
    const ff::Result<Id> again = Id::parse(id->to_string());
    require(again.has_value() && *again == *id);
}

void check_keys(std::string_view text) {
    if (const auto id = ExecutionId::parse(text)) {
        const ExecKeys keys(*id);
        require("{" + std::string(hash_tag(keys.core())) + "}" == id->partition().tag());
        require(slot_of(keys.stream_meta(AttemptIndex{0})) == slot_of(keys.noop()));
    }
    if (const auto ns = Namespace::parse(text)) {
        const WorkerRegistryKeys keys(*ns);
        require(hash_tag(keys.workers()) == text && hash_tag(keys.events()) == text);
    }
}

void check_lists(std::string_view text) {
    if (const auto set = CapabilitySet::parse_csv(text)) {
        const auto again = CapabilitySet::parse_csv(set->csv());
        require(again.has_value() && *again == *set && set->covers(*again));
        require(set->csv().size() <= CapabilitySet::kCsvBytesMax);
    }
    if (const auto token = WaitpointToken::parse(text)) {
        require(token->reveal() == text);
        require(token->to_string() == token->kid() + ":<REDACTED:len=40>");
    }
    if (const auto due = DueTime::parse(text, "x")) {
        const auto again = DueTime::parse(due->to_string(), "x");
        require(again.has_value() && *again == *due);
    }
    require(redacted_token(text).find("REDACTED") != std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    round_trip<ExecutionId>(text);
    round_trip<FlowId>(text);
    round_trip<LaneId>(text);
    round_trip<Namespace>(text);
    round_trip<WorkerInstanceId>(text);
    round_trip<IdempotencyKey>(text);
    round_trip<PartitionKey>(text);
    round_trip<LeaseEpoch>(text);
    round_trip<AttemptIndex>(text);
    check_keys(text);
    check_lists(text);
    return 0;
}
