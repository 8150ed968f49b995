#include "valkey/slot_map.h"

#include <gtest/gtest.h>

namespace ff::valkey {
namespace {

using resp::Value;

Value node(Value host, int port) {
    return Value::array({std::move(host), Value::integer(port), Value::bulk("id")});
}

Value range(int first, int last, Value primary, Value replica) {
    return Value::array(
        {Value::integer(first), Value::integer(last), std::move(primary), std::move(replica)});
}

const net::Address kAsked{.host = "seed", .port = 7000};

Value two_primaries() {
    return Value::array({
        range(0, 99, node(Value::bulk("a"), 1), node(Value::bulk("c"), 3)),
        range(100, 200, node(Value::null(), 2), node(Value::bulk("?"), 4)),
        range(300, 300, node(Value::bulk("a"), 1), node(Value::bulk("c"), 3)),
    });
}

TEST(SlotMap, KnowsThePrimaryOfEachSlot) {
    const Result<SlotMap> map = SlotMap::parse(two_primaries(), kAsked);
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(map->primary_of(0)->text(), "a:1");
    EXPECT_EQ(map->primary_of(99)->text(), "a:1");
    EXPECT_EQ(map->primary_of(100)->text(), "seed:2") << "the host that was asked";
    EXPECT_EQ(map->primary_of(201), nullptr);
    EXPECT_EQ(map->primary_of(300)->text(), "a:1");
    EXPECT_EQ(map->covered(), 202U);
    EXPECT_EQ(map->primaries().size(), 2U);
    EXPECT_EQ(map->nodes().size(), 4U);
    EXPECT_TRUE(map->has_node({.host = "seed", .port = 4}));
}

TEST(SlotMap, LearnsAMove) {
    SlotMap map = *SlotMap::parse(two_primaries(), kAsked);
    const net::Address fresh{.host = "n", .port = 9};
    map.move(5, fresh);
    EXPECT_EQ(*map.primary_of(5), fresh);
    EXPECT_EQ(map.primary_of(6)->text(), "a:1");
    EXPECT_TRUE(map.has_node(fresh));
}

TEST(SlotMap, RefusesWhatItDoesNotUnderstand) {
    const std::vector<Value> replies = {
        Value::simple("OK"),
        Value::array({Value::integer(1)}),
        Value::array({range(5, 4, node(Value::bulk("a"), 1), node(Value::bulk("c"), 3))}),
        Value::array({range(0, 16384, node(Value::bulk("a"), 1), node(Value::bulk("c"), 3))}),
        Value::array({range(0, 1, node(Value::bulk("a"), 0), node(Value::bulk("c"), 3))}),
        Value::array({range(0, 1, node(Value::bulk("a"), 1), Value::bulk("c"))}),
    };
    for (const Value& reply : replies) {
        const Result<SlotMap> map = SlotMap::parse(reply, kAsked);
        ASSERT_FALSE(map.has_value()) << reply.to_debug_text();
        EXPECT_EQ(map.error().kind, "parse_error");
    }
}

}  // namespace
}  // namespace ff::valkey
