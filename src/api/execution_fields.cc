#include "api/execution_fields.h"

#include "base/numbers.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

constexpr TextLimits kKind{.least = 1, .most = 256};
constexpr TextLimits kShort{.most = 256};
constexpr TextLimits kLong{.most = 4096};
constexpr std::size_t kTagsMost = 256;

/// Whoever names no namespace or lane means the one called `default`.
template <class Id>
Result<Id> id_or_default(const Fields& body, std::string_view name) {
    FF_TRY(std::optional<Id> given, body.id_if<Id>(name));
    if (given) return *std::move(given);
    return Id::parse("default");
}

Result<Done> check_partition_id(const Fields& body, const model::ExecutionId& id) {
    FF_TRY(const auto partition, body.integer_if("partition_id", {.least = 0, .most = 65535}));
    if (partition && *partition != id.partition_index()) {
        return model::make_error("partition_mismatch", {body.full_name("partition_id")});
    }
    return Done{};
}

Result<service::Tags> parse_tags(const Fields& body) {
    FF_TRY(const auto given, body.text_map_if("tags"));
    service::Tags tags;
    if (!given) return tags;
    if (given->size() > kTagsMost) return body.refuse("tags", "too_many");
    for (const auto& [name, value] : *given) {
        if (name.empty()) return body.refuse("tags", "empty_key");
        tags.emplace_back(name, value);
    }
    return tags;
}

Result<bool> parse_hold(const Fields& body) {
    FF_TRY(const std::string hold, body.text_or("initial_hold", ""));
    if (!hold.empty() && hold != "dependencies") return body.refuse("initial_hold", "unknown");
    return !hold.empty();
}

void write_time(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.key(name).integer(to_ms(*at));
}

void write_text(json::Writer& out, std::string_view name, const std::string& text) {
    // Free text is cut at a number of bytes when it is stored, maybe inside a character.
    if (!text.empty()) write_bytes(out, name, text);
}

void write_vector(json::Writer& out, const model::StateVector& state) {
    out.key("state_vector").begin_object();
    out.key("lifecycle_phase").string(model::to_string(state.lifecycle_phase));
    out.key("ownership_state").string(model::to_string(state.ownership_state));
    out.key("eligibility_state").string(model::to_string(state.eligibility_state));
    out.key("blocking_reason").string(model::to_string(state.blocking_reason));
    out.key("terminal_outcome").string(model::to_string(state.terminal_outcome));
    out.key("attempt_state").string(model::to_string(state.attempt_state));
    out.key("public_state").string(model::to_string(state.public_state));
    out.end_object();
}

/// Integers of the query become numbers, JSON texts objects, everything else text.
Result<std::string> query_as_json(const Call& call) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object();
    for (const std::string_view name :
         {"execution_id", "colocate_with_flow", "namespace", "lane_id", "execution_kind",
          "payload_encoding", "creator_identity", "idempotency_key", "initial_hold"}) {
        if (const auto value = call.query(name)) writer.key(name).string(*value);
    }
    for (const std::string_view name : {"delay_until", "execution_deadline_at"}) {
        const auto value = call.query(name);
        if (!value) continue;
        const auto number = parse_i64(*value);
        if (number) {
            writer.key(name).integer(*number);
        } else {
            writer.key(name).string(*value);
        }
    }
    for (const std::string_view name : {"priority", "partition_id"}) {
        FF_TRY(const auto value, call.query_integer(name, -kSafeIntegerMax, kSafeIntegerMax));
        if (value) writer.key(name).integer(*value);
    }
    if (const auto value = call.query("allow_missing_budget")) {
        if (*value != "true" && *value != "false") {
            return invalid_input("allow_missing_budget", "not_boolean");
        }
        writer.key("allow_missing_budget").boolean(*value == "true");
    }
    for (const std::string_view name : {"policy", "tags"}) {
        const auto value = call.query(name);
        if (!value) continue;
        if (!json::Document::parse(*value)) return invalid_input(name, "not_json");
        writer.key(name).raw(*value);
    }
    writer.end_object();
    return text;
}

/// A JSON array of numbers 0 to 255.
Result<Bytes> bytes_of_array(const Fields& body, std::string_view name, const json::Value& array) {
    Bytes bytes;
    bytes.reserve(array.size());
    for (std::size_t i = 0; i < array.size(); ++i) {
        const auto byte = array.element(i).as_integer();
        if (!byte || *byte < 0 || *byte > 255) return body.refuse(name, "not_bytes");
        bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
}

/// `input_payload` is what older clients call the payload: text, or an array of bytes.
Result<LentBytes> input_payload_of(const Fields& body, const json::Value& found) {
    constexpr std::string_view kName = "input_payload";
    if (body.has("payload") || body.has("payload_base64")) return body.refuse(kName, "given_twice");
    if (const auto text = found.as_string()) return LentBytes::lent(*text);
    if (!found.is_array()) return body.refuse(kName, "not_bytes");
    FF_TRY(Bytes bytes, bytes_of_array(body, kName, found));
    return LentBytes(std::move(bytes));
}

/// Text stays in the request, which is there until it is answered.
Result<LentBytes> payload_of(const Fields& body) {
    const auto older = body.value().find("input_payload");
    if (older && !older->is_null()) return input_payload_of(body, *older);
    const auto found = body.value().find("payload");
    const auto text = found ? found->as_string() : std::nullopt;
    const bool fits = text && text->size() <= TextLimits().most;
    if (fits && !body.has("payload_base64")) return LentBytes::lent(*text);
    FF_TRY(std::optional<Bytes> payload, body.bytes_if("payload"));
    return payload ? LentBytes(*std::move(payload)) : LentBytes();
}

/// Where the id is to be minted, if the body says so; a flow has its own place.
Result<std::optional<std::uint16_t>> mint_partition(const Fields& body,
                                                    const service::NewExecution& request,
                                                    const model::PartitionConfig& partitions) {
    FF_TRY(const auto given, body.integer_if("partition_id", {.least = 0, .most = 65535}));
    if (!given) return std::optional<std::uint16_t>();
    if (*given >= partitions.num_flow_partitions()) {
        return body.refuse("partition_id", "out_of_range");
    }
    const auto partition = static_cast<std::uint16_t>(*given);
    if (request.colocate_with_flow &&
        model::partition_of(*request.colocate_with_flow, partitions).index() != partition) {
        return model::make_error("partition_mismatch", {body.full_name("partition_id")});
    }
    return std::optional(partition);
}

}  // namespace

std::vector<FieldDoc> new_execution_fields() {
    return {{.name = "namespace", .about = "`default` if absent", .example = "\"acme\""},
            {.name = "lane_id", .about = "`default` if absent", .example = "\"default\""},
            {.name = "execution_kind", .required = true, .example = "\"resize\""},
            {.name = "execution_id", .about = "Minted if absent"},
            {.name = "colocate_with_flow", .about = "A flow whose partition the new id is in"},
            {.name = "payload", .kind = FieldDoc::Kind::Bytes, .about = "Text; or payload_base64"},
            {.name = "payload_encoding"},
            {.name = "priority", .kind = FieldDoc::Kind::Integer, .about = "Clamped to 0..9000"},
            {.name = "creator_identity"},
            {.name = "idempotency_key", .about = "A second create with it gives the first"},
            {.name = "tags",
             .kind = FieldDoc::Kind::Object,
             .type = "{string}",
             .example = R"({"team.name":"search"})"},
            {.name = "policy", .kind = FieldDoc::Kind::Object, .type = "ExecutionPolicy"},
            {.name = "delay_until",
             .type = "due",
             .about = "Milliseconds, or \"+<ms>\"",
             .example = "\"+5000\""},
            {.name = "execution_deadline_at", .type = "due", .about = "Milliseconds, or \"+<ms>\""},
            {.name = "initial_hold", .type = "=dependencies"},
            {.name = "partition_id",
             .kind = FieldDoc::Kind::Integer,
             .about = "Where a minted id goes; of a given id its own partition"},
            {.name = "input_payload",
             .type = "string,[integer]",
             .about = "Older name of payload; text or an array of bytes"},
            {.name = "allow_missing_budget",
             .kind = FieldDoc::Kind::Boolean,
             .about = "Accept a policy that names a budget or quota that does not exist yet"}};
}

Result<service::NewExecution> parse_new_execution(const Fields& body,
                                                  const model::PartitionConfig& partitions) {
    FF_TRY(model::Namespace ns, id_or_default<model::Namespace>(body, "namespace"));
    FF_TRY(model::LaneId lane, id_or_default<model::LaneId>(body, "lane_id"));
    service::NewExecution request{.ns = std::move(ns), .lane = std::move(lane)};
    FF_TRY(request.execution_kind, body.text("execution_kind", kKind));
    FF_TRY(request.execution_id, body.id_if<model::ExecutionId>("execution_id"));
    if (request.execution_id) {
        FF_CHECK(model::check_in_range(*request.execution_id, partitions));
        FF_CHECK(check_partition_id(body, *request.execution_id));
    }
    FF_TRY(request.colocate_with_flow, body.id_if<model::FlowId>("colocate_with_flow"));
    if (!request.execution_id) {
        FF_TRY(request.partition, mint_partition(body, request, partitions));
    }
    FF_TRY(request.payload, payload_of(body));
    FF_TRY(request.payload_encoding, body.text_or("payload_encoding", "", kShort));
    FF_TRY(request.priority, body.integer_if("priority"));
    FF_TRY(request.creator_identity, body.text_or("creator_identity", "", kLong));
    FF_TRY(request.idempotency_key, body.id_if<model::IdempotencyKey>("idempotency_key"));
    FF_TRY(request.tags, parse_tags(body));
    FF_TRY(std::optional<std::string> policy, body.object_text_if("policy"));
    if (policy) request.policy_json = *std::move(policy);
    FF_TRY(request.delay_until, body.due_if("delay_until"));
    FF_TRY(request.execution_deadline, body.due_if("execution_deadline_at"));
    FF_TRY(request.hold_for_dependencies, parse_hold(body));
    FF_TRY(request.allow_missing_budget, body.flag_or("allow_missing_budget", false));
    return request;
}

Result<service::NewExecution> parse_batch_item(const Fields& item,
                                               const model::PartitionConfig& partitions) {
    std::vector<std::string_view> known{"payload_base64", "now"};
    static const std::vector<FieldDoc> kFields = new_execution_fields();
    for (const FieldDoc& field : kFields) known.push_back(field.name);
    FF_CHECK(item.only(known));
    return parse_new_execution(item, partitions);
}

Result<service::NewExecution> parse_octet_execution(Call& call,
                                                    const model::PartitionConfig& partitions) {
    FF_TRY(const std::string text, query_as_json(call));
    FF_TRY(const json::Document document, json::Document::parse(text));
    FF_TRY(service::NewExecution request, parse_new_execution(Fields(document.root()), partitions));
    request.payload = call.take_body();
    return request;
}

void write_policy(json::Writer& out, const std::string& policy_json) {
    const auto policy = json::Document::parse(policy_json);
    const bool is_object = policy && policy->root().is_object();
    out.key("policy").raw(is_object ? policy->root().to_text() : "{}");
}

void write_life(json::Writer& out, const service::Life& life) {
    out.key("retention_ms").integer(life.retention.count());
    write_time(out, "expires_at", life.expires_at);
}

void write_info(json::Writer& out, const service::ExecutionInfo& info) {
    out.key("execution_id").string(info.execution_id.to_string());
    out.key("namespace").string(info.ns);
    out.key("lane_id").string(info.lane_id);
    out.key("priority").integer(info.priority);
    out.key("execution_kind").string(info.execution_kind);
    write_vector(out, info.state);
    out.key("public_state").string(model::to_string(info.state.public_state));
    out.key("created_at").integer(to_ms(info.created_at));
    write_time(out, "started_at", info.started_at);
    write_time(out, "completed_at", info.completed_at);
    write_time(out, "delay_until", info.delay_until);
    write_time(out, "execution_deadline_at", info.execution_deadline_at);
    out.key("current_attempt_index").integer(info.current_attempt_index);
    out.key("total_attempt_count").integer(info.total_attempt_count);
    if (info.flow_id.empty()) {
        out.key("flow_id").null();
    } else {
        out.key("flow_id").string(info.flow_id);
    }
    write_text(out, "called_by", info.called_by);
    write_text(out, "called_as", info.called_as);
    write_bytes(out, "blocking_detail", info.blocking_detail);
    if (info.progress_pct) out.key("progress_pct").integer(*info.progress_pct);
    write_text(out, "progress_message", info.progress_message);
    write_text(out, "failure_reason", info.failure_reason);
    write_text(out, "failure_category", info.failure_category);
    write_text(out, "cancellation_reason", info.cancellation_reason);
    write_text(out, "required_capabilities", info.required_capabilities);
    write_text(out, "payload_encoding", info.payload_encoding);
    write_text(out, "result_encoding", info.result_encoding);
    write_life(out, info.life);
    write_policy(out, info.policy_json);
    out.key("retries").string(info.retries);
}

void write_created(json::Writer& out, const service::CreatedExecution& created) {
    out.key("status").string(created.duplicate ? "duplicate" : "created");
    out.key("execution_id").string(created.execution_id.to_string());
    out.key("public_state").string(model::to_string(created.public_state));
    if (created.life) write_life(out, *created.life);
}

void write_item_error(json::Writer& out, const Error& error) {
    out.key("status").string("error");
    out.key("code").string(error.code);
    out.key("class").string(to_string(error.cls));
    out.key("retryable").boolean(error.cls == ErrorClass::Retryable);
    out.key("error").string(error.text());
    out.key("detail").begin_array();
    for (const std::string& detail : error.detail) out.string(detail);
    out.end_array();
}

}  // namespace ff::api
