#include "contract/streams.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch04Read, StreamContract);

List numbered(int from, int to) {
    List out;
    for (int i = from; i <= to; ++i) out.push_back(std::to_string(i));
    return out;
}

TEST_P(Ch04Read, S24_BadBoundsAreRefused) {
    const Execution e = active();
    append(e);
    const auto answer = [&](const ReadArgs& args) {
        List all = flat(try_read(e, args));
        all.resize(3);
        return all;
    };
    EXPECT_EQ(answer({.limit = "0"}), (List{"0", "invalid_input", "count_limit must be >= 1"}));
    EXPECT_EQ(answer({.limit = "x"}), (List{"0", "invalid_input", "count_limit must be >= 1"}));
    EXPECT_EQ(answer({.limit = ""}), (List{"0", "invalid_input", "count_limit must be >= 1"}));
    EXPECT_EQ(answer({.limit = "10001"}),
              (List{"0", "invalid_input", "count_limit_exceeds_hard_cap"}));
    for (const char* bad : {"abc", "1-", "-1", "1-2-3", "(-", "(+", "((1", "1-x", " 1",
                            "18446744073709551616", "1-18446744073709551616"}) {
        EXPECT_EQ(answer({.from = bad}), (List{"0", "invalid_offset", "from_id"})) << bad;
        EXPECT_EQ(answer({.to = bad}), (List{"0", "invalid_offset", "to_id"})) << bad;
    }
    EXPECT_EQ(element(try_read(e, {.visibility = "some"}), 2), "invalid_input");
    EXPECT_EQ(element(try_read(execution(), {}), 2), "execution_not_found");
    const std::string most = "18446744073709551615";
    EXPECT_TRUE(read(e, {.from = "(" + most + "-" + most}).frames.empty());
    EXPECT_TRUE(read(e, {.to = "(0-0"}).frames.empty());
    EXPECT_TRUE(read(e, {.from = "2", .to = "1"}).frames.empty());
    EXPECT_EQ(read(e, {.from = "0", .to = "00" + most}).frames.size(), 1U);
}

TEST_P(Ch04Read, S25_PagesNeitherSkipNorRepeat) {
    const Execution e = active();
    append_many(e, numbered(1, 50));
    const Page first = read(e, {.limit = "20"});
    EXPECT_EQ(first.payloads(), numbered(1, 20));
    EXPECT_EQ(first.more, "1");
    EXPECT_EQ(first.next, first.ids.back());
    const Page rest = read(e, {.from = "(" + first.next});
    EXPECT_EQ(rest.payloads(), numbered(21, 50));
    EXPECT_EQ(rest.more, "0");
    const std::string ms = first.next.substr(0, first.next.find('-'));
    EXPECT_EQ(read(e, {.from = ms + "-21"}).payloads(), numbered(21, 50));
    EXPECT_EQ(read(e, {.from = ms + "-5", .to = "(" + ms + "-8"}).payloads(), numbered(5, 7));
    EXPECT_EQ(read(e, {.from = ms, .to = ms}).frames.size(), 50U);
}

TEST_P(Ch04Read, S26_FilteredPagesStillAdvance) {
    const Execution e = active();
    append_many(e, List(250, "t"), {.mode = "best_effort", .ttl_ms = "60000"});
    append_many(e, List(50, "t"), {.mode = "best_effort", .ttl_ms = "60000"});
    append(e, {.payload = "D"});
    List found;
    std::string from = "-";
    std::string more = "1";
    for (int pages = 0; more == "1" && pages < 100; ++pages) {
        const Page page =
            read(e, {.from = from, .limit = "10", .visibility = "exclude_best_effort"});
        for (const std::string& payload : page.payloads()) found.push_back(payload);
        from = "(" + page.next;
        more = page.more;
    }
    EXPECT_EQ(found, List{"D"});
    EXPECT_EQ(more, "0");
}

TEST_P(Ch04Read, BothKeysAreReadAsOneSeries) {
    const Execution e = active();
    List expected;
    for (int i = 1; i <= 60; ++i) {
        expected.push_back(std::to_string(i));
        FrameArgs args{.payload = expected.back(), .type = i % 5 == 0 ? "log" : "token"};
        if (i % 3 == 0) {
            args.mode = "best_effort";
            args.ttl_ms = "60000";
        }
        append(e, args);
    }
    EXPECT_EQ(read(e).payloads(), expected);
    List paged;
    std::string from = "-";
    for (int pages = 0; pages < 100; ++pages) {
        const Page page = read(e, {.from = from, .limit = "7"});
        for (const std::string& payload : page.payloads()) paged.push_back(payload);
        if (page.more == "0") break;
        from = "(" + page.next;
    }
    EXPECT_EQ(paged, expected);
    EXPECT_EQ(read(e, {.types = "log"}).frames.size(), 12U);
    EXPECT_EQ(read(e, {.types = "log,token"}).frames.size(), 60U);
    EXPECT_EQ(read(e, {.limit = "1", .types = "log"}).payloads(), List{"5"});
}

TEST_P(Ch04Read, APageIsCutByBytesButNeverEmptyBecauseOfThem) {
    const Execution e = active();
    for (int i = 0; i < 4; ++i) append(e, {.payload = std::string(100, 'x')});
    const Page two = read(e, {.max_bytes = "250"});
    EXPECT_EQ(two.frames.size(), 2U);
    EXPECT_EQ(two.more, "1");
    const Page one = read(e, {.from = "(" + two.next, .max_bytes = "0"});
    EXPECT_EQ(one.frames.size(), 1U);
    EXPECT_EQ(one.more, "1");
    EXPECT_EQ(read(e, {.from = "(" + one.next, .max_bytes = "100"}).more, "0");
}

TEST_P(Ch04Read, AStreamThatWasNeverOpenedIsNoError) {
    const Execution e = active();
    const Page page = read(e);
    EXPECT_TRUE(page.frames.empty());
    EXPECT_EQ(page.frame_count, "");
    EXPECT_EQ(page.closed_at, "");
    EXPECT_EQ(page.next, "");
    EXPECT_EQ(page.more, "0");
    // Without core and attempt nobody can tell that it ended.
    e.complete();
    EXPECT_EQ(read(e).closed_reason, "attempt_success");
    const RespValue bare = host().fcall(
        "ff_read_attempt_stream", {e.stream_key(0), e.stream_key(0, ":meta")}, {"-", "+", "10"});
    EXPECT_EQ(element(bare, 5), "");
    EXPECT_EQ(command({"FCALL_RO", "ff_read_attempt_stream", "2", e.stream_key(0),
                       e.stream_key(0, ":meta"), "-", "+", "10"})
                  .items.size(),
              9U);
}

TEST_P(Ch04Read, WatchingOpensTheStreamOnce) {
    Execution e = created();
    EXPECT_EQ(element(open_stream(execution()), 2), "execution_not_found");
    EXPECT_EQ(element(open_stream(e, 1), 2), "attempt_not_found");
    EXPECT_EQ(element(host().fcall("ff_open_stream",
                                   {e.key("core"), e.attempt_key(0), e.stream_key(0),
                                    e.stream_key(0, ":meta")},
                                   {e.id(), "x"}),
                      2),
              "attempt_not_found");
    EXPECT_EQ(flat(open_stream(e)), (List{"1", "OK", "open", "", "", "", "0"}));
    EXPECT_EQ(flat(open_stream(e)), (List{"1", "ALREADY_SATISFIED", "open", "", "", "", "0"}));
    EXPECT_EQ(meta(e, "opened_by"), "watch");
    EXPECT_EQ(e.core("stream_meta_max"), "0");
    e.take();
    const RespValue first = append(e);
    EXPECT_EQ(element(first, 4), "1");
    EXPECT_EQ(meta(e, "attempt_id"), e.attempt_id);
    e.complete();
    EXPECT_EQ(flat(open_stream(e)), (List{"1", "ALREADY_SATISFIED", "closed", meta(e, "closed_at"),
                                          "attempt_success", element(first, 3), "1"}));
    Execution silent = active();
    silent.complete();
    EXPECT_EQ(flat(open_stream(silent)), (List{"1", "OK", "closed", silent.attempt(0, "ended_at"),
                                               "attempt_success", "", "0"}));
    EXPECT_EQ(flat(open_stream(silent, 1)), (List{"1", "OK", "closed", silent.core("completed_at"),
                                                  "attempt_never_started", "", "0"}));
    EXPECT_FALSE(exists(silent.stream_key(0, ":meta")));
}

}  // namespace
}  // namespace ff::contract
