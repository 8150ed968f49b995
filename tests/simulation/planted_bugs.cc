#include "simulation/planted_bugs.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "model/library.h"

namespace ff::simulation {
namespace {

using Place = PlantedBug::Place;

// Those that this product once had come first.
constexpr PlantedBug kBugs[] = {
    {.name = "payload-lost-in-batches",
     .rule = "a loop over what a call has collected ends early and leaves out its last "
             "command",
     .until = "0103392",
     .right = "    for i = 1, list.n do\n        issue.command(list[i])",
     .wrong = "    for i = 1, list.n do\n        if list.n < 8 or i < list.n then "
              "issue.command(list[i]) end"},
    {.name = "creation-lost",
     .rule = "the fifth creation of a batch is acknowledged and not written",
     .until = "0103392",
     .right = "    local reply = creation.write(u, a)\n    earlier[e] = reply",
     .wrong = "    local reply = i == 5 and {1, \"OK\", e, \"waiting\"} or creation.write(u, a)\n"
              "    earlier[e] = reply"},
    {.name = "repetition-not-known",
     .rule = "a worker that ends its task again after a lost answer is refused",
     .until = "d7efb0f",
     .right = "        c.last_release_lease_id or \"\", c.delay_until or \"\")",
     .wrong = "        \"\", c.delay_until or \"\")"},
    {.name = "suspension-sent-again-refused",
     .rule = "a suspension that is sent again after a lost answer is refused",
     .until = "d7efb0f",
     .right = "    if first then return first end\n    lease.check(u, e, c, fence",
     .wrong = "    lease.check(u, e, c, fence"},
    {.name = "frames-sent-again-refused",
     .rule = "frames that are sent again when the lease has ended are refused",
     .until = "d7efb0f",
     .right = "    if not all_repeated(s, epoch, frames) then frame.check_owner",
     .wrong = "    if true then frame.check_owner"},
    {.name = "unbegun-comes-as-resumed",
     .rule = "work that was given back unbegun comes as one to go on with",
     .until = "31c7d28",
     .right = "    if paused[1] ~= attempt.RETURNED then",
     .wrong = "    if paused[1] then"},
    {.name = "revocation-forgets-lane",
     .rule = "a revoked lease keeps its old time in the lane's index",
     .until = "98a76a9",
     .right =
         "    unit.zadd(u, keys.lane(u.tag, c.lane_id, \"active\"), u.now, e)\n    stream.close",
     .wrong = "    stream.close"},
    {.name = "resolved-edge-kept",
     .rule = "an edge that is applied and resolved in one call stays among those to resolve",
     .until = "1f3f545",
     .right = "    unit.srem(u, keys.deps_unresolved(tag, r.child), r.edge)",
     .wrong = "    unit.record(u, {\"SREM\", keys.deps_unresolved(tag, r.child), r.edge})"},
    {.name = "usage-counted-twice",
     .rule = "usage that is sent again counts again",
     .until = "d7efb0f",
     .right = "    if dedup_key and call(\"EXISTS\", dedup_key) == 1 then return {1, "
              "\"ALREADY_APPLIED\"} end\n",
     .wrong = ""},
    {.name = "usage-refused-after-expiry",
     .rule = "usage that was counted is refused when it is sent again behind its lease",
     .until = "d7efb0f",
     .right = "    if dedup_key and call(\"EXISTS\", dedup_key) == 1 then return",
     .wrong = "    if dedup_key and call(\"EXISTS\", dedup_key) == 1 and c.current_lease_id == "
              "lease_id and number_of(c.lease_expires_at) > u.now then return"},
    {.name = "delay-answer-forgotten",
     .rule = "a delay that is sent again after a lost answer is refused",
     .until = "d7efb0f",
     .right = "    act(u, e, c, set, delay_until)\n    set.last_release_answer = delay_until",
     .wrong = "    act(u, e, c, set, delay_until)"},
    {.name = "lane-of-1970",
     .rule = "a lane is stamped with the number of arguments",
     .until = "ed342b7",
     .right = "    local now = text(admission.store_now())\n    fields[#fields + 1] = "
              "\"updated_at\"",
     .wrong = "    local now = text(#argv)\n    fields[#fields + 1] = \"updated_at\""},
    {.name = "missing-file-taken-for-new",
     .rule = "a store without one of its files opens as if it had never had it",
     .until = "36f1100",
     .place = Place::MissingTakenForNew},
    {.name = "cut-log-taken-for-torn",
     .rule = "a log that was cut behind acknowledged records is taken for a torn write",
     .until = "36f1100",
     .place = Place::CutTakenForTorn},
    {.name = "time-goes-back",
     .rule = "a lease that has expired is honoured again when the clock is set back",
     .until = "e528afe",
     .right =
         "        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)\n    end\n"
         "    local lists",
     .wrong = "        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)\n"
              "        if now % 8000 < 3000 then now = now - 4000 end\n    end\n    local lists"},
    {.name = "new-edge-ignored",
     .rule = "work that is given back unbegun does not ask for the edges it got meanwhile",
     .until = "1f3f545",
     .right = "    local gate = flow.gate(u.tag, e, c)\n    if gate == \"impossible\" then return "
              "finish.skip",
     .wrong = "    local gate = \"open\"\n    if gate == \"impossible\" then return finish.skip"},
    {.name = "replay-forgets-late-edges",
     .rule = "a replayed member is not released by the edges that came after its end",
     .until = "1f3f545",
     .right = "plan.edges = (plan.was_skipped and review or look_again)(tag, e, c)",
     .wrong = "if plan.was_skipped or flow.gate(tag, e, c) == \"impossible\" then plan.edges = "
              "review(tag, e, c) end"},
    {.name = "cancel-done-twice",
     .rule = "the time at which a cancel was done moves when it is sent again",
     .until = "1f3f545",
     .right = "if call(\"EXISTS\", key) == 1 and not flow_core.get(key, \"cancel_completed_at\") "
              "then",
     .wrong = "if call(\"EXISTS\", key) == 1 then"},
    {.name = "spent-not-counted",
     .rule = "what was spent beyond a limit is not counted",
     .until = "6876c21",
     .right = "add_up(c, loaded, advisory or c.is_spent)",
     .wrong = "add_up(c, loaded, advisory)"},
    {.name = "closing-signal-not-matched",
     .rule = "the signal that meets a condition is not written to its matchers",
     .until = "0018d02",
     .right = "    if not state.read then condition.save(u, e, s.waitpoint_id, state) end\n",
     .wrong = ""},
    {.name = "failure-answer-forgotten",
     .rule = "a failure that is sent again after a lost answer is refused",
     .until = "d7efb0f",
     .right = "        set.last_release_answer = detail\n",
     .wrong = ""},
    {.name = "retry-answer-forgotten",
     .rule = "a failure that led to a retry is refused when it is sent again",
     .until = "d7efb0f",
     .right = "    lease.release(u, e, c, set, how.release_reason)\n    set.last_release_answer = "
              "delay_until\n",
     .wrong = "    lease.release(u, e, c, set, how.release_reason)\n"},
    {.name = "admission-used-twice",
     .rule = "two admissions of one execution are used, and the one that is void frees the place "
             "of the other",
     .until = "b83e483",
     .right = "    if epoch and epoch ~= number_of(c.admission_epoch) + 1 then return "
              "\"stale_admission\" end\n",
     .wrong = ""},
    {.name = "late-release-frees-place",
     .rule = "a release that is late frees the place of a later run",
     .until = "b83e483",
     .right = "return math.max(noted, guard_epoch(checked.call(\"GET\", guard))) > epoch",
     .wrong = "return false"},
    {.name = "revocation-frees-place",
     .rule = "a revoked lease gives its place back, and whoever takes the work over has none",
     .until = "b83e483",
     .right = "    disarm(u, e, c, set)\n    leave_owner(u, e, c)",
     .wrong = "    disarm(u, e, c, set)\n    lease.give_back_quota(u, e, c, set)\n"
              "    leave_owner(u, e, c)"},
    {.name = "given-up-reads-as-reclaimed",
     .rule = "the stream of work that was reclaimed too often ends as if somebody went on with it",
     .until = "808b0e4",
     .right = "failure_reason = \"max_reclaims_exceeded\"}, closed_reason = "
              "\"max_reclaims_exceeded\"",
     .wrong = "failure_reason = \"max_reclaims_exceeded\"}, closed_reason = \"reclaimed\""},
    {.name = "memory-without-limit",
     .rule = "a store whose memory is full takes more work",
     .until = "f051cf7",
     .place = Place::MemoryUnlimited},
    {.name = "leap-believed",
     .rule = "the store's time follows a clock that leaps",
     .until = "b032214",
     .place = Place::LeapBelieved},
    {.name = "timers-not-held",
     .rule = "deadlines and timeouts end work right behind a leap over a restart",
     .until = "b032214",
     .place = Place::TimersNotHeld},
    {.name = "leases-end-with-a-leap",
     .rule = "all leases have expired when a store comes back",
     .until = "b032214",
     .place = Place::LeasesNotHeld},
    {.name = "log-removed-unnoticed",
     .rule = "a store whose log is taken away goes on acknowledging",
     .until = "36f1100",
     .place = Place::RemovedUnnoticed},
    {.name = "budget-limit-passed",
     .rule = "a report may take a strict budget past its limit",
     .right = "dimension.total > dimension.hard then\n            return dimension",
     .wrong = "dimension.before > dimension.hard then\n            return dimension"},
    {.name = "quota-place-not-counted",
     .rule = "a place of a quota is given and not counted",
     .right = "        call(\"SET\", names.concurrency, text(round.held))",
     .wrong = ""},
    {.name = "fence-not-compared",
     .rule = "a worker acts under whatever lease there is, not only under its own",
     .right = "if fenced then lease.check_owner(c, lease_id, epoch, attempt_id) end",
     .wrong = ""},
    {.name = "expiry-not-looked-at",
     .rule = "a lease that has expired and was not marked yet still counts",
     .right = "    if not core.lease_is_over(u.now, number_of(c.lease_expires_at)) then return "
              "end\n    if marks then",
     .wrong = "    if true then return end\n    if marks then"},
    {.name = "claim-sent-again-takes-more",
     .rule = "a claim that is sent again takes other work",
     .right = "    if recalled then return {1, \"DUPLICATE\"",
     .wrong = "    if not recalled and recalled then return {1, \"DUPLICATE\""},
    {.name = "signal-counted-twice",
     .rule = "a signal that is sent again counts again",
     .right = "function signal.duplicate(u, s)\n",
     .wrong = "function signal.duplicate(u, s)\n    if true then return nil end\n"},
    {.name = "token-not-checked",
     .rule = "whoever knows a waitpoint may signal it",
     .right = "fault = token.fault(u, lacks_secrets, s.token, record)",
     .wrong = "fault = nil"},
    {.name = "key-names-two",
     .rule = "an idempotency key that was used makes another execution",
     .right = "        if existing then return nil, {1, \"DUPLICATE\", existing, state} end",
     .wrong = ""},
    {.name = "gate-opens-early",
     .rule = "a dependency that failed opens the gate like one that succeeded",
     .right =
         "    if kind == \"always\" or outcome == \"success\" then return true, \"succeeded\" end",
     .wrong =
         "    if kind == \"always\" or outcome ~= \"skipped\" then return true, \"succeeded\" end"},
    {.name = "cancelled-twice",
     .rule = "an execution that has ended can be cancelled",
     .right = "    if c.lifecycle_phase == \"terminal\" then core.refuse_not_active(c) end\n"
              "    cancellation.check_lease",
     .wrong = "    cancellation.check_lease"},
    {.name = "suspension-never-times-out",
     .rule = "a suspension whose time has come stays",
     .right =
         "    if number_of(record.timeout_at) > u.now then return {1, \"OK\", \"not_yet_due\"} end",
     .wrong = "    if number_of(record.timeout_at) + 3600000 > u.now then return {1, \"OK\", "
              "\"not_yet_due\"} end"},
    {.name = "frame-appended-twice",
     .rule = "frames that are sent again are appended again",
     .right = "    return seq and number_of(s.meta.last_client_epoch) == epoch and "
              "is_set(s.meta.last_client_seq)",
     .wrong = "    return false and number_of(s.meta.last_client_epoch) == epoch and "
              "is_set(s.meta.last_client_seq)"},
    {.name = "feed-skips-ordinals",
     .rule = "of the entries that a call adds to the feed only the first gets its own number",
     .right = "last - count + i, u.now, entries",
     .wrong = "last - count + 1, u.now, entries"},
    {.name = "revoked-lease-counts",
     .rule = "a revoked lease still counts until somebody takes over",
     .right = "    if c.ownership_state == \"lease_revoked\" then refuse(\"lease_revoked\") end\n"
              "    if not core.lease_is_over",
     .wrong = "    if not core.lease_is_over"},
    {.name = "epoch-stands-still",
     .rule = "a new lease has the epoch of the last one",
     .right = "local epoch = number_of(c.current_lease_epoch) + 1",
     .wrong = "local epoch = math.max(1, number_of(c.current_lease_epoch))"},
    {.name = "result-not-written",
     .rule = "a completion says that there is a result and does not write it",
     .right =
         "unit.record(u, issue.store(keys.execution_head(u.tag), e, \":result\", result, at + 4))",
     .wrong = ""},
    {.name = "end-not-told",
     .rule = "an effect is dropped: the feed does not tell of ends",
     .right = "        feed.add(u, \"completion,lease_history\", e, c, fields)",
     .wrong = ""},
    {.name = "short-delays-ignored",
     .rule = "what is delayed by less than two seconds runs at once",
     .right = "    elseif (a.delay_until or 0) > u.now then\n        vector.runnable",
     .wrong = "    elseif (a.delay_until or 0) > u.now + 2000 then\n        vector.runnable"},
    {.name = "quorum-takes-failures",
     .rule = "a dependency that failed counts for a quorum",
     .right = "    if g.succeeded >= k then return \"satisfied\" end",
     .wrong = "    if g.succeeded + g.failed >= k then return \"satisfied\" end"},
    {.name = "lane-index-keeps-released",
     .rule = "giving a lease up does not touch the lane's index of active work",
     .right = "    unit.zrem(u, keys.lane(u.tag, c.lane_id, \"active\"), e)\n    leave_owner",
     .wrong = "    leave_owner"},
    {.name = "renewal-forgets-index",
     .rule = "a renewal moves the lease and not its entry among those that expire",
     .right = "    unit.zadd(u, keys.index(tag, \"lease_expiry\"), expires_at, e)\n"
              "    unit.due(u, \"lease_expiry\", expires_at)\n"
              "    unit.zadd(u, keys.lane(tag, c.lane_id, \"active\"), expires_at, e)",
     .wrong = ""},
    {.name = "signal-not-kept",
     .rule = "a signal is acknowledged and left out of the waitpoint's list",
     .right = "    unit.record(u, {\n        \"XADD\", keys.waitpoint_signals",
     .wrong =
         "    local keep = unit.record\n    if s.signal_name == \"go\" then keep = function() end "
         "end\n    keep(u, {\n        \"XADD\", keys.waitpoint_signals"},
    {.name = "frame-of-a-zombie",
     .rule = "frames are taken from whoever had the lease before",
     .right = "or number_of(c[4]) ~= s.index or c[5] ~= lease_id or number_of(c[6]) ~= epoch then",
     .wrong = "then"},
    {.name = "terminal-not-listed",
     .rule = "an end does not enter the lane's list of ended work",
     .right = "    unit.zadd(u, keys.lane(u.tag, c.lane_id, \"terminal\"), u.now, e)\n    if is_set"
              "(c.retention_ms)",
     .wrong = "    if is_set(c.retention_ms)"},
    {.name = "retry-loses-its-place",
     .rule = "a retry is counted and put into no index",
     .right = "        unit.zadd(u, keys.lane(u.tag, c.lane_id, \"delayed\"), delay_until, e)\n"
              "        unit.due(u, \"delayed\", delay_until, c.lane_id)\n    else",
     .wrong = "    else"},
    {.name = "step-value-replaced",
     .rule = "a step that is recorded again gets another value",
     .right = "        if not told[i] and not seen[step.name] then",
     .wrong = "        if not seen[step.name] then"},
    {.name = "name-calls-two",
     .rule = "a name that is called again by a later lease calls another child",
     .right = "        local id = known[2 * i - 1] or id_of(u.tag, e, c, child.name)\n",
     .wrong = "        known = NONE\n"
              "        local id = id_of(u.tag, e, c, child.name .. c.current_lease_epoch)\n"},
    {.name = "caller-goes-on-early",
     .rule = "whoever called goes on when one of its children has not ended yet",
     .right = "elseif call(\"SCARD\", keys.children_pending(tag, parent)) == 1 then",
     .wrong = "elseif call(\"SCARD\", keys.children_pending(tag, parent)) <= 2 then"},
    {.name = "answered-too-early",
     .rule = "replies leave before their writes are stored",
     .place = Place::AnsweredTooEarly},
    {.name = "names-not-synced",
     .rule = "files of the journal are made and their folder is not synced",
     .place = Place::FolderNotSynced},
    {.name = "sync-skipped",
     .rule = "a sync of the log is answered and not done",
     .place = Place::SyncSkipped},
};

constexpr std::ptrdiff_t kLeast = 20;
constexpr auto kHistorical =
    std::ranges::count_if(kBugs, [](const PlantedBug& bug) { return !bug.until.empty(); });
static_assert(std::ssize(kBugs) >= kLeast && 2 * kHistorical >= std::ssize(kBugs),
              "at least half of all planted bugs are ones that this product once had");

}  // namespace

std::span<const PlantedBug> planted_bugs() {
    return kBugs;
}

const PlantedBug* find_planted(std::string_view name) {
    const auto found = std::ranges::find(kBugs, name, &PlantedBug::name);
    return found == std::end(kBugs) ? nullptr : &*found;
}

std::string library_with(const PlantedBug* bug) {
    std::string text = model::library_text();
    if (bug == nullptr || bug->place != Place::Library) return text;
    const std::size_t at = text.find(bug->right);
    // A rule that is written in another way now needs another bug.
    FF_ASSERT(at != std::string::npos && text.find(bug->right, at + 1) == std::string::npos);
    return text.replace(at, bug->right.size(), bug->wrong);
}

}  // namespace ff::simulation
