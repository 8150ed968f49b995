// A server that is killed when it has done what a worker asked: the answer is lost, and the same
// call gets it from the next server.

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/temp_dir.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::HttpReply;

/// What a worker sends, and what came back first.
struct Sent {
    std::string route{};
    std::string body{};
    std::string answer{};
};

/// A repetition may say that it is one.
std::string told(const HttpReply& reply) {
    std::string body = reply.body;
    for (const std::string_view mark : {R"(,"replayed":true)", R"(,"replayed":false)"})
        if (const auto at = body.find(mark); at != std::string::npos) body.erase(at, mark.size());
    return std::to_string(reply.status) + " " + body;
}

class LostAnswer : public ::testing::Test {
  protected:
    LostAnswer() { start(); }

    void start() {
        server_ = std::make_unique<BootedServer>(
            testing::Environment{{"FF_DATA_DIR", folder_.file("data")}});
    }
    void kill_and_start() {
        server_->process().kill();
        start();
    }
    /// Claims an execution of its own and sends that.
    Sent send(const std::string& route, const std::string& more, const std::string& policy = "") {
        const std::string lane = "lane-" + std::to_string(++lanes_);
        server_->create(lane, policy);
        const HttpReply claimed = server_->post(
            "/v1/workers/w/tasks/claim",
            R"({"worker_instance_id":"w-1","wait_ms":9000,"lanes":[")" + lane + "\"]}");
        const std::string id = BootedServer::value_of(claimed.body, "execution_id");
        Sent sent{.route = "/v1/executions/" + id + "/" + route,
                  .body = R"({"task_token":")" +
                          BootedServer::value_of(claimed.body, "task_token") + "\"" + more + "}"};
        const HttpReply reply = server_->post(sent.route, sent.body);
        EXPECT_EQ(reply.status, 200) << route << ": " << reply.body;
        sent.answer = told(reply);
        return sent;
    }
    std::string again(const Sent& sent) { return told(server_->post(sent.route, sent.body)); }

    testing::TempDir folder_{};
    std::unique_ptr<BootedServer> server_{};
    int lanes_ = 0;
};

TEST_F(LostAnswer, OfWhatGivesATaskUpIsGivenAgain) {
    const std::string retries =
        R"(,"policy":{"retry_policy":{"max_retries":3,"backoff":{"type":"fixed","delay_ms":60000}}})";
    const std::vector<Sent> all = {
        send("complete", R"(,"result":"done")"),
        send("fail", R"(,"reason":"boom")"),
        send("fail", R"(,"reason":"boom")", retries),
        send("delay", R"(,"delay_ms":60000)"),
        send("release", ""),
        send("release", R"(,"unbegun":true)"),
        send("suspend", R"(,"reason_code":"r","signals":["go"])"),
        send("call-children",
             R"(,"children":[{"name":"a","execution_kind":"k","lane_id":"kids"}])")};
    kill_and_start();
    for (const Sent& sent : all) EXPECT_EQ(again(sent), sent.answer) << sent.route;
}

TEST_F(LostAnswer, OfWhatATaskReportsIsNotCountedTwice) {
    const std::string frames = R"(,"frames":[{"frame_type":"delta","payload":"one","seq":1}])";
    const std::vector<Sent> all = {
        send("usage", R"(,"dimensions":{"tokens":20},"dedup_key":"once")"),
        send("progress", R"(,"pct":40,"message":"under way")"), send("attempts/0/stream", frames),
        send("steps", R"(,"steps":[{"name":"charge","value":"7"}])")};
    kill_and_start();
    for (const Sent& sent : all)
        EXPECT_EQ(server_->post(sent.route, sent.body).status, 200) << sent.route;
    const auto of = [](const Sent& sent) { return sent.route.substr(0, sent.route.rfind('/')); };
    const std::string attempts = server_->get(of(all[0]) + "/attempts").body;
    EXPECT_NE(attempts.find(R"("usage.tokens":"20")"), std::string::npos) << attempts;
    const std::string stream = server_->get(all[2].route).body;
    EXPECT_EQ(stream.find(R"("payload":"one")"), stream.rfind(R"("payload":"one")")) << stream;
    EXPECT_NE(again(all[3]).find("duplicate"), std::string::npos);
}

}  // namespace
}  // namespace ff::fault
