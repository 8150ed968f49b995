// A server whose files were taken from it, while it was stopped or while it served, and one whose
// disk is full.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::HttpReply;
using testing::TempDir;
using testing::wait_until;

namespace fs = std::filesystem;

class LostFiles : public ::testing::Test {
  protected:
    std::string data(std::string_view name = "") const {
        return folder_.file("data") + (name.empty() ? "" : "/" + std::string(name));
    }
    std::unique_ptr<BootedServer> start(int shards = 1) {
        return std::make_unique<BootedServer>(
            testing::Environment{{"FF_DATA_DIR", data()},
                                 {"FF_SHARDS", std::to_string(shards)},
                                 {"FF_BACKUP_DIR", folder_.path().string()}});
    }
    /// A store that holds something and is stopped, or killed.
    void make_store(int shards, bool killed) {
        const std::unique_ptr<BootedServer> server = start(shards);
        for (int i = 0; i < 20; ++i) server->create("lane-" + std::to_string(i));
        if (killed) return server->process().kill();
        server->process().signal(SIGTERM);
        ASSERT_EQ(server->process().wait_for_exit(), 0);
    }
    /// What a server says that does not start.
    std::string refusal(int shards = 1) {
        const std::unique_ptr<BootedServer> server = start(shards);
        EXPECT_EQ(server->process().wait_for_exit(), 1);
        return server->process().err();
    }
    std::vector<fs::path> segments(const std::string& shard) const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(data(shard)))
            if (entry.path().extension() == ".ffj") found.push_back(entry.path());
        std::sort(found.begin(), found.end());
        return found;
    }
    /// It refuses to keep anything, says so, and goes on saying it.
    static void expect_unwell(BootedServer& server, const std::string& why) {
        ASSERT_TRUE(wait_until([&] { return server.get("/readyz").status == 503; }));
        const HttpReply ready = server.get("/readyz");
        EXPECT_NE(ready.body.find(why), std::string::npos) << ready.body;
        EXPECT_EQ(server.get("/healthz").status, 503);
        const HttpReply refused =
            server.post("/v1/executions", R"({"execution_kind":"noop","lane_id":"after"})");
        EXPECT_EQ(refused.status, 503) << refused.body;
        EXPECT_TRUE(server.process().running());
    }

    TempDir folder_{};
};

TEST_F(LostFiles, AStoreWithoutTheFolderOfAShardDoesNotStart) {
    make_store(2, true);
    fs::remove_all(data("shard-1"));
    const std::string said = refusal(2);
    EXPECT_NE(said.find("shard-1"), std::string::npos) << said;
    EXPECT_NE(said.find("the file is missing"), std::string::npos) << said;
    // Nor does it when the mark went with it.
    fs::remove_all(data("shard-1"));
    fs::remove(data("mark-1"));
    EXPECT_NE(refusal(2).find("shard-1 holds no log"), std::string::npos);
}

TEST_F(LostFiles, AStoreWithoutItsSegmentsDoesNotStart) {
    make_store(1, false);
    for (const fs::path& segment : segments("shard-0")) fs::remove(segment);
    const std::string said = refusal();
    EXPECT_NE(said.find("log-0000000000000001.ffj: the file is missing; it held records up to"),
              std::string::npos)
        << said;
}

TEST_F(LostFiles, AStoreWithoutItsStoreFileDoesNotStart) {
    make_store(1, false);
    fs::remove(data("STORE"));
    EXPECT_NE(refusal().find("STORE is missing, but shard-0 holds the log of a store"),
              std::string::npos);
}

TEST_F(LostFiles, ALogCutBehindAcknowledgedRecordsDoesNotStart) {
    make_store(1, true);
    const fs::path segment = segments("shard-0").back();
    const std::string whole = testing::read_file(segment.string());
    const std::size_t end = whole.find_last_not_of('\0');
    // The very last record may have been on its way when the server was killed.
    for (int part = 1; part < 12; ++part) {
        std::ofstream(segment, std::ios::binary)
            << whole.substr(0, end * static_cast<std::size_t>(part) / 12);
        const std::string said = refusal();
        EXPECT_NE(said.find("log-0000000000000001.ffj is damaged at byte"), std::string::npos)
            << said;
    }
    std::ofstream(segment, std::ios::binary) << whole;
    EXPECT_NE(start()->port(), 0);
}

TEST_F(LostFiles, ABackupThatLostItsLastSegmentDoesNotStart) {
    {
        const std::unique_ptr<BootedServer> server = start();
        server->create("lane");
        const HttpReply copied =
            server->post("/v1/admin/backup", R"({"folder":")" + folder_.file("copy") + "\"}");
        ASSERT_EQ(copied.status, 200) << copied.body;
    }
    fs::remove_all(data());
    fs::rename(folder_.file("copy"), data());
    fs::remove(segments("shard-0").back());
    EXPECT_NE(refusal().find("the file is missing"), std::string::npos);
}

TEST_F(LostFiles, AServerWhoseLogIsUnlinkedStopsAcknowledging) {
    const std::unique_ptr<BootedServer> server = start();
    server->create("lane");
    for (const fs::path& segment : segments("shard-0")) fs::remove(segment);
    // Nothing is written meanwhile: it notices by itself.
    expect_unwell(*server, "removed or moved away");
    server->process().signal(SIGTERM);
    EXPECT_EQ(server->process().wait_for_exit(), 0);
}

TEST_F(LostFiles, AServerWhoseFolderIsMovedStopsAcknowledgingAtOnce) {
    const std::unique_ptr<BootedServer> server = start();
    server->create("lane");
    fs::rename(data(), folder_.file("elsewhere"));
    const HttpReply refused =
        server->post("/v1/executions", R"({"execution_kind":"noop","lane_id":"after"})");
    EXPECT_NE(refused.status, 201) << refused.body;
    expect_unwell(*server, "removed or moved away");
    server->process().kill();
    // What was acknowledged is where the folder is now.
    fs::rename(folder_.file("elsewhere"), data());
    EXPECT_EQ(start()->get("/v1/executions?lane=lane").status, 200);
}

/// A server with a small disk of its own.
class FullDisk : public LostFiles {
  protected:
    FullDisk()
        : server_({.args = {"unshare", "-rm", "sh", "-c",
                            "mount -t tmpfs -o size=12m none '" + data() + "' && exec '" +
                                FF_PROGRAM + "' server"},
                   .env = {{"FF_LISTEN_ADDR", "127.0.0.1:0"}, {"FF_DATA_DIR", data()}}}) {}
    void SetUp() override {
        constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
        const auto line = server_.wait_for_line(kServing);
        ASSERT_TRUE(line) << server_.err();
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    int create() const {
        return testing::HttpConnection::connect(port_)
            .post("/v1/executions", R"({"execution_kind":"noop","lane_id":"l","payload":")" +
                                        std::string(200'000, 'x') + "\"}")
            .status;
    }
    HttpReply get(std::string_view target) const { return testing::http_get(port_, target); }
    std::string ballast() const {
        return "/proc/" + std::to_string(server_.pid()) + "/root" + data("ballast");
    }

  private:
    struct Folder {
        explicit Folder(const std::string& path) { fs::create_directory(path); }
    };
    Folder made_{data()};
    testing::Process server_;
    std::uint16_t port_ = 0;
};

TEST_F(FullDisk, IsNotReadyAndSaysWhyUntilThereIsSpace) {
    EXPECT_EQ(get("/readyz").status, 200);
    std::ofstream(ballast(), std::ios::binary) << std::string(20U << 20, 'b');
    int status = 201;
    for (int i = 0; i < 100 && status == 201; ++i) status = create();
    EXPECT_NE(status, 201);
    const HttpReply full = get("/readyz");
    EXPECT_EQ(full.status, 503);
    EXPECT_NE(full.body.find("no space"), std::string::npos) << full.body;
    EXPECT_EQ(full.header("Retry-After"), "1");
    fs::remove(ballast());
    EXPECT_TRUE(wait_until([&] { return get("/readyz").status == 200; }));
    EXPECT_EQ(create(), 201);
}

}  // namespace
}  // namespace ff::fault
