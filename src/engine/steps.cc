#include "engine/steps.h"

#include "engine/fence_arguments.h"
#include "model/exec_keys.h"
#include "model/record_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kRecord = "ff_record_steps";
constexpr std::string_view kRead = "ff_read_steps";

Result<RecordSteps::Answer> read_answer(const store::Reply& item) {
    const ReplyReader reader(kRecord, item.items());
    FF_TRY(const std::string_view name, reader.text(1, "step_name"));
    FF_TRY(const std::string_view word, reader.text(2, "word"));
    if (word == "recorded") return RecordSteps::Answer{.step = {.name = std::string(name)}};
    if (word != "duplicate") return reader.fault("word");
    FF_TRY(const std::string_view value, reader.text(3, "value"));
    return RecordSteps::Answer{.step = {.name = std::string(name),
                                        .value = Bytes(value),
                                        .encoding = std::string(reader.text_or_empty(4))},
                               .duplicate = true};
}

Result<RecordedStep> read_recorded(const store::Reply& item) {
    const ReplyReader reader(kRead, item.items());
    FF_TRY(const std::string_view name, reader.text(1, "name"));
    FF_TRY(const std::string_view value, reader.text(2, "value"));
    FF_TRY(const std::string_view encoding, reader.text(3, "encoding"));
    FF_TRY(const auto index, reader.parsed<model::AttemptIndex>(4, "attempt_index"));
    FF_TRY(const Timestamp at, reader.time(5, "recorded_at"));
    return RecordedStep{.step = {.name = std::string(name),
                                 .value = Bytes(value),
                                 .encoding = std::string(encoding)},
                        .attempt_index = index,
                        .recorded_at = at};
}

}  // namespace

void write_steps(CallWriter& to, const std::vector<Step>& steps) {
    to.arg("step_count", static_cast<std::int64_t>(steps.size()));
    for (const Step& step : steps) {
        to.arg("step_name", step.name);
        to.arg("step_value", step.value);
        to.arg("step_encoding", step.encoding);
    }
}

void write_steps_if_any(CallWriter& to, const std::vector<Step>& steps) {
    if (!steps.empty()) write_steps(to, steps);
}

void RecordSteps::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRecord, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    write_steps(to, steps);
}

Result<RecordSteps::Outcome> RecordSteps::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRecord, reply));
    FF_TRY(const auto items, reader.items(3, "items"));
    Outcome outcome;
    outcome.reserve(items.size());
    for (const store::Reply& item : items) {
        FF_TRY(Answer answer, read_answer(item));
        outcome.push_back(std::move(answer));
    }
    return outcome;
}

void ReadSteps::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRead, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("first", first);
    to.arg("limit", limit);
    to.arg("max_bytes", bytes_max);
}

Result<ReadSteps::Outcome> ReadSteps::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRead, reply));
    Outcome outcome;
    FF_TRY(outcome.count, reader.integer(3, "count"));
    FF_TRY(const std::string_view next, reader.text(4, "next"));
    if (!next.empty()) {
        FF_TRY(outcome.next, reader.integer(4, "next"));
    }
    FF_TRY(const auto items, reader.items(5, "items"));
    outcome.steps.reserve(items.size());
    for (const store::Reply& item : items) {
        FF_TRY(RecordedStep step, read_recorded(item));
        outcome.steps.push_back(std::move(step));
    }
    return outcome;
}

}  // namespace ff::engine
