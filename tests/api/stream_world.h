#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/server_world.h"
#include "engine/claim_batch.h"
#include "engine/operation.h"

namespace ff::testing {

/// An execution that a worker holds.
struct Held {
    std::string lane{};
    engine::ClaimedTask task;

    std::string id() const { return task.execution_id.to_string(); }
    /// `/v1/executions/{id}`, with what follows.
    std::string path(std::string_view rest = {}) const;
    /// The stream of its attempt, with what follows.
    std::string stream(std::string_view rest = {}) const;
    /// `"lease":{...}`, to stand in a body.
    std::string lease() const;
    engine::StreamAddress address() const {
        return {.execution_id = task.execution_id, .attempt_index = task.attempt_index};
    }
};

struct SseEvent {
    std::string event{};
    std::string id{};
    std::string data{};

    bool comment() const { return event.empty() && data.empty(); }
};

/// Reads server-sent events.
class SseClient {
  public:
    SseClient(const ServerWorld& world, std::string_view target, const HttpHeaders& headers = {});

    /// The whole head of the reply.
    const std::string& head() const { return head_; }
    bool ok() const { return head_.starts_with("HTTP/1.1 200"); }
    /// The next event that is no comment; throws when none comes.
    SseEvent next();
    /// The next event or comment.
    SseEvent next_line();
    /// The server ends the body properly.
    bool ends();

  private:
    HttpConnection connection_;
    std::string head_{};
};

/// A server of its own for each test.
class StreamApi : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world(WorldOptions options = {});

    template <engine::Operation Op>
    typename Op::Outcome must(Op operation) {
        return world().await(engine::run(world().store(), std::move(operation)));
    }
    model::ExecutionId create(const std::string& lane, std::string policy_json = {},
                              std::string ns = "acme", std::string tags_json = {});
    Held claim(const std::string& lane, const model::ExecutionId& id);
    /// A new execution, claimed.
    Held start(std::string policy_json = {});
    /// Durable frames whose payloads are their numbers, filled up to a size.
    void append(const Held& held, int first, int count, std::size_t size = 0);
    void complete(const Held& held);
    /// Runs on the server's loop.
    template <class Value>
    Value on_server(const std::function<Value()>& look) {
        Value value{};
        world().on_loop([&] { value = look(); });
        return value;
    }

    std::unique_ptr<ServerWorld> world_{};
};

/// The ids of the frames in a reply.
std::vector<std::string> frame_ids(const JsonReply& reply);
/// The number behind the dash.
std::int64_t ordinal(std::string_view id);

}  // namespace ff::testing
