#include "contract/streams.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch04Append, StreamContract);

std::int64_t ordinal(const std::string& id) {
    return std::stoll(id.substr(id.find('-') + 1));
}

TEST_P(Ch04Append, S01_TwoFramesComeBackInOrder) {
    const Execution e = active();
    List ids;
    for (const char* payload : {"one", "two"}) {
        List args = append_args(e, {.payload = payload});
        args.resize(13);
        List keys = append_keys(e);
        keys.resize(3);
        const RespValue reply = host().fcall("ff_append_frame", keys, args);
        EXPECT_EQ(flat(reply),
                  (List{"1", "OK", element(reply, 3), std::to_string(ids.size() + 1), ""}));
        ids.push_back(element(reply, 3));
    }
    const Page page = read(e);
    EXPECT_EQ(page.ids, ids);
    EXPECT_EQ(page.payloads(), (List{"one", "two"}));
    for (Page::Frame frame : page.frames) {
        EXPECT_EQ(frame["frame_type"], "token");
        EXPECT_EQ(frame["encoding"], "utf8");
        EXPECT_EQ(frame["source"], "worker");
        EXPECT_EQ(frame["mode"], "durable");
        EXPECT_NE(frame["ts"], "");
        EXPECT_FALSE(frame.contains("correlation_id"));
    }
    EXPECT_EQ(page.more, "0");
    EXPECT_EQ(page.closed_at, "");
    EXPECT_EQ(page.frame_count, "2");
    EXPECT_EQ(page.last_sequence, ids[1]);
    EXPECT_EQ(meta(e, "last_sequence"), ids[1]);
    EXPECT_EQ(meta(e, "attempt_id"), e.attempt_id);
    EXPECT_EQ(meta(e, "opened_by"), "append");
    EXPECT_EQ(meta(e, "retained_bytes"), "6");
    EXPECT_EQ(e.core("stream_meta_max"), "0");
}

TEST_P(Ch04Append, S02_PayloadsAreBytes) {
    const Execution e = active();
    const std::string bytes("\x00\xff\x80\x0a", 4);
    EXPECT_EQ(element(append(e, {.payload = bytes}), 2), "OK");
    EXPECT_EQ(read(e).payloads(), List{bytes});
}

TEST_P(Ch04Append, S03_S04_LimitsAndShapesAreRefusedWithoutATrace) {
    const Execution e = active();
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(append(e, {.payload = std::string(65'537, 'x')})),
              (List{"0", "retention_limit_exceeded", "payload"}));
    EXPECT_EQ(element(append(e, {.max_payload_bytes = "2000000"}), 2), "invalid_input");
    EXPECT_EQ(element(append(e, {.retention_maxlen = "abc"}), 2), "invalid_input");
    EXPECT_EQ(element(append(e, {.type = ""}), 2), "invalid_frame_type");
    EXPECT_EQ(element(append(e, {.type = std::string(129, 't')}), 2), "invalid_frame_type");
    EXPECT_EQ(element(append(e, {.seq = "0"}), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(element(append(e, {.payload = std::string(65'536, 'x')}), 2), "OK");
    EXPECT_EQ(element(append(e, {.type = std::string(128, 't')}), 2), "OK");
}

TEST_P(Ch04Append, S05_S06_OnlyARunningAttemptTakesFrames) {
    Execution unknown = execution();
    unknown.lease_id = new_uuid();
    unknown.epoch = "1";
    EXPECT_EQ(element(append(unknown), 2), "execution_not_found");
    Execution e = active();
    append(e);
    const Execution old = e;
    const Suspended s = suspend(e);
    EXPECT_EQ(flat(append(old)), (List{"0", "stream_closed", "suspended"}));
    effect(e, s.primary());
    e.take_resumed();
    EXPECT_EQ(element(append(old), 2), "stale_owner_cannot_append");
    EXPECT_EQ(element(append(e), 4), "2");
    e.delay("+60000");
    EXPECT_EQ(flat(append(e)), (List{"0", "stream_closed", "runnable"}));
    Execution done = active();
    done.complete();
    EXPECT_EQ(flat(append(done)), (List{"0", "stream_closed", "terminal"}));
}

TEST_P(Ch04Append, S07_OnlyTheOwnerAppends) {
    Execution e = active();
    Execution other = e;
    other.lease_id = new_uuid();
    EXPECT_EQ(element(append(other), 2), "stale_owner_cannot_append");
    other = e;
    other.epoch = "2";
    EXPECT_EQ(element(append(other), 2), "stale_owner_cannot_append");
    EXPECT_EQ(element(append(e, {.attempt = 1}), 2), "stale_owner_cannot_append");
    e.set_core("lease_expires_at", std::to_string(now()));
    EXPECT_EQ(element(append(e), 2), "stale_owner_cannot_append");
    EXPECT_EQ(e.core("ownership_state"), "leased");
    Execution revoked = active();
    revoked.revoke();
    EXPECT_EQ(element(append(revoked), 2), "stale_owner_cannot_append");
}

TEST_P(Ch04Append, S08_AnExplicitLimitIsExactAndTheDefaultFloats) {
    const Execution e = active();
    for (int i = 0; i < 200; ++i) append(e, {.retention_maxlen = "50"});
    EXPECT_EQ(length(e.stream_key(0)), 50);
    EXPECT_EQ(meta(e, "frame_count"), "200");
    EXPECT_EQ(meta(e, "retained_count"), "50");
    EXPECT_EQ(meta(e, "retained_bytes"), "50");
    EXPECT_EQ(ordinal(read(e).ids.front()), 151);
    const Execution many = active();
    const List batch(250, "y");
    for (int i = 0; i < 80; ++i) append_many(many, batch);
    EXPECT_EQ(meta(many, "frame_count"), "20000");
    EXPECT_GE(length(many.stream_key(0)), 10'000);
    EXPECT_LE(length(many.stream_key(0)), 10'128);
    EXPECT_EQ(meta(many, "retained_count"), std::to_string(length(many.stream_key(0))));
}

TEST_P(Ch04Append, S09_BytesAreBoundedAndTheNewestFrameStays) {
    const Execution e = active();
    const std::string payload(60'000, 'p');
    for (int i = 1; i <= 100; ++i) {
        const RespValue reply = append(e, {.payload = payload, .max_stream_bytes = "1000000"});
        ASSERT_LE(std::stoll(meta(e, "retained_bytes")), 1'000'000);
        if (i % 20 != 0) continue;
        const Page newest = read(e, {.from = element(reply, 3)});
        EXPECT_EQ(newest.ids, List{element(reply, 3)});
    }
    EXPECT_EQ(meta(e, "retained_bytes"), std::to_string(length(e.stream_key(0)) * 60'000));
    // A frame above the bound by itself is kept alone.
    append(e, {.payload = payload, .max_stream_bytes = "10"});
    EXPECT_EQ(length(e.stream_key(0)), 1);
}

TEST_P(Ch04Append, S10_IdsGrowWhenTheClockStepsBackOrACallWasCutOff) {
    const Execution e = active();
    append(e);
    // As if the clock had been 5 s ahead at the first append.
    const std::string ahead = std::to_string(now() + 5'000);
    command({"HSET", e.stream_key(0, ":meta"), "last_sequence", ahead + "-1"});
    EXPECT_EQ(element(append(e), 3), ahead + "-2");
    // As if a call had ended between reserving its id and writing its entry.
    command({"HSET", e.stream_key(0, ":meta"), "frame_count", "3", "last_sequence", ahead + "-3"});
    EXPECT_EQ(element(append(e), 3), ahead + "-4");
    EXPECT_EQ(read(e).frames.size(), 3U);
}

TEST_P(Ch04Append, S11_AResentSequenceNumberCountsOnce) {
    Execution e = active();
    const RespValue first = append(e, {.seq = "7"});
    EXPECT_EQ(flat(append(e, {.seq = "7"})), (List{"1", "DUPLICATE", element(first, 3), "1", ""}));
    EXPECT_EQ(flat(append(e, {.seq = "6"})), (List{"1", "DUPLICATE", "", "1", ""}));
    EXPECT_EQ(element(append(e, {.payload = R"({"a":1})", .mode = "summary", .seq = "9"}), 5), "1");
    const RespValue again = append(e, {.payload = R"({"a":1})", .mode = "summary", .seq = "9"});
    EXPECT_EQ(element(again, 2), "DUPLICATE");
    EXPECT_EQ(element(again, 5), "1");
    e.delay("+0");
    e.promote();
    e.take_resumed();
    EXPECT_EQ(element(append(e, {.seq = "1"}), 2), "OK");
    EXPECT_EQ(meta(e, "frame_count"), "3");
}

TEST_P(Ch04Append, S61_AResentFrameIsKnownWhenTheLeaseHasEnded) {
    const Execution e = active();
    const RespValue first = append(e, {.seq = "7"});
    ASSERT_EQ(element(first, 2), "OK");
    append_many(e, {"a", "b"}, {.seq = "8"});
    e.lose_lease();
    EXPECT_EQ(element(append(e, {.seq = "8"}), 2), "DUPLICATE");
    EXPECT_EQ(element(append(e, {.seq = "10"}), 2), "stale_owner_cannot_append");
    EXPECT_EQ(element(append(e), 2), "stale_owner_cannot_append");
    const RespValue batch = append_many(e, {"a", "b"}, {.seq = "8"});
    EXPECT_EQ(flat(batch), (List{"1", "OK", "0", "2", "", "", "2"}));
    EXPECT_EQ(element(append_many(e, {"b", "c"}, {.seq = "9"}), 2), "stale_owner_cannot_append");
    const Execution done = active();
    append(done, {.seq = "1"});
    done.complete();
    EXPECT_EQ(element(append(done, {.seq = "1"}), 2), "DUPLICATE");
    EXPECT_EQ(element(append(done, {.seq = "2"}), 2), "stream_closed");
    EXPECT_EQ(meta(done, "frame_count"), "1");
}

TEST_P(Ch04Append, S12_ABatchIsAllOrNothing) {
    const Execution e = active();
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(append_many(e, {"a", std::string(65'537, 'b'), "c"})),
              (List{"0", "retention_limit_exceeded", "payload", "1"}));
    EXPECT_EQ(element(append_many(e, List(257, "x")), 2), "invalid_input");
    EXPECT_EQ(element(append_many(e, {}), 2), "invalid_input");
    EXPECT_EQ(element(append_many(e, {"x"}, {.mode = "summary"}), 2), "invalid_input");
    EXPECT_EQ(flat(append_many(e, List(17, std::string(65'000, 'x')))),
              (List{"0", "retention_limit_exceeded", "batch"}));
    EXPECT_EQ(flat(append_many(e, {"x"}, {.type = ""})), (List{"0", "invalid_frame_type", "0"}));
    List short_args = batch_args(e, {"a", "b"}, {});
    short_args.pop_back();
    List keys = append_keys(e);
    keys.resize(3);
    EXPECT_EQ(element(host().fcall("ff_append_frames", keys, short_args), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);

    const RespValue reply = append_many(e, {"a", "b", "c"});
    EXPECT_EQ(flat(reply), (List{"1", "OK", "3", "0", element(reply, 5), element(reply, 6), "3"}));
    EXPECT_EQ(read(e).payloads(), (List{"a", "b", "c"}));
    // Equal numbers inside one batch count once, too.
    const RespValue twice = append_many(e, {"d", "e"}, {.seq = "4"});
    EXPECT_EQ(element(twice, 3), "1");
    EXPECT_EQ(element(twice, 4), "1");
    const RespValue none = append_many(e, {"d", "e"}, {.seq = "4"});
    EXPECT_EQ(flat(none), (List{"1", "OK", "0", "2", "", "", "4"}));
}

TEST_P(Ch04Append, S13_AnOperatorAnnotatesAnOpenStream) {
    Execution e = active();
    EXPECT_EQ(element(append_system(e, "worker"), 2), "unauthorized");
    EXPECT_EQ(element(append_system(e, ""), 2), "unauthorized");
    EXPECT_EQ(element(append_system(e, "operator", 1), 2), "attempt_not_found");
    EXPECT_EQ(element(append_system(execution(), "operator"), 2), "execution_not_found");
    EXPECT_EQ(element(append_system(e, "operator"), 4), "1");
    suspend(e);
    EXPECT_EQ(element(append_system(e, "system"), 4), "2");
    EXPECT_EQ(read(e).frames[0].at("source"), "operator");
    e.cancel("stop", "operator_override");
    EXPECT_EQ(flat(append_system(e, "operator")),
              (List{"0", "stream_closed", "terminal", "attempt_cancelled"}));
    Execution silent = active();
    silent.complete();
    EXPECT_EQ(element(append_system(silent, "operator"), 2), "stream_closed");
}

}  // namespace
}  // namespace ff::contract
