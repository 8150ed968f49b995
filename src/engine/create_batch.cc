#include "engine/create_batch.h"

#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_create_batch";
constexpr std::int64_t kStride = 16;
/// Of an execution's arguments without its payload, policy and tags.
constexpr std::size_t kBytesEach = 320;

}  // namespace

void CreateBatch::write(CallWriter& to) const {
    const model::IndexKeys index(partition);
    to.begin(kFunction, 1);
    std::size_t bytes = executions.size() * kBytesEach;
    for (const CreateExecution& one : executions) {
        bytes += one.payload.size() + one.policy_json.size() + one.tags_json.size();
    }
    to.expect(bytes, executions.size() * static_cast<std::size_t>(kStride));
    to.key("execution_deadline", index.execution_deadline());
    to.arg("count", static_cast<std::int64_t>(executions.size()));
    to.arg("stride", kStride);
    for (const CreateExecution& execution : executions) execution.write_arguments(to);
}

Result<CreateBatch::Outcome> CreateBatch::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kFunction, reply));
    const auto items = reply.items().subspan(2);
    if (items.size() != executions.size()) return reader.fault("items");
    Outcome outcome;
    outcome.reserve(items.size());
    for (const store::Reply& item : items) {
        outcome.push_back(CreateExecution::read_item(kFunction, item));
    }
    return outcome;
}

}  // namespace ff::engine
