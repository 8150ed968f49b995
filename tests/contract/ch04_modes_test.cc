#include "contract/streams.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch04Modes, StreamContract);

TEST_P(Ch04Modes, S14_TransientFramesNeverEvictDurableOnes) {
    const Execution e = active();
    const List durable{"D1", "D2", "D3", "D4", "D5"};
    for (const std::string& payload : durable) append(e, {.payload = payload});
    const List batch(250, "t");
    for (int i = 0; i < 80; ++i) append_many(e, batch, {.mode = "best_effort", .ttl_ms = "30000"});
    EXPECT_EQ(length(e.stream_key(0)), 5);
    EXPECT_LE(length(e.stream_key(0, ":live")), 16'384 + 32 + 250);
    const Page page = read(e, {.visibility = "exclude_best_effort"});
    EXPECT_EQ(page.payloads(), durable);
    // One call looks at 10000 frames; the five and 9995 of the others lie behind it.
    ASSERT_GT(length(e.stream_key(0, ":live")), 10'000);
    EXPECT_EQ(page.more, "1");
    const Page rest = read(e, {.from = "(" + page.next, .limit = "10000"});
    EXPECT_EQ(static_cast<std::int64_t>(rest.frames.size()),
              length(e.stream_key(0, ":live")) - 9'995);
}

TEST_P(Ch04Modes, S15_BestEffortFramesLiveShortly) {
    const Execution e = active();
    append(e, {.mode = "best_effort", .ttl_ms = "5000"});
    const std::int64_t expires = std::stoll(meta(e, "live_expires_at"));
    EXPECT_GT(expires, now());
    EXPECT_LE(expires, now() + 10'000);
    if (const auto ttl = host().ttl_ms(e.stream_key(0, ":live"))) {
        EXPECT_GT(*ttl, 0);
        EXPECT_LE(*ttl, 10'000);
    }
    append(e, {.mode = "best_effort", .ttl_ms = "1"});
    EXPECT_GE(std::stoll(meta(e, "live_expires_at")), expires);
    const Page before = read(e);
    EXPECT_EQ(before.frames.size(), 2U);
    EXPECT_EQ(before.frames[0].at("ttl_ms"), "5000");
    // What the expiry leaves behind.
    command({"DEL", e.stream_key(0, ":live")});
    const Page after = read(e);
    EXPECT_TRUE(after.frames.empty());
    EXPECT_EQ(after.closed_at, "");
    EXPECT_EQ(after.frame_count, "2");
    append(e, {.mode = "best_effort", .ttl_ms = "5000"});
    EXPECT_EQ(meta(e, "live_bytes"), "1");
}

TEST_P(Ch04Modes, AnExpiredLiveKeyIsGone) {
    const Execution e = active();
    append(e, {.mode = "best_effort", .ttl_ms = "20"});
    await([&] { return read(e).frames.empty(); });
    EXPECT_EQ(element(append(e), 2), "OK");
}

TEST_P(Ch04Modes, S16_TheWindowFollowsTheRateUpToItsCeiling) {
    const Execution e = active();
    append(e, {.mode = "best_effort", .ttl_ms = "30000"});
    EXPECT_EQ(meta(e, "maxlen_applied_last"), "64");
    std::int64_t highest = 64;
    for (int i = 0; i < 100; ++i) {
        // As if they came 2 ms apart.
        command({"HSET", e.stream_key(0, ":meta"), "last_append_ts_ms", std::to_string(now() - 2)});
        append(e, {.mode = "best_effort", .ttl_ms = "30000"});
        highest = std::max<std::int64_t>(highest, std::stoll(meta(e, "maxlen_applied_last")));
        ASSERT_LE(highest, 16'384);
    }
    EXPECT_GT(highest, 64);
}

TEST_P(Ch04Modes, S17_AModeNeedsWhatItNeeds) {
    const Execution e = active();
    const auto before = host().contents(tag());
    for (const char* ttl : {"", "0", "3600001", "x"}) {
        EXPECT_EQ(element(append(e, {.mode = "best_effort", .ttl_ms = ttl}), 2), "invalid_input")
            << ttl;
    }
    EXPECT_EQ(element(append(e, {.mode = "loud"}), 2), "invalid_input");
    List keys = append_keys(e);
    keys.resize(3);
    EXPECT_EQ(element(host().fcall("ff_append_frame", keys,
                                   append_args(e, {.payload = "{}", .mode = "summary"})),
                      2),
              "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
}

class SummaryContract : public StreamContract {
  protected:
    RespValue patch(const Execution& e, const std::string& text) const {
        return append(e, {.payload = text, .mode = "summary"});
    }
    std::string document(const Execution& e) const { return element(summary(e), 3); }
    void store(const Execution& e, const std::string& text) const {
        command({"HSET", e.attempt_key(0, ":summary"), "document", text, "version", "1"});
    }
};

FF_CONTRACT_SUITE(Ch04Summary, SummaryContract);

TEST_P(Ch04Summary, S18_PatchesMergeAndDeltasTellTheVersion) {
    const Execution e = active();
    EXPECT_EQ(element(patch(e, R"({"a":{"b":1}})"), 5), "1");
    EXPECT_EQ(element(patch(e, R"({"a":{"c":2}})"), 5), "2");
    EXPECT_EQ(document(e), R"({"a":{"b":1,"c":2}})");
    const Page page = read(e);
    ASSERT_EQ(page.frames.size(), 2U);
    EXPECT_EQ(page.frames[0].at("summary_version"), "1");
    EXPECT_EQ(page.frames[1].at("summary_version"), "2");
    EXPECT_EQ(page.frames[1].at("mode"), "summary");
    EXPECT_EQ(length(e.stream_key(0)), 0);
    EXPECT_EQ(meta(e, "has_summary_frame"), "1");
}

TEST_P(Ch04Summary, S19_NullRemovesAndTheSentinelStoresNull) {
    const Execution e = active();
    patch(e, R"({"x":"__ff_null__","y":["__ff_null__",null],"__ff_null__":1})");
    EXPECT_EQ(document(e), R"({"x":null,"y":["__ff_null__",null],"__ff_null__":1})");
    patch(e, R"({"x":null,"absent":null})");
    EXPECT_EQ(document(e), R"({"y":["__ff_null__",null],"__ff_null__":1})");
    patch(e, R"({"z":"\u005f_ff_null__"})");
    EXPECT_EQ(document(e), R"({"y":["__ff_null__",null],"__ff_null__":1,"z":null})");
}

TEST_P(Ch04Summary, S20_WhatAPatchDoesNotTouchStaysAsItWas) {
    const Execution e = active();
    patch(e, R"({"n":9007199254740993,"e":[],"f":1.0})");
    patch(e, R"({"other":1})");
    EXPECT_EQ(document(e), R"({"n":9007199254740993,"e":[],"f":1.0,"other":1})");
    const Execution second = active();
    patch(second, R"({"o":{"k":1}})");
    patch(second, R"({"o":{}})");
    EXPECT_EQ(document(second), R"({"o":{"k":1}})");
}

TEST_P(Ch04Summary, MergingFollowsTheStandard) {
    // Document, patch, result; the first ones are the standard's own examples.
    const std::vector<std::array<std::string, 3>> table{
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
        {R"({"a":1})", R"({"a":{}})", R"({"a":{}})"},
        {"{ \"a\" : [ 1 , 2 ] }", " \t{\n}\r", R"({"a":[ 1 , 2 ]})"},
        {R"({"a\u0062":1})", R"({"ab":2})", R"({"a\u0062":2})"},
        {R"({"a":1,"a":2})", R"({"b":{"x":1},"b":{"y":2}})", R"({"a":2,"b":{"y":2}})"},
        {R"({"\\n":1})", R"({"\n":2,"\\n":3})", R"({"\\n":3,"\n":2})"},
        {R"({"\ud83d\ude00":1})", "{\"\xf0\x9f\x98\x80\":2}", R"({"\ud83d\ude00":2})"},
        {R"({"\u005cn":1})", R"({"\\n":2})", R"({"\u005cn":2})"},
        {R"({"s":"tab\tquote\"slash\/"})", R"({"t":-0.5e+10})",
         R"({"s":"tab\tquote\"slash\/","t":-0.5e+10})"},
    };
    for (const auto& [document_text, patch_text, result] : table) {
        const Execution e = active();
        store(e, document_text);
        const RespValue reply = patch(e, patch_text);
        EXPECT_EQ(element(reply, 5), "2") << patch_text << " " << to_string(reply);
        EXPECT_EQ(document(e), result) << patch_text;
    }
}

TEST_P(Ch04Summary, S21_WhatIsNoPatchChangesNothing) {
    const Execution e = active();
    patch(e, R"({"a":1})");
    const auto before = host().contents(tag());
    const auto detail = [&](const std::string& text) { return element(patch(e, text), 3); };
    for (const char* text : {"[1]", "1", "\"x\"", "null", " [ ] "}) {
        EXPECT_EQ(detail(text), "patch_not_object") << text;
    }
    for (const std::string text : {"nonsense",
                                   "",
                                   "{",
                                   "{\"a\"}",
                                   "{\"a\":}",
                                   "{\"a\":1,}",
                                   "{,}",
                                   "{\"a\":01}",
                                   "{\"a\":1.}",
                                   "{\"a\":.5}",
                                   "{\"a\":+1}",
                                   "{\"a\":1e}",
                                   "{\"a\":tru}",
                                   "{'a':1}",
                                   "{\"a\":\"\\x\"}",
                                   "{\"a\":\"\\u12g4\"}",
                                   "{\"a\":\"\n\"}",
                                   "{\"a\":1}x",
                                   "{\"a\":[1,]}",
                                   "{\"a\":[1 2]}",
                                   "{a:1}",
                                   "{\"a\":\"\xff\"}",
                                   "{\"a\":\"\xc0\xaf\"}",
                                   "{\"a\":\"\xed\xa0\x80\"}",
                                   "{\"a\":NaN}",
                                   "{\"a\":\"open",
                                   "{\"a\":1}\x01"}) {
        EXPECT_EQ(detail(text), "patch_not_json") << text;
    }
    EXPECT_EQ(detail(std::string("{\"a\":\"\0\"}", 9)), "patch_not_json");
    const auto nested = [](int n) {
        std::string text = "1";
        for (int i = 0; i < n; ++i) text = "{\"o\":" + text + "}";
        return text;
    };
    EXPECT_EQ(detail(nested(18)), "patch_depth_exceeded");
    EXPECT_EQ(detail("{\"a\":" + std::string(65, '[') + std::string(65, ']') + "}"),
              "patch_depth_exceeded");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(element(patch(e, nested(17)), 2), "OK");
    EXPECT_EQ(element(patch(e, "{\"a\":" + std::string(64, '[') + std::string(64, ']') + "}"), 2),
              "OK");
    store(e, "{broken");
    EXPECT_EQ(flat(patch(e, R"({"a":2})")), (List{"0", "corruption", "summary_document"}));
}

TEST_P(Ch04Summary, S22_ADocumentThatWouldGrowTooLargeStaysAsItWas) {
    const Execution e = active();
    const std::string part(60'000, 'd');
    for (const char* name : {"a", "b", "c", "d"}) {
        EXPECT_EQ(element(patch(e, "{\"" + std::string(name) + "\":\"" + part + "\"}"), 2), "OK");
    }
    const std::string before = document(e);
    EXPECT_EQ(flat(patch(e, "{\"e\":\"" + part + "\"}")),
              (List{"0", "retention_limit_exceeded", "summary_document"}));
    EXPECT_EQ(document(e), before);
    EXPECT_EQ(element(summary(e), 4), "4");
}

TEST_P(Ch04Summary, S23_TheDocumentOutlivesTheStream) {
    const Execution e = active();
    EXPECT_EQ(flat(summary(e)), (List{"1", "OK", "", "0", "", "0", "0"}));
    EXPECT_EQ(flat(summary(e, true)), (List{"1", "OK", "", "0", "", "0", "0", "", ""}));
    patch(e, R"({"a":1})");
    command({"DEL", e.stream_key(0, ":live")});
    const RespValue reply = summary(e);
    EXPECT_EQ(element(reply, 3), R"({"a":1})");
    EXPECT_EQ(element(reply, 4), "1");
    EXPECT_EQ(element(reply, 5), "json-merge-patch");
    EXPECT_NE(element(reply, 6), "0");
    EXPECT_NE(element(reply, 7), "0");
    e.complete();
    EXPECT_EQ(element(summary(e, true), 9), "attempt_success");
}

}  // namespace
}  // namespace ff::contract
