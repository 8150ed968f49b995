#include "valkey/hub.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace ff::valkey {
namespace {

using resp::Value;
using store::Channels;
using store::Notice;

Value push(std::vector<std::string> words) {
    Value::Items items;
    for (const std::string& word : words) items.push_back(Value::bulk(word));
    return Value::push(std::move(items));
}

class HubTest : public ::testing::Test {
  protected:
    std::shared_ptr<Inbox> inbox(std::size_t notices_max = 8) {
        return std::make_shared<Inbox>(loop_.get_executor(), notices_max);
    }
    static std::string read(Inbox& inbox) {
        std::string all;
        while (const auto notice = inbox.take())
            all += notice->kind == Notice::Kind::Gap
                       ? std::string("gap ")
                       : notice->channel + "=" + notice->message + " ";
        return all;
    }

    boost::asio::io_context loop_{1};
    Hub hub_{};
};

TEST_F(HubTest, AsksTheServerOnceForWhatManyWant) {
    const auto first = inbox();
    const auto second = inbox();
    EXPECT_EQ(hub_.add(first, {.names = {"a"}, .patterns = {"p*"}}).names,
              std::vector<std::string>{"a"});
    const Hub::Change more = hub_.add(second, {.names = {"a", "b"}});
    EXPECT_EQ(more.names, std::vector<std::string>{"b"});
    EXPECT_TRUE(hub_.remove(first).names.empty()) << "the other one still wants it";
    EXPECT_EQ(hub_.remove(second).names, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(hub_.empty());
}

TEST_F(HubTest, DeliversToThoseWhoWantIt) {
    const auto names = inbox();
    const auto patterns = inbox();
    hub_.add(names, {.names = {"a"}});
    hub_.add(patterns, {.patterns = {"*"}});
    hub_.on_push(push({"message", "a", "1"}));
    hub_.on_push(push({"pmessage", "*", "a", "1"}));
    hub_.on_push(push({"message", "b", "2"}));
    hub_.on_push(push({"message"}));
    EXPECT_EQ(read(*names), "a=1 ");
    EXPECT_EQ(read(*patterns), "a=1 ");
}

TEST_F(HubTest, KnowsWhatIsConfirmedAndForgetsItWithTheConnection) {
    const auto one = inbox();
    const Channels channels{.names = {"a"}, .patterns = {"p*"}};
    hub_.add(one, channels);
    hub_.on_push(push({"subscribe", "a", "1"}));
    EXPECT_FALSE(hub_.confirmed(channels));
    hub_.on_push(push({"psubscribe", "p*", "2"}));
    EXPECT_TRUE(hub_.confirmed(channels));
    EXPECT_TRUE(hub_.all_confirmed());
    hub_.on_lost();
    EXPECT_FALSE(hub_.confirmed(channels));
}

TEST_F(HubTest, ASlowReaderFindsAGapWhereMessagesWereDropped) {
    const auto slow = inbox(2);
    hub_.add(slow, {.names = {"a"}});
    for (const std::string text : {"1", "2", "3", "4"}) hub_.on_push(push({"message", "a", text}));
    EXPECT_EQ(slow->take()->message, "1");
    hub_.on_push(push({"message", "a", "5"}));
    EXPECT_EQ(read(*slow), "a=2 gap ") << "still full: the gap covers the fifth as well";
    hub_.on_push(push({"message", "a", "6"}));
    EXPECT_EQ(read(*slow), "a=6 ");
    hub_.add_gaps();
    hub_.add_gaps();
    EXPECT_EQ(read(*slow), "gap ") << "two gaps behind each other are one";
}

}  // namespace
}  // namespace ff::valkey
