#include "service/task_token.h"

#include <gtest/gtest.h>

namespace ff::service {
namespace {

TaskToken sample() {
    return TaskToken{
        .store = TokenStore::Valkey,
        .execution_id = *model::ExecutionId::parse("{fp:7}:11111111-2222-4333-8444-555555555555"),
        .attempt_index = {3},
        .fence = {.lease_id = *model::LeaseId::parse("aaaaaaaa-2222-4333-8444-555555555555"),
                  .lease_epoch = {0x0102030405060708},
                  .attempt_id = *model::AttemptId::parse("bbbbbbbb-2222-4333-8444-555555555555")},
        .lease_ttl = Millis(30'000),
        .lane_id = *model::LaneId::parse("default"),
        .worker_instance_id = *model::WorkerInstanceId::parse("w-1")};
}

std::string reason_of(const Result<TaskToken>& token) {
    return token ? "" : token.error().detail.at(0);
}

TEST(TaskToken, ReadsBackWhatItWrote) {
    const auto read = TaskToken::decode(sample().encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, sample());
    TaskToken other = sample();
    other.store = TokenStore::Embedded;
    other.attempt_index = {0};
    EXPECT_EQ(*TaskToken::decode(other.encode()), other);
}

TEST(TaskToken, HasTheBytesOfTheSpecification) {
    const std::string text = sample().encode();
    // 02 01 01, then the length 43 of the execution id and its first bytes.
    EXPECT_EQ(text.substr(0, 16), "AgEBKwAAAHtmcDo3");
    EXPECT_EQ(text.find_first_of("+/="), std::string::npos);
}

TEST(TaskToken, IsRefusedWhereverItIsCut) {
    const std::string text = sample().encode();
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto read = TaskToken::decode(text.substr(0, size));
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, "invalid_input");
    }
    EXPECT_EQ(reason_of(TaskToken::decode(text.substr(0, 8))), "task_token:truncated");
    EXPECT_EQ(reason_of(TaskToken::decode(text + "AAAA")), "task_token:trailing_bytes");
}

TEST(TaskToken, NamesWhatIsWrong) {
    EXPECT_EQ(reason_of(TaskToken::decode("not base64!")), "task_token:not_base64");
    EXPECT_EQ(reason_of(TaskToken::decode("AQEB")), "task_token:unknown_format");
    EXPECT_EQ(reason_of(TaskToken::decode("AgIB")), "task_token:unknown_version");
    EXPECT_EQ(reason_of(TaskToken::decode("AgEC")), "task_token:unknown_store");
    EXPECT_EQ(reason_of(TaskToken::decode("AgEBAgAAAP__")), "task_token:not_utf8");
    EXPECT_EQ(reason_of(TaskToken::decode("AgEBAQAAAEE")), "task_token:bad_id");
    EXPECT_EQ(reason_of(TaskToken::decode(sample().encode() + "=")), "task_token:not_base64");
}

}  // namespace
}  // namespace ff::service
