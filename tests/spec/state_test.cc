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

/// A row of section 4.2: all the vectors it allows.
struct LegalRow {
    StateVector vector{};
    std::set<BlockingReason> reasons{};
    std::set<AttemptState> attempts{};

    bool allows(const StateVector& other) const {
        StateVector same = vector;
        same.blocking_reason = other.blocking_reason;
        same.attempt_state = other.attempt_state;
        return same == other && reasons.contains(other.blocking_reason) &&
               attempts.contains(other.attempt_state);
    }
};

LegalRow legal_row(const SpecRow& row) {
    LegalRow out;
    out.vector.lifecycle_phase = parse_state<LifecyclePhase>(row[1]).value();
    out.vector.ownership_state = parse_state<OwnershipState>(row[2]).value();
    out.vector.eligibility_state = parse_state<EligibilityState>(row[3]).value();
    out.vector.terminal_outcome = parse_state<TerminalOutcome>(row[5]).value();
    out.vector.public_state = parse_state<PublicState>(row[7]).value();
    for (const std::string& reason : allowed_reasons(row[4]))
        out.reasons.insert(parse_state<BlockingReason>(reason).value());
    for (const std::string& attempt : allowed_attempts(row[6]))
        out.attempts.insert(parse_state<AttemptState>(attempt).value());
    return out;
}

/// Takes the next value of one field out of a running number.
template <StateEnum E>
E digit(std::size_t& number) {
    const std::size_t base = state_names<E>().size();
    const std::size_t value = number % base;
    number /= base;
    return static_cast<E>(value);
}

/// The vector with that number among all there are; nothing past the last.
std::optional<StateVector> nth_vector(std::size_t number) {
    StateVector out;
    out.lifecycle_phase = digit<LifecyclePhase>(number);
    out.ownership_state = digit<OwnershipState>(number);
    out.eligibility_state = digit<EligibilityState>(number);
    out.blocking_reason = digit<BlockingReason>(number);
    out.terminal_outcome = digit<TerminalOutcome>(number);
    out.attempt_state = digit<AttemptState>(number);
    out.public_state = digit<PublicState>(number);
    if (number != 0) return std::nullopt;
    return out;
}

TEST(State, TheLegalVectorsAreThoseOfTheDocumentAndNoOther) {
    std::vector<LegalRow> table;
    for (const SpecRow& row : SpecSection(kChapter, "### 4.2 Legal vectors").rows())
        table.push_back(legal_row(row));
    ASSERT_EQ(table.size(), 17U);
    std::size_t count = 0;
    for (auto vector = nth_vector(0); vector; vector = nth_vector(++count)) {
        const auto row = std::find_if(table.begin(), table.end(),
                                      [&](const LegalRow& r) { return r.allows(*vector); });
        const auto number = legal_vector_number(*vector);
        ASSERT_EQ(number.has_value(), row != table.end()) << count;
        if (!number) continue;
        ASSERT_EQ(*number, row - table.begin() + 1) << count;
    }
    EXPECT_EQ(count, 5U * 4 * 9 * 17 * 6 * 7 * 12);
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
