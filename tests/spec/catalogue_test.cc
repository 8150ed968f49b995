#include <map>
#include <set>

#include <gtest/gtest.h>

#include "model/error_catalogue.h"
#include "model/function_catalogue.h"
#include "model/transport_kind.h"
#include "spec/spec_document.h"

namespace ff::model {
namespace {

using ff::testing::code_spans;
using ff::testing::SpecRow;
using ff::testing::SpecSection;

std::string first_word(std::string_view text) {
    return std::string(text.substr(0, text.find(' ')));
}

TEST(ErrorCatalogue, HoldsEveryCodeOfChapter07OnceWithItsClassAndStatus) {
    std::set<std::string_view> seen;
    for (const ErrorInfo& row : error_catalogue())
        EXPECT_TRUE(seen.insert(row.code).second) << row.code << " stands twice";
    std::size_t documented = 0;
    for (const SpecRow& row : SpecSection("07-server-api-sdk.md", "## 5. Error taxonomy").rows()) {
        for (const std::string& code : code_spans(row[0])) {
            ++documented;
            const ErrorInfo info = lookup_error(code);
            EXPECT_EQ(info.code, code) << "not in the catalogue";
            EXPECT_EQ(to_string(info.cls), first_word(row[1])) << code;
            EXPECT_EQ(std::to_string(info.http_status), first_word(row[2])) << code;
            EXPECT_EQ(info.retryable(), first_word(row[1]) == "retryable") << code;
        }
    }
    EXPECT_GT(documented, 100U);
}

/// Chapters list their own codes; each must have a class and a status.
TEST(ErrorCatalogue, KnowsTheCodesThatTheChaptersUse) {
    for (const auto& [file, heading] :
         std::map<std::string, std::string>{{"02-execution-attempt-lease.md", "## 11. Error codes"},
                                            {"03-suspension-signals.md", "## 10. Error codes"}}) {
        for (const SpecRow& row : SpecSection(file, heading).rows())
            for (const std::string& code : code_spans(row[0]))
                EXPECT_EQ(lookup_error(code).code, code) << file;
    }
    std::size_t classed = 0;
    for (const SpecRow& row :
         SpecSection("06-admission-scheduling-workers.md", "## 15. Error codes").rows()) {
        if (row[0] != "terminal" && row[0] != "retryable" && row[0] != "informational") continue;
        for (const std::string& code : code_spans(row[1])) {
            EXPECT_EQ(to_string(lookup_error(code).cls), row[0]) << code;
            ++classed;
        }
    }
    EXPECT_GT(classed, 20U);
    const SpecSection conventions("07-server-api-sdk.md", "### 2.2 Error body");
    for (const char* code : {"not_found", "unsupported_media_type", "payload_too_large",
                             "unauthorized", "too_many_requests", "shutting_down", "storage_error",
                             "library_load", "parse_error", "internal"}) {
        EXPECT_NE(conventions.text().find("`" + std::string(code) + "`"), std::string::npos);
        EXPECT_EQ(lookup_error(code).code, code);
    }
}

TEST(ErrorCatalogue, MatchesByTheStemAndTakesUnknownCodesAsTerminal) {
    EXPECT_EQ(lookup_error("already_member_of_different_flow:abc").http_status, 409);
    EXPECT_EQ(lookup_error("no_such_code").http_status, 500);
    EXPECT_EQ(lookup_error("no_such_code").cls, ErrorClass::Terminal);
    EXPECT_EQ(make_error("lease_conflict").cls, ErrorClass::Retryable);
    EXPECT_EQ(http_status_of(make_error("rate_limit_exceeded")), 429);
}

TEST(ErrorCatalogue, StorageFailuresFollowTheirTransportKind) {
    EXPECT_EQ(http_status_of(storage_error(TransportKind::IoError, "")), 503);
    EXPECT_EQ(http_status_of(storage_error(TransportKind::FatalReceive, "")), 500);
    EXPECT_EQ(lookup_error("too_many_requests").http_status, 429);
    EXPECT_EQ(lookup_error("shutting_down").http_status, 503);
    EXPECT_TRUE(lookup_error("shutting_down").retryable());
    EXPECT_EQ(lookup_error("parse_error").http_status, 500);
}

TEST(TransportKind, HasTheKindsOfChapter01InTheirOrder) {
    std::size_t at = 0;
    for (const SpecRow& row :
         SpecSection("01-keys-partitions-storage.md", "## 10. Transport errors").rows()) {
        for (const std::string& text : code_spans(row[0])) {
            const auto kind = parse_transport_kind(text);
            ASSERT_TRUE(kind.has_value()) << text;
            EXPECT_EQ(to_string(*kind), text);
            EXPECT_EQ(static_cast<std::size_t>(*kind), at++) << text;
            EXPECT_EQ(is_retryable(*kind), row[2] == "yes") << text;
        }
    }
    EXPECT_EQ(at, static_cast<std::size_t>(TransportKind::NoValidReplicasFoundBySentinel) + 1);
    EXPECT_FALSE(parse_transport_kind("lost").has_value());
}

/// What the Resend column says, as the catalogue puts it.
struct Resending {
    Resend resend = Resend::No;
    std::string condition{};
    bool read_only = false;
    bool operator==(const Resending&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Resending& value) {
    return out << to_string(value.resend) << " '" << value.condition << "' RO " << value.read_only;
}

Resending documented_resending(const std::string& cell) {
    if (cell == "yes, RO") return {.resend = Resend::Yes, .read_only = true};
    if (cell == "yes, fenced") return {.resend = Resend::Conditional, .condition = "fenced"};
    if (cell == "yes with if_due") return {.resend = Resend::Conditional, .condition = "if_due"};
    if (cell.starts_with("yes, ")) return {.resend = Resend::Yes, .condition = cell.substr(5)};
    if (cell == "yes" || cell.starts_with("yes (")) return {.resend = Resend::Yes};
    if (cell == "no" || cell.starts_with("no (")) return {};
    EXPECT_TRUE(cell.starts_with("cond: ")) << cell;
    std::string condition = cell.substr(6);
    std::erase(condition, '`');
    return {.resend = Resend::Conditional, .condition = condition};
}

TEST(FunctionCatalogue, IsTheFunctionIndexOfTheOverview) {
    const auto rows = SpecSection("00-overview.md", "## 5. Function index").rows();
    const auto functions = function_catalogue();
    ASSERT_EQ(functions.size(), rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const SpecRow& row = rows[at];
        const FunctionInfo& function = functions[at];
        EXPECT_EQ(function.name, code_spans(row[0]).at(0));
        EXPECT_EQ(function.keys, row[2]) << function.name;
        EXPECT_EQ(function.argv, row[3]) << function.name;
        const Resending ours{.resend = function.resend,
                             .condition = std::string(function.condition),
                             .read_only = function.read_only};
        EXPECT_EQ(ours, documented_resending(row[4])) << function.name;
        EXPECT_EQ(find_function(function.name), &function);
    }
    EXPECT_EQ(find_function("ff_no_such_function"), nullptr);
}

TEST(FunctionCatalogue, KnowsTheLeastNumberOfKeysAndArguments) {
    EXPECT_EQ(find_function("ff_suspend_execution")->base_keys(), 1U);
    EXPECT_EQ(find_function("ff_create_budget")->base_keys(), 5U);
    EXPECT_EQ(find_function("ff_create_budget")->base_argv(), 9U);
    EXPECT_EQ(find_function("ff_set_flow_tags")->base_argv(), 0U);
}

}  // namespace
}  // namespace ff::model
