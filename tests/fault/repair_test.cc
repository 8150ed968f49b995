// `flowfabric verify` and `flowfabric repair` on data folders with and without damage.

#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/ports.h"
#include "support/resp_connection.h"
#include "support/temp_dir.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::CommandResult;
using testing::HttpReply;
using testing::TempDir;

namespace fs = std::filesystem;

class RepairCommand : public ::testing::Test {
  protected:
    std::string data() const { return folder_.file("data"); }
    std::unique_ptr<BootedServer> start(testing::Environment more = {}) {
        more.emplace_back("FF_DATA_DIR", data());
        more.emplace_back("FF_SHARDS", "1");
        more.emplace_back("FF_BACKUP_DIR", folder_.path().string());
        return std::make_unique<BootedServer>(std::move(more));
    }
    static void stop(BootedServer& server) {
        server.process().signal(SIGTERM);
        ASSERT_EQ(server.process().wait_for_exit(), 0);
    }
    /// A stopped store; the ids in the order of their creation.
    std::vector<std::string> make_store() {
        const std::unique_ptr<BootedServer> server = start();
        std::vector<std::string> ids;
        for (int i = 0; i < 10; ++i) ids.push_back(server->create("lane"));
        stop(*server);
        return ids;
    }
    static CommandResult flowfabric(std::vector<std::string> args) {
        args.insert(args.begin(), FF_PROGRAM);
        return testing::run_command(std::move(args));
    }
    /// Names and contents of everything in the folder.
    std::map<std::string, std::string> everything() const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(data()))
            if (entry.is_regular_file() && entry.path().filename() != "LOCK")
                all[entry.path().string()] = testing::read_file(entry.path().string());
        return all;
    }
    std::string log_file() const { return data() + "/shard-0/log-0000000000000001.ffj"; }
    /// Flips a bit of the first record that speaks of the execution's payload.
    void damage(const std::string& id) const {
        std::string content = testing::read_file(log_file());
        const std::size_t at = content.find(id);
        ASSERT_NE(at, std::string::npos);
        content[at] = static_cast<char>(content[at] ^ 1);
        std::ofstream(log_file(), std::ios::binary) << content;
    }

    TempDir folder_{};
};

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(RepairCommand, AGoodFolderIsVerifiedWithoutAChange) {
    make_store();
    const auto before = everything();
    const CommandResult verified = flowfabric({"verify", data()});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    EXPECT_TRUE(holds(verified.out, "10 executions: all good")) << verified.out;
    EXPECT_TRUE(verified.err.empty()) << verified.err;
    const CommandResult repaired = flowfabric({"repair", data(), "--yes"});
    EXPECT_EQ(repaired.exit_code, 0);
    EXPECT_TRUE(holds(repaired.out, "nothing to repair"));
    EXPECT_EQ(everything(), before);
}

TEST_F(RepairCommand, ABackupIsVerified) {
    {
        const std::unique_ptr<BootedServer> server = start();
        server->create("lane");
        ASSERT_EQ(server->post("/v1/admin/backup", R"({"folder":")" + folder_.file("copy") + "\"}")
                      .status,
                  200);
    }
    EXPECT_EQ(flowfabric({"verify", folder_.file("copy")}).exit_code, 0);
    EXPECT_FALSE(fs::exists(folder_.file("copy/LOCK")));
    fs::remove(folder_.file("copy/shard-0/log-0000000000000001.ffj"));
    const CommandResult verified = flowfabric({"verify", folder_.file("copy")});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_TRUE(holds(verified.out, "the file is missing")) << verified.out;
}

TEST_F(RepairCommand, ADryRunSaysWhatWouldBeLostAndYesDoesIt) {
    const std::vector<std::string> ids = make_store();
    damage(ids[6]);
    EXPECT_EQ(start()->process().wait_for_exit(), 1);
    const auto before = everything();

    const CommandResult tried = flowfabric({"repair", data()});
    EXPECT_EQ(tried.exit_code, 1);
    EXPECT_TRUE(holds(tried.out, log_file() + " from byte")) << tried.out;
    EXPECT_TRUE(holds(tried.out, "acknowledged records, written until 20")) << tried.out;
    EXPECT_TRUE(holds(tried.out, ids[7])) << tried.out;
    EXPECT_TRUE(holds(tried.out, "Nothing was changed")) << tried.out;
    EXPECT_EQ(everything(), before);
    EXPECT_EQ(flowfabric({"verify", data()}).exit_code, 1);
    EXPECT_EQ(everything(), before);

    const CommandResult repaired = flowfabric({"repair", data(), "--yes"});
    EXPECT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
    EXPECT_EQ(testing::read_file(log_file() + ".damaged-1"), before.at(log_file()));
    EXPECT_EQ(flowfabric({"verify", data()}).exit_code, 0);
    const std::unique_ptr<BootedServer> server = start();
    EXPECT_EQ(server->get("/v1/executions/" + ids[5]).status, 200);
    EXPECT_EQ(server->get("/v1/executions/" + ids[7]).status, 404);
}

TEST_F(RepairCommand, AStoreFileThatIsGoneIsPutBack) {
    const std::vector<std::string> ids = make_store();
    fs::remove(data() + "/STORE");
    EXPECT_EQ(flowfabric({"repair", data(), "--apply"}).exit_code, 0);
    EXPECT_EQ(start()->get("/v1/executions/" + ids[9]).status, 200);
}

TEST_F(RepairCommand, VerifyFindsStatesAndIndexesThatDoNotAgree) {
    const std::uint16_t port = testing::free_port();
    std::string unlisted;
    std::string broken;
    {
        const std::unique_ptr<BootedServer> server =
            start({{"FF_RESP_ADDR", "127.0.0.1:" + std::to_string(port)},
                   {"FF_SCANNERS_ENABLED", "false"}});
        unlisted = server->create("lane");
        broken = server->create("lane");
        const std::string tag = unlisted.substr(0, unlisted.find('}') + 1);
        testing::RespConnection door = testing::RespConnection::connect(port);
        EXPECT_EQ(door.command({"ZREM", "ff:idx:" + tag + ":lane:lane:eligible", unlisted}).integer,
                  1);
        const std::string tag2 = broken.substr(0, broken.find('}') + 1);
        EXPECT_EQ(door.command({"HSET", "ff:exec:" + tag2 + ":" + broken + ":core",
                                "ownership_state", "leased"})
                      .integer,
                  0);
        stop(*server);
    }
    const CommandResult verified = flowfabric({"verify", data()});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_TRUE(holds(verified.out, unlisted + ": indexes that do not agree with it: eligible"))
        << verified.out;
    EXPECT_TRUE(holds(verified.out, broken + ": its state is none that there is")) << verified.out;
}

TEST_F(RepairCommand, AFolderInUseIsLeftAlone) {
    const std::unique_ptr<BootedServer> server = start();
    server->create("lane");
    const CommandResult verified = flowfabric({"verify", data()});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_TRUE(holds(verified.err, "is in use by process")) << verified.err;
    EXPECT_EQ(flowfabric({"repair", folder_.file("none")}).exit_code, 1);
}

}  // namespace
}  // namespace ff::fault
