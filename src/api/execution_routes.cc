#include "api/execution_routes.h"

#include <utility>

#include "api/execution_fields.h"
#include "api/execution_route_parts.h"
#include "api/json_response.h"
#include "api/parse_path.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Executions;

Result<service::NewExecution> parse_create(Call& call, const model::PartitionConfig& partitions) {
    if (call.is_octets()) return parse_octet_execution(call, partitions);
    FF_TRY(const json::Value object, call.object());
    return parse_new_execution(Fields(object), partitions);
}

Task<http::Response> create(Executions& executions, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(service::NewExecution request, parse_create(call, partitions));
    FF_CO_TRY(const service::CreatedExecution created,
              co_await executions.create(std::move(request)));
    co_return json_response(created.duplicate ? 200 : 201,
                            [&created](json::Writer& out) { write_created(out, created); });
}

Task<http::Response> create_batch(Executions& executions, model::PartitionConfig partitions,
                                  Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const std::vector<Fields> items,
              Fields(object).objects("executions", {.least = 1, .most = Executions::kBatchMost}));
    std::vector<Result<service::CreatedExecution>> results;
    std::vector<service::NewExecution> requests;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < items.size(); ++i) {
        Result<service::NewExecution> request = parse_batch_item(items[i], partitions);
        // Replaced below; an item that was not understood is not sent.
        results.emplace_back(request ? Error{.code = "internal"} : request.error());
        if (!request) continue;
        requests.push_back(*std::move(request));
        positions.push_back(i);
    }
    if (!requests.empty()) {
        std::vector<Result<service::CreatedExecution>> created =
            co_await executions.create_batch(std::move(requests));
        for (std::size_t i = 0; i < created.size(); ++i) {
            results[positions[i]] = std::move(created[i]);
        }
    }
    co_return json_response(200, [&results](json::Writer& out) {
        out.key("results").begin_array();
        for (const Result<service::CreatedExecution>& result : results) {
            out.begin_object();
            if (result) {
                write_created(out, *result);
            } else {
                write_item_error(out, result.error());
            }
            out.end_object();
        }
        out.end_array();
    });
}

Task<http::Response> get(Executions& executions, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const service::ExecutionInfo info, co_await executions.describe(id));
    co_return json_response(200, [&info](json::Writer& out) { write_info(out, info); });
}

Task<http::Response> get_state(Executions& executions, model::PartitionConfig partitions,
                               Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const service::ExecutionInfo info, co_await executions.get(id));
    co_return json_response(200, [&info](json::Writer& out) {
        out.key("execution_id").string(info.execution_id.to_string());
        out.key("public_state").string(model::to_string(info.state.public_state));
    });
}

http::Response octets(Bytes bytes) {
    return {.status = 200, .content_type = "application/octet-stream", .body = std::move(bytes)};
}

Task<http::Response> get_payload(Executions& executions, model::PartitionConfig partitions,
                                 Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(Bytes payload, co_await executions.payload(id));
    co_return octets(std::move(payload));
}

Task<http::Response> get_input(Executions& executions, model::PartitionConfig partitions,
                               Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(Bytes input, co_await executions.input(id, call.path("name")));
    co_return octets(std::move(input));
}

Task<http::Response> get_result(Executions& executions, model::PartitionConfig partitions,
                                Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(Bytes result, co_await executions.result(id));
    co_return octets(std::move(result));
}

Task<http::Response> get_tags(Executions& executions, model::PartitionConfig partitions,
                              Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const service::Tags tags, co_await executions.tags(id));
    co_return json_response(200, [&tags](json::Writer& out) {
        for (const auto& [name, value] : tags) out.key(name).string(value);
    });
}

Result<service::Tags> parse_tag_map(const json::Value& object) {
    service::Tags tags;
    for (std::size_t i = 0; i < object.size(); ++i) {
        const auto [name, value] = object.member(i);
        const auto text = value.as_string();
        if (!text) return invalid_input(name, "not_string");
        tags.emplace_back(name, *text);
    }
    if (tags.empty()) return invalid_input("tags", "missing");
    return tags;
}

Task<http::Response> put_tags(Executions& executions, model::PartitionConfig partitions,
                              Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(service::Tags tags, parse_tag_map(object));
    FF_CO_TRY(const std::int64_t count, co_await executions.set_tags(id, std::move(tags)));
    co_return json_response(200, [count](json::Writer& out) { out.key("count").integer(count); });
}

void add_create(Routes& routes, Executions& executions, model::PartitionConfig partitions) {
    routes.add({.method = "POST",
                .pattern = "/v1/executions",
                .body = BodyClass::Large,
                .content = Content::JsonOrOctets,
                .doc = {.id = "createExecution",
                        .summary = "Create an execution",
                        .body = new_execution_fields(),
                        .answer_type = "CreatedExecution",
                        .statuses = {201, 200},
                        .errors = {"budget_not_found", "quota_policy_not_found",
                                   "invalid_policy_json", "invalid_capabilities",
                                   "partition_mismatch", "lane_not_accepting", "budget_exceeded"}},
                .handle = [&executions, partitions](Call& call) {
                    return create(executions, partitions, call);
                }});
    routes.add({.method = "POST",
                .pattern = "/v1/executions/batch",
                .body = BodyClass::Bulk,
                .doc = {.id = "createExecutions",
                        .summary = "Create up to 1000 executions, independent of each other",
                        .body = {{.name = "executions",
                                  .kind = Kind::Array,
                                  .type = "[CreateExecutionRequest]",
                                  .required = true}},
                        .answer_type = "CreatedExecutions"},
                .handle = [&executions, partitions](Call& call) {
                    return create_batch(executions, partitions, call);
                }});
}

using Read = Task<http::Response> (*)(Executions&, model::PartitionConfig, Call&);

void add_read(Routes& routes, Executions& executions, model::PartitionConfig partitions,
              std::string pattern, RouteDoc doc, Read read) {
    doc.errors = {"execution_not_found", "not_found"};
    routes.add({.method = "GET",
                .pattern = std::move(pattern),
                .doc = std::move(doc),
                .handle = [&executions, partitions, read](Call& call) {
                    return read(executions, partitions, call);
                }});
}

}  // namespace

void add_execution_routes(Routes& routes, Executions& executions,
                          model::PartitionConfig partitions) {
    add_create(routes, executions, partitions);
    add_execution_list_routes(routes, executions, partitions);
    add_read(routes, executions, partitions, "/v1/executions/{id}",
             {.id = "getExecution", .summary = "Get an execution", .answer_type = "Execution"},
             get);
    add_read(routes, executions, partitions, "/v1/executions/{id}/state",
             {.id = "getState",
              .summary = "Get the public state of an execution",
              .answer_type = "ExecutionState"},
             get_state);
    add_read(routes, executions, partitions, "/v1/executions/{id}/payload",
             {.id = "getPayload",
              .summary = "Get the payload of an execution, byte for byte",
              .answer_type = "octets"},
             get_payload);
    add_read(routes, executions, partitions, "/v1/executions/{id}/inputs/{name}",
             {.id = "getInput",
              .summary = "Get an input that came from another node of the flow, byte for byte",
              .answer_type = "octets"},
             get_input);
    add_read(routes, executions, partitions, "/v1/executions/{id}/result",
             {.id = "getResult",
              .summary = "Get the result of a successful execution, byte for byte",
              .answer_type = "octets"},
             get_result);
    add_read(
        routes, executions, partitions, "/v1/executions/{id}/tags",
        {.id = "getTags", .summary = "Get the tags of an execution", .answer_type = "{string}"},
        get_tags);
    routes.add({.method = "PUT",
                .pattern = "/v1/executions/{id}/tags",
                .body = BodyClass::Control,
                .doc = {.id = "setTags",
                        .summary = "Set tags of an execution; names have the form word.rest",
                        .own_members = true,
                        .body_type = "{string}",
                        .answer_type = "TagCount",
                        .errors = {"invalid_tag_key", "execution_not_found"}},
                .handle = [&executions, partitions](Call& call) {
                    return put_tags(executions, partitions, call);
                }});
    add_call_routes(routes, executions, partitions);
    add_execution_operator_routes(routes, executions, partitions);
}

}  // namespace ff::api
