// Every code of the table in spec 07, section 5, refused by a route: what the client is answered.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "api/dispatcher.h"
#include "base/json.h"
#include "model/error_catalogue.h"
#include "spec/spec_document.h"

namespace ff::testing {
namespace {

class OpenGate final : public api::Gate {
  public:
    std::optional<http::Response> before(const http::Request&, const api::Route*) override {
        return std::nullopt;
    }
    std::optional<http::Response> before_page(const http::Request&) override {
        return std::nullopt;
    }
    bool is_guest(const http::Request&, const api::Route*) const override { return false; }
    Result<api::Guests::Place> let_in(const http::Peer&) override { return api::Guests::Place(); }
    void after(const api::Answered&, http::Response&) override {}
};

class NoAuditor final : public api::Auditor {
  public:
    boost::asio::awaitable<void> record(api::Action) override { co_return; }
};

class SomePeer final : public http::Peer {
  public:
    boost::asio::awaitable<void> gone() override { co_return; }
    std::string address() const override { return "client"; }
};

/// A table of one route, which refuses with the code it is asked for, as a function would.
class Ch07Codes : public ::testing::Test {
  protected:
    static api::Routes table() {
        api::Routes routes;
        routes.add({.method = "GET", .pattern = "/refused/{code}", .handle = [](api::Call& call) {
                        return refuse(std::string(call.path("code")));
                    }});
        return routes;
    }
    static Task<http::Response> refuse(std::string code) {
        co_return model::make_error(code, {"more", "7"});
    }
    http::Response ask(const std::string& code) {
        boost::asio::io_context loop;
        http::Request request{.method = "GET", .target = "/refused/" + code, .id = "r"};
        auto answer = boost::asio::co_spawn(loop, dispatcher_.handle(std::move(request), peer_),
                                            boost::asio::use_future);
        loop.run();
        return answer.get();
    }

    OpenGate gate_{};
    NoAuditor auditor_{};
    SomePeer peer_{};
    const api::Routes routes_ = table();
    api::Dispatcher dispatcher_{routes_, {}, gate_, auditor_};
};

/// `403 (missing API token: 401)` is 403, `retryable (with a corrected cursor)` retryable.
std::string first_word(const std::string& cell) {
    return cell.substr(0, cell.find(' '));
}

TEST_F(Ch07Codes, S45_EveryCodeOfTheTableIsAnsweredAsItSays) {
    std::size_t codes = 0;
    for (const SpecRow& row : SpecSection("07-server-api-sdk.md", "## 5.").rows()) {
        for (const std::string& code : code_spans(row.at(0))) {
            const http::Response response = ask(code);
            EXPECT_EQ(std::to_string(response.status), first_word(row.at(2))) << code;
            const auto body = json::Document::parse(response.body);
            ASSERT_TRUE(body.has_value()) << response.body;
            const json::Value error = body->root();
            EXPECT_EQ(error.find("code")->as_string(), code);
            EXPECT_EQ(error.find("class")->as_string(), first_word(row.at(1))) << code;
            EXPECT_EQ(error.find("retryable")->as_bool(), first_word(row.at(1)) == "retryable")
                << code;
            EXPECT_EQ(error.find("detail")->element(1).as_string(), "7") << code;
            EXPECT_FALSE(error.find("error")->as_string()->empty()) << code;
            ++codes;
        }
    }
    EXPECT_GT(codes, 100U);
}

}  // namespace
}  // namespace ff::testing
