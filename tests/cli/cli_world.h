#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "flowfabric/flowfabric.h"
#include "sdk/door_world.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ff::testing {

using flowfabric::Json;

struct Said {
    int exit_code = 0;
    std::string out{};
    std::string err{};

    Json json() const { return Json::parse(out).value(); }
    bool tells(const std::string& text) const { return out.find(text) != std::string::npos; }
};

/// Every command against a server: its table, its JSON, and a bad call.
class Cli : public ::testing::Test {
  protected:
    DoorWorld& world = door_world("http");
    const flowfabric::AdminClient& client = world.client();
    TempDir folder{};

    Said run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), FF_PROGRAM);
        Process process({.args = std::move(arguments),
                         .env = {{"FF_SERVER_URL", world.config("x").server_url}},
                         .directory = folder.path().string()});
        const int code = process.wait_for_exit().value_or(-1);
        return {code, process.out(), process.err()};
    }
    /// A bad call: exit 2, nothing on standard output, and a message that names the culprit.
    void expect_usage(std::vector<std::string> arguments, const std::string& culprit) {
        const Said said = run(std::move(arguments));
        EXPECT_EQ(said.exit_code, 2) << said.out << said.err;
        EXPECT_EQ(said.out, "");
        EXPECT_NE(said.err.find(culprit), std::string::npos) << said.err;
    }
    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(folder.file(name)) << text;
        return folder.file(name);
    }
    std::string lane = DoorWorld::unique("cli");

    flowfabric::Task claim(flowfabric::Worker& worker) {
        return std::move(worker.claim_tasks(1, kPatience).value().at(0));
    }
};

}  // namespace ff::testing
