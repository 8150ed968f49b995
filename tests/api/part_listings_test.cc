// Listings of what belongs to executions, read to their end while more is added to them.
#include <set>

#include "api/listing_walk.h"

namespace ff::testing {
namespace {

constexpr int kEntries = 60;

class PartListings : public ListingWalk {
  protected:
    static std::string path(const HeldTask& task, std::string_view rest) {
        return "/v1/executions/" + encode(task.execution_id) + std::string(rest);
    }
    HeldTask started(std::string_view more = "") {
        created_id(more);
        return claim_one();
    }
    /// Waits for a signal; the id of what it waits at and its token.
    std::pair<std::string, std::string> waitpoint_of(const HeldTask& task) {
        const JsonReply made = act(task, "waitpoints", R"(,"expires_in_ms":3600000)");
        EXPECT_EQ(made.status, 201) << made.body;
        return {made.text("waitpoint_id"), made.text("waitpoint_token")};
    }
    static std::string numbered(std::string_view name, int from, int count,
                                std::string_view more = "") {
        std::string list;
        for (int i = from; i < from + count; ++i) {
            list += (i == from ? "[" : ",");
            list += R"({"name":")" + std::string(name) + std::to_string(i) + "\"" +
                    std::string(more) + "}";
        }
        return list + "]";
    }
};

TEST_P(PartListings, Repair_01_AttemptsAndLeasesAreListedOnceEach) {
    const HeldTask first = started();
    const auto lose = [&] {
        act(first.execution_id, "revoke-lease", R"({"reason":"test"})");
        claimed(R"(,"wait_ms":9000)");
    };
    for (int i = 0; i < 12; ++i) lose();
    const Listing attempts{path(first, "/attempts"), "attempts", "attempt_index"};
    const Listing leases{path(first, "/lease-history"), "events", "id"};
    const std::vector<std::string> known_attempts = entries_of(attempts);
    const std::vector<std::string> known_leases = entries_of(leases);
    EXPECT_EQ(known_attempts.size(), 13U);
    EXPECT_EQ(known_leases.size(), 25U);
    const Meanwhile others(lose);
    expect_complete(attempts, known_attempts);
    expect_complete(leases, known_leases);
}

TEST_P(PartListings, Repair_01_StepsAndChildrenAreListedOnceEach) {
    const HeldTask task = started();
    const auto record = [&](int from, int count) {
        return act(task, "steps", ",\"steps\":" + numbered("s", from, count, R"(,"value":"1")"));
    };
    ASSERT_EQ(record(0, kEntries).status, 200);
    const Listing steps{path(task, "/steps"), "steps", "name", "after"};
    const std::vector<std::string> known = entries_of(steps);
    EXPECT_EQ(known.size(), static_cast<std::size_t>(kEntries));
    {
        int later = kEntries;
        const Meanwhile others([&] { record(later++, 1); });
        expect_complete(steps, known);
    }
    const std::string lane = R"(,"execution_kind":"k","lane_id":")" + own_name("-kids") + "\"";
    const JsonReply called =
        act(task, "call-children", ",\"children\":" + numbered("c", 0, kEntries, lane));
    ASSERT_EQ(called.status, 200) << called.body;
    const Listing children{path(task, "/children"), "children", "name", "after"};
    const std::vector<std::string> calls = entries_of(children);
    EXPECT_EQ(calls.size(), static_cast<std::size_t>(kEntries));
    const Meanwhile others([&] {
        const JsonReply child = world().post(
            "/v1/workers/kid/tasks/claim",
            R"({"worker_instance_id":"kid-1","lanes":[")" + own_name("-kids") + R"("]})");
        for (const HeldTask& one : read_tasks(child)) act(one, "complete");
    });
    expect_complete(children, calls);
}

TEST_P(PartListings, Repair_01_SignalsAndWaitpointsAreListedOnceEach) {
    const HeldTask task = started();
    const auto [waitpoint, token] = waitpoint_of(task);
    const auto send = [&, at = R"("waitpoint_id":")" + waitpoint + R"(","waitpoint_token":")" +
                               token + "\""] {
        return act(task.execution_id, "signal", R"({"signal_name":"go",)" + at + "}").status;
    };
    for (int i = 0; i < kEntries; ++i) ASSERT_EQ(send(), 200);
    const Listing all{path(task, "/signals"), "signals", "signal_id", "after"};
    const Listing of_one{path(task, "/waitpoints/" + waitpoint + "/signals"), "signals", "entry_id",
                         "after"};
    const std::vector<std::string> known = entries_of(all);
    const std::vector<std::string> known_of_one = entries_of(of_one);
    EXPECT_EQ(known.size(), static_cast<std::size_t>(kEntries));
    EXPECT_EQ(known_of_one.size(), static_cast<std::size_t>(kEntries));
    {
        const Meanwhile others([&] { send(); });
        expect_complete(all, known);
        expect_complete(of_one, known_of_one);
    }
    std::vector<std::string> open{waitpoint};
    for (int i = 1; i < kEntries; ++i) open.push_back(waitpoint_of(task).first);
    const Meanwhile others([&] { waitpoint_of(task); });
    expect_complete({path(task, "/pending-waitpoints"), "waitpoints", "waitpoint_id", "after"},
                    open);
}

TEST_P(PartListings, Repair_01_ApprovalsAreListedOnceEach) {
    const auto ask = [&](int due) {
        const std::string due_at = due == 0 ? "" : R"(,"due_at":50000000000)" + std::to_string(due);
        created_id();
        const HeldTask task = claim_one();
        const JsonReply asked = act(
            task, "suspend", R"(,"signals":["go"],"approval":{"prompt":"Well?")" + due_at + "}");
        EXPECT_EQ(asked.status, 200) << asked.body;
        return task.execution_id;
    };
    std::vector<std::string> mine;
    // Most are due at the same time, or at none.
    for (int i = 0; i < kEntries; ++i) mine.push_back(ask(i % 6 == 0 ? 10 + i : i % 2 * 10));
    const Meanwhile others([&] { ask(0); });
    constexpr int kPages[] = {1, 7, 50, 200};
    expect_complete({"/v1/approvals?namespace=" + own_name(), "approvals", "execution_id"}, mine,
                    kPages);
    expect_complete({"/v1/approvals", "approvals", "execution_id"}, mine, kPages);
}

TEST_P(PartListings, Repair_01_FramesAndOperatorsActionsAreListedOnceEach) {
    const HeldTask task = started();
    const auto append = [&](int count) {
        std::string frames;
        for (int i = 0; i < count; ++i)
            frames += (i == 0 ? "" : ",") + std::string(R"({"frame_type":"log","payload":"x"})");
        return act(task, "attempts/0/stream", R"(,"frames":[)" + frames + "]").status;
    };
    ASSERT_EQ(append(kEntries), 200);
    for (int i = 0; i < kEntries; ++i) act(task.execution_id, "release-hold", "{}");
    const Listing of_attempt{path(task, "/attempts/0/stream/tail"), "frames", "id", "after",
                             "next"};
    const Listing merged{path(task, "/stream"), "frames", "id", "cursor", "next"};
    const Listing audit{"/v1/admin/audit", "events", "id", "after", "next"};
    const std::vector<std::string> frames = entries_of(of_attempt);
    const std::vector<std::string> actions = entries_of(audit);
    EXPECT_EQ(frames.size(), static_cast<std::size_t>(kEntries));
    EXPECT_GE(actions.size(), static_cast<std::size_t>(kEntries));
    const Meanwhile others([&] {
        append(1);
        act(task.execution_id, "release-hold", "{}");
    });
    expect_complete(of_attempt, frames);
    expect_complete(merged, frames);
    expect_complete(audit, actions);
}

/// Whoever adds a listing adds it to these tests.
TEST_P(PartListings, Repair_01_NoListingIsForgotten) {
    std::set<std::string> paged;
    for (const api::Route& route : world().instance().routes().all()) {
        for (const api::FieldDoc& parameter : route.doc.query)
            if (parameter.name == "limit") paged.insert(route.pattern);
    }
    const std::set<std::string> walked{"/v1/admin/audit",
                                       "/v1/approvals",
                                       "/v1/budgets",
                                       "/v1/executions",
                                       "/v1/executions/{id}/attempts",
                                       "/v1/executions/{id}/attempts/{idx}/stream/tail",
                                       "/v1/executions/{id}/children",
                                       "/v1/executions/{id}/lease-history",
                                       "/v1/executions/{id}/pending-waitpoints",
                                       "/v1/executions/{id}/signals",
                                       "/v1/executions/{id}/steps",
                                       "/v1/executions/{id}/stream",
                                       "/v1/executions/{id}/waitpoints/{wp}/signals",
                                       "/v1/flows",
                                       "/v1/flows/{id}/edges",
                                       "/v1/flows/{id}/graph",
                                       "/v1/flows/{id}/members",
                                       "/v1/quotas",
                                       "/v1/workers"};
    // These go on from any entry or end with the client: chapter 04 has scenarios of their own.
    std::set<std::string> others{"/v1/executions/{id}/attempts/{idx}/stream",
                                 "/v1/executions/{id}/attempts/{idx}/stream/sse",
                                 "/v1/streams/{families}"};
    others.insert(walked.begin(), walked.end());
    EXPECT_EQ(paged, others);
}

INSTANTIATE_TEST_SUITE_P(Stores, PartListings, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
