#include "host/value_sink.h"

#include <gtest/gtest.h>

namespace ff::host {
namespace {

using resp::Value;

TEST(ValueSink, KeepsEveryShape) {
    ValueSink sink;
    sink.array(10);
    sink.null();
    sink.null_array();
    sink.integer(-5);
    sink.real(0.25);
    sink.bulk(std::string_view("a\0b", 3));
    sink.status("OK");
    sink.error("ERR no");
    sink.map(1);
    sink.bulk("key");
    sink.array(0);
    sink.set(1);
    sink.integer(7);
    sink.bulk("");
    const Value expected =
        Value::array({Value(), Value(), Value::integer(-5), Value::real(0.25),
                      Value::bulk(std::string("a\0b", 3)), Value::simple("OK"),
                      Value::error("ERR no"), Value::map({Value::bulk("key"), Value::array({})}),
                      Value::set({Value::integer(7)}), Value::bulk("")});
    EXPECT_EQ(sink.take(), expected);
    EXPECT_EQ(sink.take(), Value()) << "only once";
}

TEST(ValueSink, KeepsTextsOfEverySize) {
    ValueSink sink;
    const std::size_t sizes[] = {0, 1, 15, 16, 1022, 1023, 1024, 1025, 5000, 3};
    sink.array(std::size(sizes));
    Value::Items expected;
    char letter = 'a';
    for (const std::size_t size : sizes) {
        expected.push_back(Value::bulk(std::string(size, letter)));
        sink.bulk(std::string(size, letter++));
    }
    EXPECT_EQ(sink.take(), Value::array(std::move(expected)));
}

}  // namespace
}  // namespace ff::host
