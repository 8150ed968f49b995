#include "api/stream_world.h"

#include <stdexcept>

#include "base/numbers.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/stream.h"
#include "model/solo_partition.h"

namespace ff::testing {
namespace {

SecureRandom& random() {
    static SecureRandom random;
    return random;
}

/// What follows the name of a field up to the end of its line.
std::string line_of(std::string_view text, std::string_view field) {
    const std::size_t start = text.find(field);
    if (start == text.npos) return {};
    const std::string_view rest = text.substr(start + field.size());
    return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace

std::string Held::path(std::string_view rest) const {
    return "/v1/executions/" + encode(id()) + std::string(rest);
}

std::string Held::stream(std::string_view rest) const {
    return path("/attempts/" + task.attempt_index.to_string() + "/stream" + std::string(rest));
}

std::string Held::lease() const {
    return R"("lease":{"lease_id":")" + task.fence.lease_id.to_string() + R"(","lease_epoch":)" +
           task.fence.lease_epoch.to_string() + R"(,"attempt_id":")" +
           task.fence.attempt_id.to_string() + R"(","attempt_index":)" +
           task.attempt_index.to_string() + "}";
}

SseClient::SseClient(const ServerWorld& world, std::string_view target, const HttpHeaders& headers)
    : connection_(world.connect()) {
    HttpHeaders all = headers;
    all.emplace_back("Accept", "text/event-stream");
    const auto sent = connection_.send_raw(HttpConnection::encode("GET", target, all));
    auto head = connection_.read_until("\r\n\r\n");
    if (!sent.has_value() || !head.has_value()) throw std::runtime_error("no head of a reply");
    head_ = *std::move(head);
    if (ok() && !connection_.read_until("retry: 2000\n\n").has_value())
        throw std::runtime_error("no greeting");
}

SseEvent SseClient::next_line() {
    const auto text = connection_.read_until("\n\n");
    if (!text.has_value()) throw std::runtime_error("no event: " + text.error().text());
    return {.event = line_of(*text, "event: "),
            .id = line_of(*text, "\nid: "),
            .data = line_of(*text, "\ndata: ")};
}

SseEvent SseClient::next() {
    while (true) {
        SseEvent event = next_line();
        if (!event.comment()) return event;
    }
}

bool SseClient::ends() {
    return connection_.read_until("0\r\n\r\n").has_value();
}

ServerWorld& StreamApi::world(WorldOptions options) {
    if (!world_) world_ = std::make_unique<ServerWorld>(GetParam(), std::move(options));
    return *world_;
}

model::ExecutionId StreamApi::create(const std::string& lane, std::string policy_json,
                                     std::string ns, std::string tags_json) {
    const auto lane_id = *model::LaneId::parse(lane);
    return must(engine::CreateExecution{.execution_id = model::ExecutionId::solo(
                                            lane_id, {}, model::LanePartitioner(), random()),
                                        .ns = *model::Namespace::parse(ns),
                                        .lane = lane_id,
                                        .execution_kind = "noop",
                                        .policy_json = std::move(policy_json),
                                        .tags_json = std::move(tags_json)})
        .execution_id;
}

Held StreamApi::claim(const std::string& lane, const model::ExecutionId& id) {
    engine::ClaimBatch claim{.partition = id.partition(),
                             .worker_id = *model::WorkerId::parse("pool"),
                             .worker_instance_id = *model::WorkerInstanceId::parse("pool-1"),
                             .lane = *model::LaneId::parse(lane),
                             .lease_ttl = Millis(120'000),
                             .request_id = model::Uuid::mint_v4(random()).to_string(),
                             .leases = {{.lease_id = model::LeaseId::mint(random()),
                                         .attempt_id = model::AttemptId::mint(random())}}};
    engine::ClaimedBatch batch = must(std::move(claim));
    if (batch.claimed.size() != 1) throw std::runtime_error("nothing to claim");
    return {.lane = lane, .task = std::move(batch.claimed.front())};
}

Held StreamApi::start(std::string policy_json) {
    const std::string lane = "lane-" + model::Uuid::mint_v4(random()).to_string().substr(0, 8);
    return claim(lane, create(lane, std::move(policy_json)));
}

void StreamApi::append(const Held& held, int first, int count, std::size_t size) {
    engine::AppendFrames frames{.stream = held.address(), .fence = held.task.fence};
    for (int i = first; i < first + count; ++i) {
        std::string payload = std::to_string(i);
        if (payload.size() < size) payload.resize(size, 'x');
        frames.frames.push_back({.type = "token", .payload = std::move(payload)});
    }
    must(std::move(frames));
}

void StreamApi::complete(const Held& held) {
    must(engine::CompleteExecution{.execution_id = held.task.execution_id,
                                   .fence = held.task.fence});
}

std::vector<std::string> frame_ids(const JsonReply& reply) {
    std::vector<std::string> ids;
    const auto frames = reply.json().find("frames");
    for (std::size_t i = 0; frames && i < frames->size(); ++i)
        ids.emplace_back(frames->element(i).find("id")->as_string().value_or(""));
    return ids;
}

std::int64_t ordinal(std::string_view id) {
    return parse_i64(id.substr(id.find('-') + 1)).value_or(-1);
}

}  // namespace ff::testing
