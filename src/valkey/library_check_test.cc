#include "valkey/library_check.h"

#include <gtest/gtest.h>

#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

using model::TransportKind;
using resp::Value;
using Step = LibraryCheck::Step;

const Library kOurs{.source = "text", .version = 1005, .digest = "abc"};

Value info(const std::string& digest) {
    return Value::array(
        {Value::integer(1), Value::bulk("OK"), Value::bulk("1005"), Value::bulk(digest)});
}

Error failure(TransportKind kind, std::string text) {
    return model::storage_error(kind, std::move(text));
}

TEST(Ch01, S33_AHigherVersionStaysAndAnotherTextIsReplaced) {
    LibraryCheck newer(kOurs, false);
    EXPECT_EQ(newer.start(), Step::AskVersion);
    EXPECT_EQ(newer.on_version(Value::bulk("1006")), Step::DoneNewer);
    LibraryCheck same(kOurs, false);
    EXPECT_EQ(same.on_version(Value::bulk("1005")), Step::AskInfo);
    EXPECT_EQ(same.on_info(info("abc")), Step::Done);
    EXPECT_EQ(same.on_info(info("other")), Step::Load);
    EXPECT_EQ(same.on_info(Value::array({})), Step::Load) << "an info that says nothing";
}

TEST(LibraryCheck, LoadsWhatIsMissingOlderOrStrange) {
    LibraryCheck check(kOurs, false);
    EXPECT_EQ(check.on_version(Value::bulk("1004")), Step::Load);
    EXPECT_EQ(check.on_version(Value::bulk("ten")), Step::Load);
    EXPECT_EQ(check.on_version(Value::null()), Step::Load);
    EXPECT_EQ(check.on_version(failure(TransportKind::NoScript, "ERR Function not found")),
              Step::Load);
}

TEST(LibraryCheck, LooksAgainAfterLoading) {
    LibraryCheck check(kOurs, false);
    EXPECT_EQ(check.on_loaded(Value::bulk("flowfabric")), Step::AskVersion);
    EXPECT_EQ(check.on_version(Value::bulk("1005")), Step::Done);
    EXPECT_EQ(check.on_version(Value::bulk("1004")), Step::Fail);
    EXPECT_EQ(check.error().code, "library_version_mismatch");
    EXPECT_EQ(check.error().detail, (std::vector<std::string>{"1005", "1004"}));
    EXPECT_EQ(check.error().cls, ErrorClass::Terminal);
}

TEST(Ch01, S35_SourceThatDoesNotCompileEndsAtTheFirstAttempt) {
    LibraryCheck check(kOurs, false);
    EXPECT_EQ(check.on_loaded(failure(TransportKind::ResponseError,
                                      "ERR Error compiling function: x:1: syntax error")),
              Step::Fail);
    for (const auto kind : {TransportKind::ReadOnly, TransportKind::Moved, TransportKind::TryAgain,
                            TransportKind::ClusterDown, TransportKind::BusyLoading,
                            TransportKind::IoError, TransportKind::FatalReceive})
        EXPECT_EQ(check.on_loaded(failure(kind, "x")), Step::Retry) << model::to_string(kind);
    EXPECT_EQ(check.on_loaded(failure(TransportKind::PermissionDenied, "x")), Step::Fail);
    EXPECT_EQ(check.on_version(failure(TransportKind::AuthenticationFailed, "x")), Step::Fail);
}

TEST(LibraryCheck, AForcedLoadAsksNothingFirst) {
    EXPECT_EQ(LibraryCheck(kOurs, true).start(), Step::Load);
}

}  // namespace
}  // namespace ff::valkey
