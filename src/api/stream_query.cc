#include "api/stream_query.h"

#include <utility>

#include "api/parse_path.h"
#include "hub/entry_id.h"

namespace ff::api {

Result<engine::StreamAddress> parse_stream(const Call& call,
                                           const model::PartitionConfig& partitions) {
    FF_TRY(model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const model::AttemptIndex index, parse_path<model::AttemptIndex>(call, "idx"));
    return engine::StreamAddress{.execution_id = id, .attempt_index = index};
}

Result<std::int64_t> parse_limit(const Call& call, std::int64_t otherwise) {
    FF_TRY(const auto limit, call.query_integer("limit", 1, kPageMost));
    return limit.value_or(otherwise);
}

Result<Deadline> parse_block(const Call& call, std::int64_t otherwise_ms) {
    FF_TRY(const auto block_ms, call.query_integer("block_ms", 0, kBlockMsMost));
    return Deadline::after(Millis(block_ms.value_or(otherwise_ms)));
}

Result<PayloadForm> parse_payload_form(const Call& call) {
    const std::string form = call.query("payload").value_or("");
    if (form.empty() || form == "text") return PayloadForm::TextWhereItIs;
    if (form == "base64") return PayloadForm::Base64;
    return invalid_input("payload", "is neither text nor base64");
}

Result<bool> parse_visibility(const Call& call) {
    const std::string visibility = call.query("visibility").value_or("");
    if (visibility.empty() || visibility == "all") return false;
    if (visibility == "exclude_best_effort") return true;
    return invalid_input("visibility", "is neither all nor exclude_best_effort");
}

Result<std::string> parse_bound(const Call& call, std::string_view name,
                                std::string_view otherwise) {
    std::string text = call.query(name).value_or(std::string(otherwise));
    if (text == "start") text = "-";
    // A bare plus sign in a query means a space.
    if (text == "end" || text == " ") text = "+";
    if (text != "-" && text != "+" && !hub::EntryId::parse(text))
        return invalid_input(name, "is no entry id");
    return text;
}

FieldDoc doc_limit(std::string about) {
    return {.name = "limit", .kind = FieldDoc::Kind::Integer, .about = std::move(about)};
}

FieldDoc doc_block() {
    return {.name = "block_ms",
            .kind = FieldDoc::Kind::Integer,
            .about = "How long to wait for news, 0..30000"};
}

FieldDoc doc_choice(std::string name, std::string words, std::string about) {
    return {.name = std::move(name), .type = std::move(words), .about = std::move(about)};
}

FieldDoc doc_query(std::string name, std::string about, std::string example) {
    return {.name = std::move(name), .about = std::move(about), .example = std::move(example)};
}

}  // namespace ff::api
