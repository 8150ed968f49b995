#include "contract/suspension.h"

namespace ff::contract {
namespace {

/// Who may signal a waitpoint. Every refusal here also shows that nothing but the stamp changed.
class TokenContract : public SuspensionContract {
  protected:
    /// The code of a refused delivery; everything but the stamp must be as before.
    std::string refusal(const Execution& e, const Waitpoint& presented,
                        const SignalArgs& args = {}) const {
        const auto before = without_stamp();
        const RespValue reply = deliver(e, presented, args);
        EXPECT_EQ(without_stamp(), before) << to_string(reply);
        EXPECT_EQ(to_string(reply).find(digest_of(presented)), std::string::npos);
        const std::string code = element(reply, 2);
        EXPECT_EQ(element(buffer(e, presented, args), 2), code);
        EXPECT_EQ(without_stamp(), before);
        EXPECT_EQ(element(reply, 1), "0");
        return code;
    }
    static Waitpoint with_token(Waitpoint waitpoint, const std::string& token) {
        waitpoint.token = token;
        return waitpoint;
    }

  private:
    static std::string digest_of(const Waitpoint& presented) {
        const std::size_t colon = presented.token.find(':');
        if (colon == std::string::npos || presented.token.size() < colon + 20) return "no digest";
        return presented.token.substr(colon + 1);
    }
    std::map<std::string, std::string> without_stamp() const {
        auto contents = host().contents(tag());
        std::erase_if(contents, [&](const auto& entry) { return entry.first.ends_with(":core"); });
        for (const RespValue& id : command({"SMEMBERS", index("all_executions")}).items) {
            auto core = hash("ff:exec:" + tag() + ":" + id.text + ":core");
            core.erase("last_hmac_validation_failed_at");
            std::string text;
            for (const auto& [name, value] : core) text.append(name).append("=").append(value);
            contents["core of " + id.text] = text;
        }
        return contents;
    }
};

FF_CONTRACT_SUITE(Ch03Token, TokenContract);

TEST_P(Ch03Token, S13_ATokenOpensNoOtherExecution) {
    const Execution a = active();
    const Execution b = active();
    const Suspended of_a = suspend(a);
    const Suspended of_b = suspend(b);
    EXPECT_EQ(refusal(b, of_a.primary()), "invalid_token");
    // Not even with the other's waitpoint named.
    EXPECT_EQ(refusal(b, with_token(of_b.primary(), of_a.primary().token)), "invalid_token");
    EXPECT_EQ(refusal(a, with_token(of_b.primary(), of_a.primary().token)), "invalid_token");
    EXPECT_EQ(a.vector(), vector_suspended());
    EXPECT_EQ(b.vector(), vector_suspended());
    EXPECT_EQ(effect(a, of_a.primary()), "resume_condition_satisfied");
}

TEST_P(Ch03Token, S14_AnUnknownWaitpointIsNoAnswerAtAll) {
    const Execution e = active();
    const Suspended s = suspend(e);
    EXPECT_EQ(e.core("last_hmac_validation_failed_at"), "");
    const std::int64_t before = now();
    EXPECT_EQ(refusal(e, {.id = new_uuid(), .token = s.primary().token}), "invalid_token");
    EXPECT_GE(std::stoll(e.core("last_hmac_validation_failed_at")), before);
    EXPECT_EQ(refusal(e, {.id = new_uuid(), .token = ""}), "invalid_token");
    // Records of another kind under the same prefix are no waitpoints either.
    EXPECT_EQ(element(deliver(e, {.id = s.primary().id + ":condition", .token = "k1:x"}), 2),
              "invalid_input");
    command({"HDEL", waitpoint_key(s.primary().id), "created_at"});
    EXPECT_EQ(refusal(e, s.primary()), "invalid_token");
}

TEST_P(Ch03Token, S15_EveryChangeOfATokenIsRefused) {
    const Execution e = active();
    const Suspended s = suspend(e);
    const std::string token = s.primary().token;
    const std::string digest = token.substr(3);
    const auto presented = [&](const std::string& text) {
        return refusal(e, with_token(s.primary(), text));
    };
    EXPECT_EQ(presented(""), "missing_token");
    std::string flipped = token;
    flipped.back() = flipped.back() == '0' ? '1' : '0';
    EXPECT_EQ(presented(flipped), "invalid_token");
    std::string upper = token;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(presented("k1" + upper.substr(2)), "invalid_token");
    const List changed{"k9:" + digest,
                       token.substr(0, token.size() - 1),
                       token + "0",
                       ":" + digest,
                       digest,
                       "k1:",
                       "k1",
                       std::string(":"),
                       " " + token,
                       token + "\n",
                       token + std::string(1, '\0'),
                       "k1::" + digest.substr(1),
                       "k1:k1:" + digest,
                       "K1:" + digest,
                       "k1:" + std::string(40, 'g'),
                       "k1:" + std::string(40, ' ')};
    for (const std::string& bad : changed) {
        EXPECT_EQ(presented(bad), "invalid_token") << bad;
    }
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
}

TEST_P(Ch03Token, EveryFlippedBitIsRefused) {
    const Execution e = active();
    const Suspended s = suspend(e);
    for (std::size_t i = 0; i < s.primary().token.size(); ++i) {
        for (const int bit : {0, 3, 7}) {
            std::string token = s.primary().token;
            token[i] = static_cast<char>(token[i] ^ (1 << bit));
            const RespValue reply = deliver(e, with_token(s.primary(), token));
            EXPECT_EQ(element(reply, 2), "invalid_token") << i << " " << bit;
        }
    }
    EXPECT_EQ(waitpoint(s.primary().id)["signal_count"], "0");
    EXPECT_FALSE(exists(e.key("signals")));
    EXPECT_EQ(e.vector(), vector_suspended());
}

TEST_P(Ch03Token, ATokenOpensNoOtherWaitpointOfTheSameSuspension) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = composite(all_of({single("a"), single("b")})),
                                    .waitpoint_key = "a",
                                    .additional = {{.id = new_uuid(), .key = "b"}}});
    const Waitpoint& a = s.waitpoints[0];
    const Waitpoint& b = s.waitpoints[1];
    EXPECT_EQ(refusal(e, with_token(a, b.token)), "invalid_token");
    EXPECT_EQ(refusal(e, with_token(b, a.token)), "invalid_token");
    EXPECT_EQ(effect(e, a), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, b), "resume_condition_satisfied");
}

TEST_P(Ch03Token, ATokenOpensNoOtherPartition) {
    const Execution e = active();
    const Suspended s = suspend(e);
    // A waitpoint of the same name in another partition with the same secret.
    const std::string other = another_tag();
    const std::string other_secrets = "ff:sec:" + other + ":waitpoint_hmac";
    host().fcall("ff_init_waitpoint_hmac_secret", {other_secrets}, {"k1", std::string(kSecret)});
    Execution there(host(), other);
    there.create({});
    there.take();
    await_time(std::stoll(waitpoint(s.primary().id)["created_at"]) + 2);
    const RespValue made =
        host().fcall("ff_create_pending_waitpoint",
                     {there.key("core"), "ff:noop:" + other, "ff:noop:" + other, other_secrets},
                     {there.id(), "0", s.primary().id, s.primary().key, "+60000"});
    ASSERT_EQ(element(made, 2), "OK");
    EXPECT_NE(element(made, 5), s.primary().token);
    List keys(14, "ff:noop:" + other);
    keys[0] = there.key("core");
    keys[13] = other_secrets;
    List args = signal_args(there, s.primary(), {.id = new_uuid(), .buffer_if_pending = "1"});
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", keys, args), 2), "invalid_token");
    args[17] = element(made, 5);
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", keys, args), 2), "OK");
    EXPECT_EQ(effect(e, with_token(s.primary(), element(made, 5))), "invalid_token");
}

TEST_P(Ch03Token, AReplayedTokenOpensNothingOnceTheWaitpointHasClosed) {
    Execution e = active();
    const Suspended first = suspend(e);
    EXPECT_EQ(effect(e, first.primary()), "resume_condition_satisfied");
    EXPECT_EQ(effect(e, first.primary()), "target_not_signalable");
    e.take_resumed();
    const Suspended second = suspend(e);
    EXPECT_EQ(effect(e, first.primary()), "waitpoint_closed");
    EXPECT_EQ(effect(e, with_token(second.primary(), first.primary().token)), "invalid_token");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(effect(e, second.primary()), "resume_condition_satisfied");
}

TEST_P(Ch03Token, WithoutAValidTokenTheStateOfAWaitpointStaysHidden) {
    Execution e = active();
    const Suspended s = suspend(e);
    const Waitpoint forged = with_token(s.primary(), "k1:" + std::string(40, '0'));
    EXPECT_EQ(effect(e, forged), "invalid_token");
    effect(e, s.primary(), {.idempotency_key = "K"});
    // Closed, repeated or terminal: the answer is the same.
    EXPECT_EQ(effect(e, forged), "invalid_token");
    EXPECT_EQ(effect(e, forged, {.idempotency_key = "K"}), "invalid_token");
    e.cancel("stop", "operator_override");
    EXPECT_EQ(effect(e, forged), "invalid_token");
}

TEST_P(Ch03Token, ASecretThatIsGoneOrBrokenClosesTheDoor) {
    const Execution e = active();
    const Suspended s = suspend(e);
    command({"HSET", secrets(), "secret:k1", "not hex!"});
    EXPECT_EQ(refusal(e, s.primary()), "invalid_secret");
    command({"HDEL", secrets(), "secret:k1"});
    EXPECT_EQ(refusal(e, s.primary()), "hmac_secret_not_initialized");
    command({"DEL", secrets()});
    EXPECT_EQ(refusal(e, s.primary()), "hmac_secret_not_initialized");
    List keys = deliver_keys(e, s.primary(), {.id = "x"});
    keys[13] = noop();
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", keys,
                                   signal_args(e, s.primary(), {.id = new_uuid()})),
                      2),
              "invalid_keys_missing_hmac");
    EXPECT_EQ(e.vector(), vector_suspended());
}

TEST_P(Ch03Token, AForgedSecretsKeyIsNotUsed) {
    const Execution e = active();
    const Suspended s = suspend(e);
    // The caller names a hash of its own with a secret it knows; the partition's own one counts.
    const std::string own = "ff:sec:" + tag() + ":mine";
    command({"HSET", own, "current_kid", "k1", "secret:k1", std::string(64, 'a')});
    List keys = deliver_keys(e, s.primary(), {.id = "x"});
    keys[13] = own;
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", keys,
                                   signal_args(e, s.primary(), {.id = new_uuid()})),
                      4),
              "resume_condition_satisfied");
}

}  // namespace
}  // namespace ff::contract
