#include "base/random.h"
#include "contract/suspension.h"
#include "model/waitpoint_token.h"

namespace ff::contract {
namespace {

class SecretContract : public SuspensionContract {
  protected:
    std::string field(const std::string& name) const {
        return command({"HGET", secrets(), name}).text;
    }
    bool has(const std::string& name) const { return hash(secrets()).contains(name); }
    void set(const std::string& name, const std::string& value) const {
        command({"HSET", secrets(), name, value});
    }
    RespValue init(const std::string& kid, const std::string& secret) const {
        return host().fcall("ff_init_waitpoint_hmac_secret", {secrets()}, {kid, secret});
    }
    List kids() const { return flat(host().fcall("ff_list_waitpoint_hmac_kids", {secrets()}, {})); }
    RespValue remint(const Execution& e, const std::string& id) const {
        return host().fcall("ff_remint_waitpoint_token", {waitpoint_key(id), secrets()},
                            {e.id(), id});
    }
    /// Mints for a waitpoint that says it was created then, as reminting does.
    std::string minted(const std::string& id, const std::string& key,
                       const std::string& created_at) const {
        command({"HSET", waitpoint_key(id), "execution_id", "E", "waitpoint_id", id,
                 "waitpoint_key", key, "created_at", created_at, "state", "active",
                 "waitpoint_token", ""});
        const RespValue reply =
            host().fcall("ff_remint_waitpoint_token", {waitpoint_key(id), secrets()}, {"E", id});
        return element(reply, 3);
    }
    /// Calls it within the very ms `time`; `arrange(time)` comes before. False if it never hit.
    bool at_exactly(const std::function<void(std::int64_t)>& arrange,
                    const std::function<void()>& run) const {
        for (int tries = 0; tries < 500; ++tries) {
            const std::int64_t time = now() + 4;
            arrange(time);
            while (now() < time) {
            }
            if (now() != time) continue;
            run();
            if (now() == time) return true;
        }
        return false;
    }
};

FF_CONTRACT_SUITE(Ch03Secret, SecretContract);

const std::string kOther(64, 'b');
const std::string kThird(64, 'c');

TEST_P(Ch03Secret, S16_FormerKidsStayValidForTheirGrace) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 3)});
    const std::string grace = "600000";
    EXPECT_EQ(flat(rotate("k2", kOther, grace)), (List{"1", "OK", "rotated", "k1", "k2", "0"}));
    EXPECT_EQ(flat(rotate("k3", kThird, grace)), (List{"1", "OK", "rotated", "k2", "k3", "0"}));
    EXPECT_EQ(field("previous_kid"), "k2");
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint");
    set("expires_at:k1", std::to_string(now() - 1));
    EXPECT_EQ(effect(e, s.primary()), "token_expired");
    EXPECT_EQ(flat(rotate("k4", kOther, grace)), (List{"1", "OK", "rotated", "k3", "k4", "1"}));
    EXPECT_FALSE(has("secret:k1"));
    EXPECT_FALSE(has("expires_at:k1"));
    EXPECT_EQ(effect(e, s.primary()), "invalid_token");
    for (const char* odd : {"", "0", "-5", "soon", "1.5"}) {
        set("secret:k1", std::string(kSecret));
        set("expires_at:k1", odd);
        EXPECT_EQ(effect(e, s.primary()), "token_expired") << odd;
    }
    EXPECT_EQ(e.vector(), vector_suspended());
}

TEST_P(Ch03Secret, S17_AKidIsValidThroughItsLastMillisecond) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"condition_type":"operator_only"})"});
    rotate("k2", kOther, "600000");
    const auto arrange = [&](std::int64_t time) {
        set("secret:k1", std::string(kSecret));
        set("expires_at:k1", std::to_string(time));
    };
    // Only the try that met the millisecond counts, so it is judged afterwards.
    std::string answered;
    EXPECT_TRUE(at_exactly(arrange, [&] { answered = effect(e, s.primary()); }));
    EXPECT_EQ(answered, "no_op");
    std::string count;
    EXPECT_TRUE(at_exactly(arrange, [&] { count = kids().at(3); }));
    EXPECT_EQ(count, "1");
    int next = 3;
    std::string collected;
    EXPECT_TRUE(at_exactly(arrange, [&] {
        collected = element(rotate("k" + std::to_string(next++), kThird, "600000"), 6);
    }));
    EXPECT_EQ(collected, "0");
    set("expires_at:k1", std::to_string(now() - 1));
    EXPECT_EQ(effect(e, s.primary()), "token_expired");
}

TEST_P(Ch03Secret, S18_S19_WithoutAUsableSecretNothingIsMinted) {
    const Execution e = active();
    const std::string id = new_uuid();
    const auto refused = [&] {
        const std::string code = element(try_suspend(e, {.waitpoint_id = id}), 2);
        EXPECT_FALSE(exists(waitpoint_key(id)));
        EXPECT_EQ(element(try_pending(e, id, "k"), 2), code);
        EXPECT_EQ(e.vector(), vector_l9());
        return code;
    };
    for (const char* bad : {"xyz0", "00 1", " 00", "00 ", "0x12", "abc", "+1", "00\n0"}) {
        set("secret:k1", bad);
        EXPECT_EQ(refused(), "invalid_secret") << bad;
    }
    command({"HDEL", secrets(), "secret:k1"});
    EXPECT_EQ(refused(), "hmac_secret_not_initialized");
    command({"DEL", secrets()});
    EXPECT_EQ(refused(), "hmac_secret_not_initialized");
    SuspendArgs args{.suspension_id = new_uuid(), .waitpoint_id = id, .waitpoint_key = "k"};
    List keys = suspend_keys(e, args);
    keys[16] = noop();
    EXPECT_EQ(element(host().fcall("ff_suspend_execution", keys, suspend_args(e, args)), 2),
              "invalid_keys_missing_hmac");
    keys.resize(16);
    EXPECT_EQ(element(host().fcall("ff_suspend_execution", keys, suspend_args(e, args)), 2),
              "invalid_keys_missing_hmac");
}

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

TEST_P(Ch03Secret, S20_TheVectorsOfTheSpecificationAreReproduced) {
    const std::string id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    const std::vector<std::array<std::string, 5>> vectors{
        {"k1", repeated("00", 32), "wpk:" + id, "1700000000000",
         "k1:a4d6865324495f06d292bf305b977387fdca2142"},
        {"k2", repeated("0123456789abcdef", 4), "wpk:" + id, "1700000000000",
         "k2:d731defdc90018aed9925afa08d273ca9fe1dd8a"},
        {"k3", repeated("aa", 80), "order-42|approval", "1700000000123",
         "k3:6e95d632f33660c5a7ab4592ca9df40fc7e85467"}};
    for (const auto& [kid, secret, key, created_at, token] : vectors) {
        command({"DEL", secrets()});
        init(kid, secret);
        EXPECT_EQ(minted(id, key, created_at), token);
    }
}

TEST_P(Ch03Secret, MintingAgreesWithTheServerForSecretsOfEveryLength) {
    SeededRandom random(20'26);
    const std::string id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    const auto parsed = model::WaitpointId::parse(id);
    const auto key = model::WaitpointKey::parse("a|b \xc3\xa9");
    ASSERT_TRUE(parsed && key);
    for (const std::size_t size : {1U, 19U, 63U, 64U, 65U, 127U, 128U, 512U}) {
        std::string secret;
        for (std::size_t i = 0; i < size; ++i) {
            static constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
            secret += kDigits[random.below(kDigits.size())];
            secret += kDigits[random.below(kDigits.size())];
        }
        const auto expected = model::WaitpointToken::mint(
            "k9", secret, {.id = *parsed, .key = *key, .created_at = timestamp_from_ms(1'234)});
        ASSERT_TRUE(expected);
        command({"DEL", secrets()});
        init("k9", secret);
        EXPECT_EQ(minted(id, key->text(), "1234"), expected->reveal()) << size;
    }
}

TEST_P(Ch03Secret, S21_ARotationMayBeRepeated) {
    EXPECT_EQ(element(rotate("k2", kOther, "1000"), 3), "rotated");
    const auto after = hash(secrets());
    EXPECT_EQ(flat(rotate("k2", kOther, "999999")), (List{"1", "OK", "noop", "k2"}));
    EXPECT_EQ(flat(rotate("k2", std::string(64, 'B'), "1")), (List{"1", "OK", "noop", "k2"}));
    EXPECT_EQ(flat(rotate("k2", kThird, "1")), (List{"0", "rotation_conflict", "k2"}));
    EXPECT_EQ(hash(secrets()), after);
    command({"HDEL", secrets(), "secret:k2"});
    set("expires_at:k2", "5");
    EXPECT_EQ(flat(rotate("k2", kOther, "1")), (List{"1", "OK", "noop", "k2"}));
    EXPECT_EQ(field("secret:k2"), kOther);
    EXPECT_FALSE(has("expires_at:k2"));
}

TEST_P(Ch03Secret, S22_AFormerKidMayBecomeCurrentAgain) {
    rotate("k2", kOther, "600000");
    const auto before = hash(secrets());
    EXPECT_EQ(flat(rotate("k1", kThird, "600000")), (List{"0", "rotation_conflict", "k1"}));
    EXPECT_EQ(hash(secrets()), before);
    EXPECT_EQ(element(rotate("k1", kSecret, "600000"), 3), "rotated");
    EXPECT_EQ(field("current_kid"), "k1");
    EXPECT_FALSE(has("expires_at:k1"));
    EXPECT_TRUE(has("expires_at:k2"));
    rotate("k3", kThird, "600000");
    EXPECT_EQ(field("secret:k1"), kSecret);
    EXPECT_TRUE(has("expires_at:k1"));
    const List listed = kids();
    ASSERT_EQ(listed.size(), 8U);
    EXPECT_EQ(listed[2], "k3");
    EXPECT_EQ(listed[3], "2");
    EXPECT_EQ(listed[4], "k1");
    EXPECT_EQ(listed[6], "k2");
    // A kid whose time is over may come back with another secret.
    set("expires_at:k2", "5");
    EXPECT_EQ(flat(rotate("k2", kThird, "1")), (List{"1", "OK", "rotated", "k3", "k2", "1"}));
}

TEST_P(Ch03Secret, S23_GraceAndNamesAreChecked) {
    const Execution e = active();
    const Suspended s = suspend(e);
    EXPECT_EQ(element(rotate("k2", kOther, "9007199254740991"), 3), "rotated");
    EXPECT_EQ(field("expires_at:k1"), "9007199254740991");
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    const auto before = hash(secrets());
    for (const char* grace : {"-1", "1.5", "inf", "soon", "", "nan", "9007199254740992", " 1"}) {
        EXPECT_EQ(element(rotate("k3", kThird, grace), 2), "invalid_grace_ms") << grace;
    }
    for (const std::string& kid :
         {std::string(), std::string("a:b"), std::string("a b"), std::string(129, 'k'),
          std::string("k\n"), std::string("k\xc3\xa9")}) {
        EXPECT_EQ(element(rotate(kid, kThird, "1"), 2), "invalid_kid") << kid;
        EXPECT_EQ(element(init(kid, kThird), 2), "invalid_kid") << kid;
    }
    for (const std::string& secret : {std::string(), std::string("abc"), std::string("zz"),
                                      std::string(1'026, 'a'), std::string("ab cd")}) {
        EXPECT_EQ(element(rotate("k3", secret, "1"), 2), "invalid_secret_hex") << secret;
        EXPECT_EQ(element(init("k3", secret), 2), "invalid_secret_hex") << secret;
    }
    EXPECT_EQ(hash(secrets()), before);
}

TEST_P(Ch03Secret, TheLockIsGivenBackOnEveryOutcomeAndOnlyByItsOwner) {
    const std::string lock = "ff:sec:" + tag() + ":rotate_lock";
    const auto with_lock = [&](const std::string& kid, const std::string& grace,
                               const std::string& token) {
        command({"SET", lock, "mine"});
        rotate(kid, kOther, grace, {lock}, {token});
        return exists(lock);
    };
    EXPECT_FALSE(with_lock("k2", "1000", "mine"));
    EXPECT_FALSE(with_lock("k2", "1000", "mine"));
    EXPECT_FALSE(with_lock("k1", "1000", "mine"));
    EXPECT_FALSE(with_lock("", "1000", "mine"));
    EXPECT_FALSE(with_lock("k3", "x", "mine"));
    EXPECT_TRUE(with_lock("k3", "1000", "theirs"));
    EXPECT_TRUE(with_lock("k4", "1000", ""));
    EXPECT_EQ(command({"GET", lock}).text, "mine");
}

TEST_P(Ch03Secret, InstallingNeverReplacesAStoredSecret) {
    EXPECT_EQ(flat(init("k1", std::string(kSecret))), (List{"1", "OK", "match", "k1"}));
    EXPECT_EQ(flat(init("k1", kOther)), (List{"1", "OK", "mismatch", "k1"}));
    EXPECT_EQ(flat(init("k7", kOther)), (List{"1", "OK", "mismatch", "k1"}));
    EXPECT_EQ(field("secret:k1"), kSecret);
    command({"HDEL", secrets(), "secret:k1"});
    EXPECT_EQ(flat(init("k1", std::string(kSecret))), (List{"1", "OK", "repaired", "k1"}));
    command({"DEL", secrets()});
    EXPECT_EQ(kids(), (List{"1", "OK", "", "0"}));
    EXPECT_EQ(flat(init("k5", kOther)), (List{"1", "OK", "installed", "k5"}));
    EXPECT_EQ(kids(), (List{"1", "OK", "k5", "0"}));
    for (const std::string& part : kids()) EXPECT_EQ(part.find(kOther), std::string::npos);
}

TEST_P(Ch03Secret, ALongLivedWaitpointGetsATokenOfTheCurrentKid) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 2)});
    EXPECT_EQ(element(remint(e, s.primary().id), 3), s.primary().token);
    rotate("k2", kOther, "600000");
    Waitpoint fresh = s.primary();
    fresh.token = element(remint(e, fresh.id), 3);
    EXPECT_TRUE(fresh.token.starts_with("k2:"));
    EXPECT_EQ(waitpoint(fresh.id)["waitpoint_token"], fresh.token);
    EXPECT_EQ(element(remint(e, fresh.id), 3), fresh.token);
    // Both open it while the old kid has its grace.
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint");
    set("expires_at:k1", "5");
    EXPECT_EQ(effect(e, s.primary()), "token_expired");
    EXPECT_EQ(element(remint(active(), fresh.id), 2), "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(remint(e, new_uuid()), 2), "waitpoint_not_found");
    EXPECT_EQ(effect(e, fresh), "resume_condition_satisfied");
    EXPECT_EQ(element(remint(e, fresh.id), 2), "waitpoint_closed");
}

}  // namespace
}  // namespace ff::contract
