#include "model/state.h"

#include <set>

#include <gtest/gtest.h>

#include "spec/spec_document.h"

namespace ff::model {
namespace {

using ff::testing::code_spans;
using ff::testing::SpecRow;
using ff::testing::SpecSection;

constexpr std::string_view kChapter = "02-execution-attempt-lease.md";

/// The values that section 4 lists for a field of the vector.
std::vector<std::string> documented_values(std::string_view field) {
    for (const SpecRow& row : SpecSection(kChapter, "## 4. State vector").rows()) {
        if (code_spans(row[0]) == std::vector<std::string>{std::string(field)})
            return code_spans(row[1]);
    }
    ADD_FAILURE() << "no field " << field;
    return {};
}

template <StateEnum E>
void expect_values_of(std::string_view field) {
    const auto names = state_names<E>();
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), documented_values(field));
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto value = parse_state<E>(names[at]);
        ASSERT_TRUE(value.has_value());
        EXPECT_EQ(static_cast<std::size_t>(*value), at);
        EXPECT_EQ(to_string(*value), names[at]);
    }
    EXPECT_FALSE(parse_state<E>("").has_value());
    EXPECT_FALSE(parse_state<E>("no_such_state").has_value());
}

TEST(State, EveryEnumHasTheValuesOfTheDocumentAndNoOther) {
    expect_values_of<LifecyclePhase>("lifecycle_phase");
    expect_values_of<OwnershipState>("ownership_state");
    expect_values_of<EligibilityState>("eligibility_state");
    expect_values_of<BlockingReason>("blocking_reason");
    expect_values_of<TerminalOutcome>("terminal_outcome");
    expect_values_of<AttemptState>("attempt_state");
    expect_values_of<PublicState>("public_state");
}

template <StateEnum E>
std::vector<E> all_values() {
    std::vector<E> out;
    for (const std::string_view name : state_names<E>()) out.push_back(*parse_state<E>(name));
    return out;
}

/// The values a cell of the table of legal vectors allows, as stored texts.
std::set<std::string> allowed_attempts(const std::string& cell) {
    if (cell.starts_with("pending_first /") || cell == "as L1")
        return {"pending_first_attempt", "pending_retry_attempt", "pending_replay_attempt",
                "attempt_interrupted"};
    if (cell == "attempt_terminal, or pending_first_attempt if never claimed" || cell == "as L15")
        return {"attempt_terminal", "pending_first_attempt"};
    if (cell == "none, or attempt_terminal if it had run") return {"attempt_terminal", "none"};
    return {cell};
}

std::set<std::string> allowed_reasons(const std::string& cell) {
    if (cell == "a suspension reason")
        return {"waiting_for_signal",      "waiting_for_approval", "waiting_for_callback",
                "waiting_for_tool_result", "paused_by_operator",   "paused_by_policy",
                "waiting_for_budget"};
    std::set<std::string> out;
    std::size_t from = 0;
    for (std::size_t comma = 0; comma != std::string::npos; from = comma + 2) {
        comma = cell.find(", ", from);
        out.insert(cell.substr(from, comma == std::string::npos ? comma : comma - from));
    }
    return out;
}

/// The row of section 4.2 that a vector fits, by its own words.
std::optional<int> documented_number(const std::vector<SpecRow>& table, const StateVector& vector) {
    for (std::size_t at = 0; at < table.size(); ++at) {
        const SpecRow& row = table[at];
        if (row[1] == to_string(vector.lifecycle_phase) &&
            row[2] == to_string(vector.ownership_state) &&
            row[3] == to_string(vector.eligibility_state) &&
            allowed_reasons(row[4]).contains(std::string(to_string(vector.blocking_reason))) &&
            row[5] == to_string(vector.terminal_outcome) &&
            allowed_attempts(row[6]).contains(std::string(to_string(vector.attempt_state))) &&
            row[7] == to_string(vector.public_state))
            return static_cast<int>(at) + 1;
    }
    return std::nullopt;
}

TEST(State, TheLegalVectorsAreThoseOfTheDocument) {
    const auto table = SpecSection(kChapter, "### 4.2 Legal vectors").rows();
    ASSERT_EQ(table.size(), 17U);
    std::set<int> seen;
    StateVector v;
    for (const auto phase : all_values<LifecyclePhase>()) {
        v.lifecycle_phase = phase;
        for (const auto ownership : all_values<OwnershipState>()) {
            v.ownership_state = ownership;
            for (const auto eligibility : all_values<EligibilityState>()) {
                v.eligibility_state = eligibility;
                for (const auto reason : all_values<BlockingReason>()) {
                    v.blocking_reason = reason;
                    for (const auto outcome : all_values<TerminalOutcome>()) {
                        v.terminal_outcome = outcome;
                        for (const auto attempt : all_values<AttemptState>()) {
                            v.attempt_state = attempt;
                            v.public_state = derive_public_state(v);
                            const auto number = legal_vector_number(v);
                            if (number) seen.insert(*number);
                            // Most vectors are not legal; the slow look is for the rest and a part.
                            if (!number && (static_cast<unsigned>(reason) % 5U) != 1U) continue;
                            ASSERT_EQ(number, documented_number(table, v))
                                << to_string(phase) << ' ' << to_string(ownership) << ' '
                                << to_string(eligibility) << ' ' << to_string(reason) << ' '
                                << to_string(outcome) << ' ' << to_string(attempt);
                        }
                    }
                }
            }
        }
    }
    EXPECT_EQ(seen.size(), table.size());
}

TEST(State, EveryDocumentedVectorIsLegalAndNoOtherPublicStateIs) {
    const auto table = SpecSection(kChapter, "### 4.2 Legal vectors").rows();
    for (std::size_t at = 0; at < table.size(); ++at) {
        const SpecRow& row = table[at];
        for (const std::string& reason : allowed_reasons(row[4])) {
            for (const std::string& attempt : allowed_attempts(row[6])) {
                auto vector = StateVector::parse({.lifecycle_phase = row[1],
                                                  .ownership_state = row[2],
                                                  .eligibility_state = row[3],
                                                  .blocking_reason = reason,
                                                  .terminal_outcome = row[5],
                                                  .attempt_state = attempt,
                                                  .public_state = row[7]});
                ASSERT_TRUE(vector.has_value()) << row[0];
                EXPECT_EQ(legal_vector_number(*vector), static_cast<int>(at) + 1) << row[0];
                vector->public_state = PublicState::Resumable;
                EXPECT_FALSE(legal_vector_number(*vector).has_value()) << row[0];
            }
        }
    }
}

TEST(State, DerivesThePublicStateOfCorruptVectorsToo) {
    StateVector vector;
    vector.lifecycle_phase = LifecyclePhase::Terminal;
    vector.terminal_outcome = TerminalOutcome::None;
    EXPECT_EQ(derive_public_state(vector), PublicState::Failed);
    vector.lifecycle_phase = LifecyclePhase::Runnable;
    vector.eligibility_state = EligibilityState::NotApplicable;
    EXPECT_EQ(derive_public_state(vector), PublicState::Waiting);
    vector.lifecycle_phase = LifecyclePhase::Submitted;
    EXPECT_EQ(derive_public_state(vector), PublicState::Waiting);
    vector.lifecycle_phase = LifecyclePhase::Active;
    vector.ownership_state = OwnershipState::LeaseRevoked;
    EXPECT_EQ(derive_public_state(vector), PublicState::Active);
}

TEST(State, AVectorThatDoesNotParseNamesTheField) {
    const auto bad = StateVector::parse({.lifecycle_phase = "runnable",
                                         .ownership_state = "mine",
                                         .eligibility_state = "eligible_now",
                                         .blocking_reason = "none",
                                         .terminal_outcome = "none",
                                         .attempt_state = "none",
                                         .public_state = "waiting"});
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().code, "parse_error");
    EXPECT_EQ(bad.error().detail, (std::vector<std::string>{"ownership_state", "mine"}));
}

}  // namespace
}  // namespace ff::model
