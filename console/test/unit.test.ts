// Built by unit.mjs, run by node's own test runner.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commentOf, counted } from "../src/lib/approvals";
import { runBulk, split, stateCounts } from "../src/lib/bulk";
import { examine, type ServerFacts } from "../src/lib/checks";
import { fingerprint, groupFailures, trend } from "../src/lib/failures";
import { filterText, parseFilter } from "../src/lib/filter";
import { nodeTimes } from "../src/lib/flowtimes";
import { stateAfter } from "../src/lib/follow";
import { formAnswer, formFields } from "../src/lib/form";
import { bytes, count, short, shortId } from "../src/lib/format";
import { hexDump } from "../src/lib/hex";
import { history } from "../src/lib/history";
import { criticalPath, layout, NODE_HEIGHT } from "../src/lib/layers";
import { plan } from "../src/lib/listing";
import { byLabel, parseMetrics, total } from "../src/lib/metrics";
import { judge, type LaneOverview, type Overview, together } from "../src/lib/overview";
import { href, parsePlace } from "../src/lib/router";
import { SseParser } from "../src/lib/sse";
import { duration, exact, relative } from "../src/lib/time";
import type { Attempt, ExecutionInfo, Explanation, FeedEvent, FlowEdge, FlowNode, LeaseEvent } from "../src/lib/types";
import { totalUsage } from "../src/lib/usage";
import { ticks, waterfall } from "../src/lib/waterfall";
import { why } from "../src/lib/why";

test("a filter line survives being read and written", () => {
    const line = 'state:failed lane:email kind:"send mail" ns:prod tag:tenant:acme';
    const { filter, problems } = parseFilter(line);
    assert.deepEqual(problems, []);
    assert.deepEqual(filter, { state: "failed", lane: "email", kind: "send mail", namespace: "prod", tag: "tenant:acme" });
    assert.deepEqual(parseFilter(filterText(filter)).filter, filter);
});

test("a filter that means nothing is named", () => {
    assert.match(parseFilter("stat:failed").problems[0]!, /stat:failed/);
    assert.match(parseFilter("state:broken").problems[0]!, /broken/);
    assert.match(parseFilter("tag:tenant").problems[0]!, /key and a value/);
    assert.match(parseFilter("lane:a lane:b").problems[0]!, /twice/);
    assert.deepEqual(parseFilter("state:").filter, {});
});

test("an approval's form becomes fields, and what is filled in gets the types of its schema", () => {
    const form = {
        type: "object",
        required: ["sum", "why"],
        properties: {
            sum: { type: "number", title: "Amount", default: 12.5 },
            why: { type: "string", description: "For the books." },
            level: { enum: ["low", 2] },
            sure: { type: "boolean" },
            parts: { type: "array" },
        },
    };
    assert.deepEqual(
        formFields(form).map((field) => [field.name, field.label, field.kind, field.value, field.choices]),
        [
            ["sum", "Amount", "number", "12.5", undefined],
            ["why", "why", "text", undefined, undefined],
            ["level", "level", "choice", undefined, ["", "low", "2"]],
            ["sure", "sure", "choice", undefined, ["", "yes", "no"]],
            ["parts", "parts", "area", undefined, undefined],
        ],
    );
    const given = { sum: "3.5", why: "late", level: "2", sure: "no", parts: "[1]" };
    assert.deepEqual(formAnswer(form, given), { sum: 3.5, why: "late", level: 2, sure: false, parts: [1] });
    assert.deepEqual(formAnswer(form, { sum: "1", why: "x" }), { sum: 1, why: "x" });
    assert.throws(() => formAnswer(form, { ...given, why: " " }), /“why” is needed/);
    assert.throws(() => formAnswer(form, { ...given, sum: "many" }), /“Amount” takes a number/);
    assert.throws(() => formAnswer(form, { ...given, parts: "[" }), /“parts” takes JSON/);
    for (const nothing of [undefined, null, [], "x", {}, { properties: 1 }, { properties: { a: null } }])
        assert.ok(formFields(nothing).length <= 1 && formAnswer(nothing, {}));
});

test("a state with an index is read from the lanes, anything else newest first", () => {
    assert.deepEqual(plan({ state: "active" }, ["a", "b"]).paths, [
        "/v1/executions?lane=a&state=active",
        "/v1/executions?lane=b&state=active",
    ]);
    assert.deepEqual(plan({ state: "failed" }, ["a"]).paths, ["/v1/executions?order=newest&state=terminal"]);
    const { keep } = plan({ state: "failed", kind: "x" }, []);
    const row = {
        execution_id: "1",
        namespace: "default",
        lane_id: "a",
        execution_kind: "x",
        public_state: "failed" as const,
        priority: 0,
        created_at: 0,
    };
    assert.equal(keep(row), true);
    assert.equal(keep({ ...row, public_state: "completed" }), false);
    assert.equal(keep({ ...row, execution_kind: "y" }), false);
});

test("times are read at a glance", () => {
    assert.equal(duration(840), "840 ms");
    assert.equal(duration(1_500), "1.5 s");
    assert.equal(duration(125_000), "2 min 5 s");
    assert.equal(duration(3_600_000), "1 h");
    assert.equal(relative(1_000, 13_500), "12 s ago");
    assert.equal(relative(260_000, 0), "in 4 min");
    assert.equal(relative(1_000, 1_400), "now");
    assert.equal(exact(1_700_000_000_123, "utc"), "2023-11-14 22:13:20.123 UTC");
});

test("figures keep their width", () => {
    assert.equal(count(1_234_567), "1\u202f234\u202f567");
    assert.equal(short(12_400), "12.4 k");
    assert.equal(short(2_500_000), "2.5 M");
    assert.equal(bytes(1_536), "1.5 KiB");
    assert.equal(shortId("{fp:7}:2d361b8f-5151-53c6-ae6a-e872bb548f5a"), "e872bb548f5a");
});

test("events arrive whole in whatever pieces they come", () => {
    const text = 'retry: 2000\n\n: hb\n\nevent: completion\ndata: {"a":1}\n\nevent: checkpoint\nid: c1\ndata: {}\r\n\r\n';
    for (let cut = 0; cut <= text.length; cut += 1) {
        const parser = new SseParser();
        const found = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
        assert.deepEqual(found, [
            { event: "completion", data: '{"a":1}', id: undefined },
            { event: "checkpoint", data: "{}", id: "c1" },
        ]);
    }
});

test("an address keeps what it is given", () => {
    const id = "{fp:7}:2d361b8f-5151";
    const place = parsePlace(href(["executions", id], { q: "tag:a:b c", tab: null }));
    assert.deepEqual(place.path, ["executions", id]);
    assert.equal(place.query.get("q"), "tag:a:b c");
    assert.equal(place.query.get("tab"), null);
    assert.deepEqual(parsePlace("#/x/%E0%A4").path, ["x", "%E0%A4"]);
});

const info = (more: Partial<ExecutionInfo>): ExecutionInfo => ({
    execution_id: "e",
    namespace: "default",
    lane_id: "a",
    execution_kind: "k",
    public_state: "completed",
    priority: 0,
    created_at: 1_000,
    state_vector: {},
    current_attempt_index: 0,
    total_attempt_count: 0,
    flow_id: null,
    blocking_detail: "",
    ...more,
});
const attempt = (more: Partial<Attempt>): Attempt => ({
    attempt_index: 0,
    attempt_id: "a",
    attempt_type: "initial",
    attempt_state: "ended_success",
    created_at: 2_000,
    started_at: 2_000,
    ...more,
});
const lease = (more: Partial<LeaseEvent>): LeaseEvent => ({
    id: "1-1",
    event: "acquired",
    ts: 2_000,
    attempt_index: 0,
    worker_id: "w",
    worker_instance_id: "w-1",
    lease_id: "l",
    ...more,
});

test("a waterfall tells waiting, leases, suspensions and waits between attempts apart", () => {
    const data = waterfall(
        info({ completed_at: 9_000, total_attempt_count: 2 }),
        [
            attempt({ ended_at: 5_000, attempt_state: "ended_failure" }),
            attempt({ attempt_index: 1, created_at: 7_000, started_at: 7_000, ended_at: 9_000 }),
        ],
        [
            lease({}),
            lease({ event: "released", ts: 3_000, reason: "suspend" }),
            lease({ ts: 4_000 }),
            lease({ event: "released", ts: 5_000, reason: "failed" }),
            lease({ attempt_index: 1, ts: 7_000 }),
            lease({ attempt_index: 1, event: "released", ts: 9_000, reason: "completed" }),
        ],
        [{ signal_id: "s", signal_name: "go", accepted_at: 3_900 }],
        99_000,
    );
    assert.equal(data.to, 9_000);
    assert.equal(data.running, false);
    assert.deepEqual(
        data.rows.map((row) => row.bars.map((bar) => [bar.kind, bar.from, bar.to])),
        [
            [["queued", 1_000, 2_000]],
            [
                ["leased", 2_000, 3_000],
                ["suspended", 3_000, 4_000],
                ["leased", 4_000, 5_000],
                ["delayed", 5_000, 7_000],
            ],
            [["leased", 7_000, 9_000]],
        ],
    );
    assert.deepEqual(data.rows[1]!.marks, [{ at: 3_900, label: "signal go" }]);
});

test("a waterfall of what has not begun or goes on reaches to now", () => {
    const waiting = waterfall(info({ public_state: "waiting" }), [], [], [], 5_000);
    assert.equal(waiting.to, 5_000);
    assert.deepEqual(waiting.rows[0]!.bars[0], { from: 1_000, to: undefined, kind: "queued", label: "waits for a worker" });
    const lost = waterfall(
        info({ public_state: "active" }),
        [attempt({})],
        [lease({}), lease({ event: "expired", ts: 3_000 }), lease({ event: "reclaimed", ts: 4_000 })],
        [],
        6_000,
    );
    assert.deepEqual(
        lost.rows[1]!.bars.map((bar) => [bar.kind, bar.to]),
        [
            ["lost", 3_000],
            ["leased", undefined],
        ],
    );
});

test("a waterfall draws a few steps as rows and many as marks, and the children whose times are known", () => {
    const step = (name: string, recorded_at: number) => ({ name, attempt_index: 0, recorded_at });
    const child = { name: "part", execution_id: "c", outcome: "success", info: info({ started_at: 2_600, completed_at: 2_900 }) };
    const few = waterfall(
        info({ completed_at: 5_000 }),
        [attempt({ ended_at: 5_000 })],
        [],
        [],
        9_000,
        [step("a", 2_500), step("b", 3_000)],
        [child, { name: "later", execution_id: "d", outcome: null }],
    );
    assert.deepEqual(
        few.rows.slice(2).map((row) => [row.label, row.child, row.bars.map((bar) => [bar.kind, bar.from, bar.to])]),
        [
            ["a", undefined, [["step", 2_000, 2_500]]],
            ["b", undefined, [["step", 2_500, 3_000]]],
            [
                "part",
                "c",
                [
                    ["queued", 1_000, 2_600],
                    ["leased", 2_600, 2_900],
                ],
            ],
        ],
    );
    const many = waterfall(
        info({ completed_at: 5_000 }),
        [attempt({ ended_at: 5_000 })],
        [],
        [],
        9_000,
        Array.from({ length: 50 }, (_, at) => step(`s${at}`, 2_000 + at)),
    );
    assert.equal(many.rows.length, 2);
    assert.equal(many.rows[1]!.marks.length, 50);
});

test("a history has everything but renewals, the latest first", () => {
    const found = history(
        info({ completed_at: 5_000, public_state: "failed", failure_reason: "boom" }),
        [attempt({ ended_at: 5_000, failure_reason: "boom", failure_category: "broken" })],
        [lease({}), lease({ event: "renewed", ts: 2_500 }), lease({ event: "released", ts: 5_000, reason: "failed" })],
        [{ signal_id: "s", signal_name: "go", accepted_at: 3_900, source_identity: "maria" }],
        [{ name: "load", attempt_index: 0, recorded_at: 3_000 }],
    );
    assert.deepEqual(
        found.map((one) => one.what),
        ["failed", "attempt failed", "lease released", "signal go", "step load", "lease acquired", "created"],
    );
    assert.equal(found[1]!.about, "broken: boom");
});

test("usage is summed over attempts, without the number of the report", () => {
    const first = attempt({ "usage.tokens": "40", "usage.last_usage_report_seq": "3" });
    assert.deepEqual(totalUsage([first, attempt({ attempt_index: 1, "usage.tokens": "2", "usage.usd_cents": "1" })]), {
        tokens: 42,
        usd_cents: 1,
    });
});

test("answers are counted where it takes more than one", () => {
    const condition = (minimum: number, remaining: number, mode = "any") => ({
        condition_type: "signal_set",
        match_mode: mode,
        resume_condition_json: JSON.stringify({ minimum_signal_count: minimum }),
        remaining,
        matchers: [
            { name: "approved", satisfied: true },
            { name: "approved", satisfied: false },
        ],
    });
    assert.deepEqual(counted(condition(2, 1)), { have: 1, need: 2 });
    assert.deepEqual(counted(condition(0, 2, "all")), { have: 0, need: 2 });
    assert.equal(counted(condition(1, 1)), undefined);
    assert.equal(counted({ ...condition(2, 1), remaining: null }), undefined);
});

const listed = (execution_id: string, public_state: "waiting" | "active" | "failed" = "waiting") => ({
    execution_id,
    namespace: "default",
    lane_id: "a",
    execution_kind: "k",
    public_state,
    priority: 0,
    created_at: 0,
});

test("many are told apart by whether they have ended", () => {
    const rows = [listed("1"), listed("2", "failed"), listed("3"), listed("4", "active")];
    assert.deepEqual(
        split(rows, "cancel").fit.map((one) => one.execution_id),
        ["1", "3", "4"],
    );
    assert.deepEqual(
        split(rows, "replay").fit.map((one) => one.execution_id),
        ["2"],
    );
    assert.deepEqual(stateCounts(split(rows, "cancel").fit), [
        ["waiting", 2],
        ["active", 1],
    ]);
});

test("a refusal among many is noted and stops nothing, an abort stops what has not begun", async () => {
    const rows = Array.from({ length: 20 }, (_, at) => listed(String(at)));
    const asked: string[] = [];
    const all = await runBulk(
        rows,
        async (id) => {
            asked.push(id);
            if (id === "7") throw new Error("it has ended");
        },
        new AbortController().signal,
        () => undefined,
    );
    assert.deepEqual([all.done, all.refusedCount, asked.length], [19, 1, 20]);
    assert.deepEqual(all.refused, [{ id: "7", kind: "k", message: "it has ended" }]);
    const abort = new AbortController();
    const some = await runBulk(
        rows,
        async (id) => {
            if (id === "5") abort.abort();
        },
        abort.signal,
        () => undefined,
    );
    assert.ok(some.done >= 6 && some.done <= 9, String(some.done));
});

test("the trend of a failure counts each once, in the part of time it falls into", () => {
    const at = (completed_at: number) => info({ execution_id: `${completed_at}`, failure_reason: "boom", completed_at });
    const [group] = groupFailures([at(1_000), at(1_100), at(5_000)]);
    assert.deepEqual(trend(group!, 1_000, 5_000, 4), [2, 0, 0, 1]);
});

test("figures are read from Prometheus' text, with labels that hold anything", () => {
    const metrics = parseMetrics(
        [
            "# HELP ff_x Something",
            "ff_x 3",
            'ff_y{lane="a",state="waiting"} 4',
            'ff_y{lane="a\\"},{b",state="active"} 5',
            'ff_y_bucket{le="+Inf"} 9',
            "no sample",
            "",
        ].join("\n"),
    );
    assert.equal(total(metrics, "ff_x"), 3);
    assert.equal(total(metrics, "ff_y"), 9);
    assert.equal(
        total(metrics, "ff_y", (labels) => labels.state === "active"),
        5,
    );
    assert.equal(total(metrics, "ff_none"), undefined);
    assert.deepEqual(
        [...byLabel(metrics, "ff_y", "lane")],
        [
            ["a", 4],
            ['a"},{b', 5],
        ],
    );
});

test("the checks of a server say what is bad and what to do", () => {
    const facts: ServerFacts = {
        capabilities: {
            backend: "embedded",
            version: "1",
            library_version: 7,
            partitions: { flow: 1, budget: 1, quota: 1 },
            lanes: [],
            features: { authentication: true },
            store_warnings: [],
        },
        health: { status: "ok" },
        ready: { status: "ok", memory: { state: "good", used: 1, limit: 100 } },
        answeredInMs: 3,
        clockApartMs: 0,
        kids: { current_kid: "k1", in_step: true, kids: [] },
        metrics: parseMetrics("ff_scanner_errors_total 0"),
    };
    const unwell = (change: Partial<ServerFacts>) =>
        examine({ ...facts, ...change })
            .filter((check) => check.state !== "ok")
            .map((check) => `${check.state} ${check.name}`);
    assert.deepEqual(unwell({}), []);
    assert.deepEqual(unwell({ ready: { status: "ok", memory: { state: "full", used: 99, limit: 100 } } }), ["bad memory"]);
    assert.deepEqual(unwell({ clockApartMs: 60_000 }), ["warn clocks"]);
    assert.deepEqual(unwell({ kids: { current_kid: "k1", in_step: false, kids: [] } }), ["bad secrets"]);
    assert.deepEqual(unwell({ health: { status: "down", reason: "no store" } }), ["bad store", "bad health"]);
    assert.deepEqual(unwell({ metrics: parseMetrics('ff_scanner_errors_total{scanner="a"} 2\nff_http_requests_total{status="503"} 1') }), [
        "warn background work",
        "warn requests",
    ]);
});

test("a node is timed from the end of all that it depends on", () => {
    const node = (execution_id: string, public_state: FlowNode["public_state"], completed_at?: number): FlowNode => ({
        execution_id,
        name: execution_id,
        public_state,
        lane_id: "a",
        execution_kind: "k",
        created_at: 100,
        ...(completed_at === undefined ? {} : { completed_at }),
    });
    const edge = (from: string, to: string, edge_state = "satisfied"): FlowEdge => ({
        edge_id: `${from}-${to}`,
        upstream_execution_id: from,
        downstream_execution_id: to,
        dependency_kind: "success",
        edge_state,
    });
    const times = nodeTimes(
        [
            node("plan", "completed", 300),
            node("a", "completed", 900),
            node("b", "active"),
            node("join", "waiting_children"),
            node("left", "skipped", 950),
        ],
        [edge("plan", "a"), edge("plan", "b"), edge("a", "join"), edge("b", "join", "unsatisfied"), edge("a", "left")],
        1_000,
    );
    assert.deepEqual(
        [...times.values()].map((one) => [one.node.name, one.ready, one.end]),
        [
            ["plan", 100, 300],
            ["a", 300, 900],
            ["b", 300, 1_000],
        ],
    );
});

test("a comment is found in the payload of a signal, and nothing else is taken for one", () => {
    const signal = (payload?: string) => ({ signal_id: "s", signal_name: "approved", ...(payload === undefined ? {} : { payload }) });
    assert.equal(commentOf(signal('{"comment":"fine"}')), "fine");
    for (const payload of [undefined, "", "fine", "null", "[1]", '{"comment":7}']) assert.equal(commentOf(signal(payload)), undefined);
});

test("an axis has round steps", () => {
    assert.deepEqual(ticks(6_000), [0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    assert.equal(ticks(15 * 60_000)[1], 5 * 60_000);
    assert.ok(ticks(10 ** 11).length < 9);
});

test("events that say the state are believed, others are asked about", () => {
    const event = (more: Partial<FeedEvent>): FeedEvent => ({
        event_id: "",
        family: "lease_history",
        execution_id: "e",
        namespace: "",
        lane_id: "",
        flow_id: "",
        at: 0,
        ...more,
    });
    assert.equal(stateAfter(event({ event: "acquired" })), "active");
    assert.equal(stateAfter(event({ event: "released", reason: "suspend" })), "suspended");
    assert.equal(stateAfter(event({ event: "released", reason: "retry" })), undefined);
    assert.equal(stateAfter(event({ family: "completion", kind: "execution", outcome: "success" })), "completed");
    assert.equal(stateAfter(event({ family: "completion", kind: "flow", outcome: "completed" })), undefined);
});

test("the same failure with other numbers is one group", () => {
    assert.equal(fingerprint("timed out after 10 s at 'a b'"), fingerprint("timed out after 12.5 s at 'c'"));
    const failed = [1, 2, 3].map((n) =>
        info({
            execution_id: `e${n}`,
            public_state: "failed",
            failure_category: "timeout",
            failure_reason: `timed out after ${n} s`,
            completed_at: n,
        }),
    );
    const groups = groupFailures([
        ...failed,
        info({ execution_id: "x", failure_category: "other", failure_reason: "timed out after 1 s" }),
    ]);
    assert.equal(groups.length, 2);
    assert.equal(groups[0]!.count, 3);
    assert.equal(groups[0]!.reason, "timed out after 3 s");
    assert.equal(groups[0]!.firstAt, 1);
});

test("the reason for waiting names what is missing", () => {
    const base = { ...info({ public_state: "waiting" }), summary: "it waits", blocking_ref: "", lane_state: "active", policies: [] };
    const worker = (lacks: string[], serves = true) => ({
        worker_id: "w",
        worker_instance_id: "w-1",
        serves_lane: serves,
        missing_capabilities: lacks,
    });
    const sentence = (more: Partial<Explanation>): string => why({ ...base, workers: [], ...more } as Explanation, []).sentence;
    assert.match(sentence({ workers: [worker(["gpu=a10"])] }), /has gpu=a10/);
    assert.match(sentence({ workers: [worker([], false)] }), /no registered worker serves lane a/);
    assert.match(sentence({ workers: [worker([])] }), /1 of 1 workers/);
    assert.match(sentence({ lane_state: "paused" }), /lane a is paused/);
    assert.match(sentence({}), /no worker is registered/);
    assert.match(sentence({ public_state: "failed", failure_reason: "boom" }), /^Failed: boom\.$/);
});

test("a graph is laid out from left to right without two nodes in one place", () => {
    const nodes = Array.from({ length: 1_000 }, (_, at) => ({ id: `n${at}` }));
    const edges = nodes.slice(1).map((node, at) => ({ from: `n${Math.floor(at / 3)}`, to: node.id }));
    const { nodes: placed } = layout(nodes, edges);
    for (const { from, to } of edges) assert.ok(placed.get(from)!.x < placed.get(to)!.x);
    const seen = new Set([...placed.values()].map((one) => `${one.x}:${Math.round(one.y / NODE_HEIGHT)}`));
    assert.equal(seen.size, 1_000);
    const diamond = layout(
        [{ id: "a" }, { id: "b" }, { id: "c" }, { id: "d" }],
        [
            { from: "a", to: "b" },
            { from: "b", to: "d" },
            { from: "a", to: "d" },
            { from: "a", to: "c" },
        ],
    );
    assert.equal(diamond.nodes.get("d")!.layer, 2);
});

test("the critical path is the chain that ended last", () => {
    const nodes = [
        { id: "a", end: 1 },
        { id: "b", end: 5 },
        { id: "c", end: 3 },
        { id: "d", end: 9 },
    ];
    const edges = [
        { from: "a", to: "b" },
        { from: "a", to: "c" },
        { from: "b", to: "d" },
        { from: "c", to: "d" },
    ];
    assert.deepEqual([...criticalPath(nodes, edges)].sort(), ["a", "b", "d"]);
});

const laneOf = (more: Partial<LaneOverview>): LaneOverview => ({
    lane_id: "mail",
    state: "active",
    counts: {},
    workers: 1,
    completed: [9, 9],
    failed: [0, 0],
    waiting: [0, 1],
    running: [2, 3],
    ...more,
});
const overviewOf = (...lanes: LaneOverview[]): Overview => ({
    at: 1_000_000,
    points_from: 940_000,
    point_ms: 30_000,
    lanes,
    workers_alive: 1,
    approvals_waiting: 0,
    budgets_near_limit: [],
});

test("an overview says that all is well, or what is not", () => {
    const texts = (data: Overview): string[] => judge(data, 1_000_000).points.map((point) => point.text);
    assert.equal(judge(overviewOf(laneOf({})), 1_000_000).sentence, "All is well.");
    assert.deepEqual(texts(overviewOf(laneOf({ state: "paused" }))), ["lane mail is paused"]);
    assert.deepEqual(texts(overviewOf(laneOf({ workers: 0, counts: { waiting: 2 } }))), ["2 executions in lane mail and no worker"]);
    const old = { execution_id: "e", created_at: 1_000_000 - 400_000 };
    assert.deepEqual(texts(overviewOf(laneOf({ oldest_waiting: old }))), ["lane mail has had something waiting for 6 min 40 s"]);
    assert.deepEqual(texts(overviewOf(laneOf({ failed: [3, 3] }))), ["25 % of what ended lately failed"]);
    assert.deepEqual(texts(overviewOf(laneOf({ completed: [0, 1], failed: [1, 2] }))), [], "too few to say anything");
    const near = { budget_id: "b", scope_type: "lane", scope_id: "x", dimension: "usd_cents", used: 9, hard_limit: 10 };
    assert.deepEqual(texts({ ...overviewOf(laneOf({})), budgets_near_limit: [near] }), []);
    assert.deepEqual(texts({ ...overviewOf(laneOf({})), budgets_near_limit: [{ ...near, used: 10 }] }), [
        "the usd cents of lane x are used up",
    ]);
});

test("the points of all lanes are added up, each at its place", () => {
    assert.deepEqual(together([laneOf({}), laneOf({ running: [10, 0] })], "running"), [12, 3]);
    assert.deepEqual(together([], "running"), []);
});

test("bytes that are no text are shown by sixteens", () => {
    assert.equal(hexDump(new Uint8Array([0x41, 0x00, 0xff])), `000000  41 00 ff${" ".repeat(39)}  A··`);
});
