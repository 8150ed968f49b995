// Data that earlier programs wrote: every folder and dump under tests/fixtures opens, holds what it
// held, and can be worked on. tests/fixtures/make.sh has made them.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/json.h"
#include "boot/server_process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::Environment;
using testing::HttpConnection;
using testing::HttpReply;
using testing::TempDir;
using testing::wait_until;

/// One line of a list: what kind of fact, about what, and what it says.
using Fact = std::vector<std::string>;

std::vector<Fact> read_facts(const std::string& path) {
    std::vector<Fact> facts;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Fact fact;
        for (std::string word; std::getline(words, word, '\t');) fact.push_back(word);
        facts.push_back(std::move(fact));
    }
    return facts;
}

std::string in_path(const std::string& id) {
    std::string text;
    for (const char c : id) text += c == '{' ? "%7B" : c == '}' ? "%7D" : std::string(1, c);
    return text;
}

std::string path_of(const std::string& id) {
    return "/v1/executions/" + in_path(id);
}

/// What the lists say, asked of a server and done with it.
class OldData {
  public:
    OldData(Environment environment, std::vector<Fact> facts)
        : server_([&] {
              // However long ago it ended: what is kept is not the matter here.
              environment.emplace_back("FF_RETENTION_DEFAULT_MS", "316224000000");
              environment.emplace_back("FF_FLOW_RETENTION_MS", "316224000000");
              environment.emplace_back("FF_WAITPOINT_HMAC_SECRET", std::string(64, 'a'));
              environment.emplace_back("FF_FLOW_PARTITIONS", "8");
              environment.emplace_back("FF_BUDGET_PARTITIONS", "2");
              environment.emplace_back("FF_QUOTA_PARTITIONS", "2");
              return environment;
          }()),
          facts_(std::move(facts)) {}

    void check_content() {
        for (const Fact& fact : facts_) {
            const std::string& kind = fact.at(0);
            if (kind == "state") expect_in(path_of(fact[1]) + "/state", "\"" + fact[2] + "\"");
            if (kind == "payload") expect_in(path_of(fact[1]) + "/payload", fact[2]);
            if (kind == "result") expect_in(path_of(fact[1]) + "/result", fact[2]);
            if (kind == "frames") {
                expect_in(path_of(fact[1]) + "/attempts/0/stream", R"("payload":"one")");
                expect_in(path_of(fact[1]) + "/attempts/0/stream", R"("payload":"two")");
            }
            if (kind == "budget") expect_in("/v1/budgets/" + in_path(fact[1]), fact[2]);
            if (kind == "quota")
                expect_in("/v1/quotas/" + in_path(fact[1]), R"("max_concurrent":)" + fact[2]);
            if (kind == "lane")
                expect_in("/v1/lanes",
                          R"("lane_id":")" + fact[1] + R"(","state":")" + fact[2] + "\"");
        }
    }

    void work_on_it() {
        complete_waiting();
        for (const Fact& fact : facts_) {
            const std::string& kind = fact.at(0);
            if (kind == "held") complete_held(fact);
            if (kind == "suspended") complete_suspended(fact);
            if (kind == "resumable") complete_resumed(fact);
            if (kind == "flow") finish_flow(fact);
            if (kind == "budget") spend(fact);
        }
        const std::string made = server_.create("new");
        EXPECT_EQ(complete(claim("new")), made);
    }

  private:
    void expect_in(const std::string& target, const std::string& wanted) {
        const HttpReply reply = server_.get(target);
        EXPECT_EQ(reply.status, 200) << target << reply.body;
        EXPECT_NE(reply.body.find(wanted), std::string::npos)
            << target << ": " << reply.body << ", not " << wanted;
    }
    std::string claim(const std::string& lane, int most = 1) {
        const HttpReply reply =
            server_.post("/v1/workers/w/tasks/claim",
                         R"({"worker_instance_id":"w-1","lanes":[")" + lane +
                             R"("],"wait_ms":20000,"max_tasks":)" + std::to_string(most) + "}");
        EXPECT_EQ(reply.status, 200) << lane << reply.body;
        return reply.body;
    }
    /// The first task of a claim's answer; its execution.
    std::string complete(const std::string& claimed) {
        const std::string id = BootedServer::value_of(claimed, "execution_id");
        const HttpReply reply =
            server_.post(path_of(id) + "/complete",
                         R"({"task_token":")" + BootedServer::value_of(claimed, "task_token") +
                             R"(","result":"later"})");
        EXPECT_EQ(reply.status, 200) << reply.body;
        expect_in(path_of(id) + "/result", "later");
        return id;
    }
    std::string lane_of(const std::string& id) {
        return BootedServer::value_of(server_.get(path_of(id)).body, "lane_id");
    }

    void complete_waiting() {
        std::size_t waiting = 0;
        for (const Fact& fact : facts_) waiting += fact[0] == "payload" ? 1U : 0U;
        ASSERT_GT(waiting, 0U);
        for (std::size_t i = 0; i < waiting; ++i) complete(claim("work"));
    }
    void complete_held(const Fact& fact) {
        // Its worker is long gone, whether or not its lease has run out meanwhile.
        const HttpReply revoked =
            server_.post(path_of(fact[1]) + "/revoke-lease", R"({"reason":"gone"})");
        EXPECT_TRUE(revoked.status == 200 || revoked.status == 404) << revoked.body;
        EXPECT_EQ(complete(claim(lane_of(fact[1]))), fact[1]);
    }
    void complete_suspended(const Fact& fact) {
        const HttpReply signalled = server_.post(
            path_of(fact[1]) + "/signal",
            R"({"signal_name":"approved","signal_category":"c","source_type":"human",)"
            R"("source_identity":"ann","waitpoint_id":")" +
                fact[2] + R"(","waitpoint_token":")" + fact[3] + R"(","payload":"yes"})");
        EXPECT_EQ(signalled.status, 200) << signalled.body;
        EXPECT_EQ(complete(claim(lane_of(fact[1]))), fact[1]);
    }
    void complete_resumed(const Fact& fact) {
        const std::string claimed = claim(lane_of(fact[1]));
        expect_in(path_of(fact[1]) + "/resume-signals?attempt_index=0", fact[2]);
        EXPECT_EQ(complete(claimed), fact[1]);
    }
    void finish_flow(const Fact& fact) {
        const int nodes = std::stoi(fact[3]);
        for (int i = 0; i < nodes; ++i) complete(claim(fact[2]));
        EXPECT_TRUE(wait_until([&] {
            return server_.get("/v1/flows/" + fact[1]).body.find("\"completed\"") !=
                   std::string::npos;
        })) << server_.get("/v1/flows/" + fact[1]).body;
    }
    void spend(const Fact& fact) {
        const std::string path = "/v1/budgets/" + in_path(fact[1]) + "/usage";
        const HttpReply little = server_.post(path, R"({"dimensions":{"tokens":25}})");
        EXPECT_NE(little.body.find(R"("current_usage":55)"), std::string::npos) << little.body;
        const HttpReply much = server_.post(path, R"({"dimensions":{"tokens":60}})");
        EXPECT_NE(much.body.find("hard_breach"), std::string::npos) << much.body;
    }

    BootedServer server_;
    std::vector<Fact> facts_;
};

/// A folder or dump of an earlier program, by the path of its list.
class OldDataOpens : public ::testing::TestWithParam<std::string> {
  protected:
    std::string archive(const std::string& ending) const {
        const std::string& list = GetParam();
        return list.substr(0, list.size() - std::string_view(".tsv").size()) + ending;
    }
    static void run(const std::string& command) {
        const testing::CommandResult result = testing::run_command({"sh", "-c", command});
        ASSERT_EQ(result.exit_code, 0) << command << result.err;
    }
    /// A copy to work on.
    std::string unpacked_folder() {
        run("tar -xJf '" + archive(".tar.xz") + "' -C '" + folder_.path().string() + "'");
        return folder_.file("data");
    }
    void check(const Environment& environment) {
        const std::vector<Fact> facts = read_facts(GetParam());
        ASSERT_GT(facts.size(), 20U);
        OldData data(environment, facts);
        data.check_content();
        data.work_on_it();
    }

    TempDir folder_{};
};

TEST_P(OldDataOpens, HoldsWhatItHeldAndWorks) {
    if (std::filesystem::exists(archive(".tar.xz")))
        return check({{"FF_DATA_DIR", unpacked_folder()}});
    run("xz -dc '" + archive(".rdb.xz") + "' >'" + folder_.file("dump.rdb") + "'");
    const testing::ValkeyServer valkey = testing::ValkeyServer::start(
        {.arguments = {"--dir", folder_.path().string(), "--dbfilename", "dump.rdb"}});
    check(testing::of_valkey(valkey.port()));
}

std::vector<std::string> all_lists() {
    std::vector<std::string> lists;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(FF_FIXTURES))
        if (entry.path().extension() == ".tsv") lists.push_back(entry.path().string());
    std::sort(lists.begin(), lists.end());
    return lists;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
    const std::filesystem::path path(info.param);
    std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, OldDataOpens, ::testing::ValuesIn(all_lists()), name_of);

TEST(NewerData, IsRefusedWithASentence) {
    const TempDir folder;
    {
        BootedServer server({{"FF_DATA_DIR", folder.file("data")}});
        ASSERT_NE(server.port(), 0);
        server.process().signal(SIGTERM);
        ASSERT_EQ(server.process().wait_for_exit(), 0);
    }
    // As a later program may write it: with facts that this one has never heard of.
    std::ofstream(folder.file("data/STORE"))
        << "flowfabric-store\nformat 2\nshards 1\nid abc\nfolding origami\nchecksum 1\n";
    BootedServer server({{"FF_DATA_DIR", folder.file("data")}});
    ASSERT_EQ(server.process().wait_for_exit(), 1);
    EXPECT_NE(server.process().err().find("STORE has format 2, written by a newer flowfabric; "
                                          "this one knows format 1 and has changed nothing"),
              std::string::npos)
        << server.process().err();
}

}  // namespace
}  // namespace ff::fault
