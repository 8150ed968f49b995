#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "support/run.h"

namespace ff::host {

/// A call of the words.
inline store::Call words(const std::vector<std::string>& args) {
    store::Call call;
    for (const std::string& arg : args) call.command.arg(arg);
    return call;
}

/// A library of the body that registers functions with `register(name, function)`.
inline std::string library(std::string_view body) {
    return "#!lua name=test\nlocal function register(name, callback) "
           "redis.register_function(name, callback) end\n" +
           std::string(body);
}

/// One line: the value, or the error's message.
inline std::string shown(const Result<store::Reply>& reply) {
    if (!reply.has_value()) return "! " + reply.error().message;
    if (reply->type() == resp::Type::SimpleString) return std::string(*reply->text());
    return reply->to_debug_text();
}

template <class T>
boost::asio::awaitable<void> deliver(Task<T> work, std::function<void(Result<T>)> then) {
    Result<T> result = co_await std::move(work);
    then(std::move(result));
}

/// Starts the work on the loop; `then` gets what it answers.
template <class T, class Then>
void start(boost::asio::io_context& loop, Task<T> work, Then then) {
    boost::asio::co_spawn(loop, deliver<T>(std::move(work), std::move(then)),
                          [](const std::exception_ptr& thrown) { EXPECT_FALSE(thrown); });
}

/// A store and a loop of one thread.
class StoreTest : public ::testing::Test {
  protected:
    void open(EmbeddedOptions options) {
        auto opened = EmbeddedStore::open(std::move(options));
        ASSERT_TRUE(opened.has_value()) << opened.error().text();
        store_ = std::move(*opened);
    }

    std::string call(const std::vector<std::string>& args) {
        return shown(testing::run(loop_, store_->call(words(args))));
    }

    boost::asio::io_context loop_{1};
    std::unique_ptr<EmbeddedStore> store_{};
};

}  // namespace ff::host
