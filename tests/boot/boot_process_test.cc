#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "boot/server_process.h"
#include "model/library.h"
#include "support/ports.h"
#include "support/temp_dir.h"

namespace ff::testing {
namespace {

/// One unit of work from its creation to its result, over HTTP.
void expect_serves(BootedServer& server) {
    const std::string id = server.create("default", R"(,"payload":"in")");
    const HttpReply claimed = server.post(
        "/v1/workers/w/tasks/claim",
        R"({"worker_instance_id":"w-1","lanes":["default"],"max_tasks":1,"wait_ms":9000})");
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    EXPECT_EQ(BootedServer::value_of(claimed.body, "execution_id"), id);
    const std::string token = BootedServer::value_of(claimed.body, "task_token");
    const HttpReply done = server.post("/v1/executions/" + id + "/complete",
                                       R"({"task_token":")" + token + R"(","result":"out"})");
    ASSERT_EQ(done.status, 200) << done.body;
    EXPECT_EQ(server.get("/v1/executions/" + id + "/result").body, "out");
    const HttpReply flow = server.post(
        "/v1/flows/submit",
        R"({"namespace":"acme","nodes":[{"name":"a"},{"name":"b","depends_on":["a"]}]})");
    EXPECT_EQ(flow.status, 201) << flow.body;
    EXPECT_EQ(server.get("/healthz").status, 200);
}

class Ch01BootRace : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        if (GetParam() == "valkey") valkey_.emplace(ValkeyServer::start());
    }
    Environment environment(const std::string& counts) const {
        Environment store = valkey_ ? of_valkey(valkey_->port())
                                    : Environment{{"FF_DATA_DIR", folder_.file("data")}};
        return with(std::move(store), "FF_FLOW_PARTITIONS", counts);
    }

    std::optional<ValkeyServer> valkey_{};
    TempDir folder_{};
};

TEST_P(Ch01BootRace, S21_OfTwoAtOnceOneStartsAndTheLayoutIsItsOwn) {
    auto first = std::make_unique<BootedServer>(environment("256"));
    auto second = std::make_unique<BootedServer>(environment("512"));
    // Whichever gives up has lost.
    ASSERT_TRUE(
        wait_until([&] { return !first->process().running() || !second->process().running(); }));
    const bool first_won = first->process().running();
    auto& winner = first_won ? first : second;
    auto& loser = first_won ? second : first;
    EXPECT_EQ(loser->process().wait_for_exit(), 1);
    const std::string won = first_won ? "256" : "512";
    const std::string lost = first_won ? "512" : "256";
    const HttpReply told = winner->get("/v1/capabilities");
    EXPECT_NE(told.body.find(R"("partitions":{"flow":)" + won + ","), std::string::npos)
        << told.body;
    expect_serves(*winner);
    winner->process().signal(SIGTERM);
    ASSERT_EQ(winner->process().wait_for_exit(), 0);
    BootedServer late(environment(lost));
    EXPECT_EQ(late.process().wait_for_exit(), 1);
    for (const std::string& part : {std::string("num_flow_partitions"), won, lost})
        EXPECT_NE(late.process().err().find(part), std::string::npos) << late.process().err();
    BootedServer again(environment(won));
    EXPECT_EQ(again.get("/readyz").status, 200);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch01BootRace, ::testing::Values("embedded", "valkey"));

class LuaJitSetting : public ::testing::TestWithParam<std::string> {};

TEST_P(LuaJitSetting, DecidesWhetherFunctionsAreCompiledAndIsTold) {
    BootedServer server({{"FF_DATA_DIR", ":memory:"}, {"FF_LUA_JIT", GetParam()}});
    expect_serves(server);
    const std::string facts = server.get("/v1/capabilities").body;
    EXPECT_NE(facts.find(R"("lua":{"engine":"LuaJIT 2.1.)"), std::string::npos) << facts;
    EXPECT_NE(facts.find(R"("jit":")" + GetParam() + "\""), std::string::npos) << facts;
    Process doctor({.args = {FF_PROGRAM, "doctor", "--server",
                             "http://127.0.0.1:" + std::to_string(server.port())}});
    EXPECT_TRUE(doctor.wait_for_line(GetParam() == "on" ? ", compiled" : ", interpreted"))
        << doctor.err();
}

INSTANTIATE_TEST_SUITE_P(Modes, LuaJitSetting, ::testing::Values("on", "off"));

TEST(BootProcess, ServesFromAValkeyCluster) {
    ValkeyCluster cluster = ValkeyCluster::start();
    BootedServer server(with(of_valkey(cluster.ports().front()), "FF_CLUSTER", "true"));
    expect_serves(server);
    // Another server that knows another node finds the same work.
    BootedServer other(with(of_valkey(cluster.ports().back()), "FF_CLUSTER", "true"));
    const std::string id = server.create("shared", R"(,"delay_until":"+600000")");
    EXPECT_EQ(BootedServer::value_of(other.get("/v1/executions/" + id).body, "public_state"),
              "delayed");
}

TEST(BootProcess, AValkeyWithoutMemoryRefusesNewWorkAndLetsWhatIsThereEnd) {
    ValkeyServer valkey = ValkeyServer::start();
    BootedServer server(of_valkey(valkey.port()));
    const std::string id = server.create("default", R"(,"payload":"in")");
    const HttpReply claimed = server.post(
        "/v1/workers/w/tasks/claim",
        R"({"worker_instance_id":"w-1","lanes":["default"],"max_tasks":1,"wait_ms":9000})");
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    RespConnection operator_connection = valkey.connect();
    operator_connection.command({"CONFIG", "SET", "maxmemory", "1mb"});
    const HttpReply refused =
        server.post("/v1/executions", R"({"execution_kind":"noop","lane_id":"default"})");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(BootedServer::value_of(refused.body, "code"), "store_full") << refused.body;
    EXPECT_NE(refused.header("Retry-After"), "");
    const HttpReply done = server.post(
        "/v1/executions/" + id + "/complete",
        R"({"task_token":")" + BootedServer::value_of(claimed.body, "task_token") + "\"}");
    EXPECT_EQ(done.status, 200) << done.body;
}

TEST(BootProcess, ServesFromAValkeyBehindTlsThatItTrusts) {
    const ValkeyServer valkey = ValkeyServer::start({.tls = true});
    const Environment tls = with(of_valkey(valkey.tls_port()), "FF_TLS", "true");
    BootedServer server(with(tls, "FF_TLS_CA_FILE", valkey.certificates().ca_file()));
    expect_serves(server);
    const Certificates strangers;
    BootedServer distrusting(with(tls, "FF_TLS_CA_FILE", strangers.ca_file()));
    EXPECT_EQ(distrusting.process().wait_for_exit(), 1);
    EXPECT_NE(distrusting.process().err().find("certificate"), std::string::npos)
        << distrusting.process().err();
}

/// The embedded store as a Valkey: what the server has written is there for Valkey's own client,
/// which needs the password.
TEST(BootProcess, LetsValkeyClientsInWhereItIsTold) {
    const std::uint16_t port = free_port();
    BootedServer server({{"FF_DATA_DIR", ":memory:"},
                         {"FF_RESP_ADDR", "127.0.0.1:" + std::to_string(port)},
                         {"FF_RESP_PASSWORD", "open sesame"}});
    const std::string id = server.create("seen");
    const auto cli = [port](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {FF_TOOLS_FOLDER "/valkey/valkey-cli", "-p",
                                             std::to_string(port), "--no-auth-warning"});
        return run_command(std::move(arguments)).out;
    };
    const std::string tag = id.substr(0, id.find('}') + 1);
    const std::string core = "ff:exec:" + tag + ":" + id + ":core";
    EXPECT_NE(cli({"HGET", core, "lane_id"}).find("NOAUTH"), std::string::npos);
    EXPECT_NE(cli({"-a", "wrong", "HGET", core, "lane_id"}).find("NOAUTH"), std::string::npos);
    EXPECT_EQ(cli({"-a", "open sesame", "HGET", core, "lane_id"}), "seen\n");
    EXPECT_EQ(cli({"-a", "open sesame", "SISMEMBER", "ff:idx:lanes", "seen"}), "1\n");
    EXPECT_EQ(cli({"-a", "open sesame", "FCALL", "ff_version", "0"}).substr(0, 4),
              model::library_version_text());
    EXPECT_EQ(server.process().err().find("open sesame"), std::string::npos);
}

/// Time on the processor, of all threads.
double cpu_seconds(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) rest >> skipped;
    double user = 0;
    double system = 0;
    rest >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Scanners look at what is due and are told of the rest: a server without work leaves the
/// processor and its store alone.
TEST(BootProcess, AnIdleServerOnAValkeyCostsNextToNothing) {
    const ValkeyServer valkey = ValkeyServer::start();
    BootedServer server(of_valkey(valkey.port()));
    expect_serves(server);
    RespConnection claim = valkey.connect();
    const auto commands = [&claim] {
        const std::string stats = claim("INFO", "stats").text;
        const std::string name = "total_commands_processed:";
        return std::stoll(stats.substr(stats.find(name) + name.size()));
    };
    constexpr double kSeconds = 4;
    const double before = cpu_seconds(server.process().pid());
    const double store_before = cpu_seconds(valkey.pid());
    const long long commands_before = commands();
    // Nothing happens, and that is the point.
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    EXPECT_LT(cpu_seconds(server.process().pid()) - before, 0.10 * kSeconds);
    EXPECT_LT(cpu_seconds(valkey.pid()) - store_before, 0.10 * kSeconds);
    EXPECT_LT(static_cast<double>(commands() - commands_before), 1500 * kSeconds);
}

}  // namespace
}  // namespace ff::testing
