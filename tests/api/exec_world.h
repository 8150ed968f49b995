#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/server_world.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "support/wait.h"

namespace ff::testing {

/// A task as a worker keeps it.
struct HeldTask {
    std::string execution_id{};
    std::string token{};
    std::string lease_id{};
    std::int64_t lease_epoch = 0;
    std::string attempt_id{};
    std::int64_t attempt_index = 0;
    std::string attempt_type{};
    std::string payload{};
    std::string raw{};

    /// `"lease":{...}`, to stand in a body.
    std::string lease() const;
};

/// What tests of executions and workers do again and again. Each test has a lane and a namespace of
/// its own.
class ExecApi : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }
    static std::string own_name(std::string_view suffix = "");

    /// A create in the test's own lane and namespace with further members `,"x":1`.
    static std::string new_execution(std::string_view more = "");
    JsonReply create(std::string_view more = "");
    std::string created_id(std::string_view more = "");
    JsonReply claim(std::string_view more = "", std::string_view worker = "w1");
    std::vector<HeldTask> claimed(std::string_view more = "", std::string_view worker = "w1");
    /// The one task there is.
    HeldTask claim_one(std::string_view more = "", std::string_view worker = "w1");
    JsonReply act(std::string_view id, std::string_view what, std::string_view body);
    JsonReply act(const HeldTask& task, std::string_view what, std::string_view more = "");
    JsonReply info(std::string_view id);
    std::string state(std::string_view id);
};

std::vector<HeldTask> read_tasks(const JsonReply& reply);

}  // namespace ff::testing
