import type { Attempt, Child, ExecutionInfo, LeaseEvent, Signal, Step } from "./types";

export interface Bar {
    from: number;
    /** Undefined: it goes on. */
    to: number | undefined;
    kind: "queued" | "delayed" | "leased" | "suspended" | "lost" | "step";
    label: string;
}

export interface Row {
    label: string;
    detail: string;
    state: string;
    bars: Bar[];
    marks: { at: number; label: string }[];
    /** Stands below the row that it belongs to. */
    inner?: boolean;
    /** The execution that the row is about, if it is another one. */
    child?: string;
}

export interface Waterfall {
    rows: Row[];
    from: number;
    to: number;
    running: boolean;
}

const LOST = new Set(["expired", "revoked", "reclaimed", "expired_reclaimed"]);

function leaseBars(events: readonly LeaseEvent[]): Bar[] {
    const bars: Bar[] = [];
    let open: Bar | undefined;
    for (const event of events) {
        const worker = event.worker_instance_id || event.worker_id;
        if (event.event === "acquired" || event.event === "reclaimed") {
            if (open) open.to = event.ts;
            open = { from: event.ts, to: undefined, kind: "leased", label: `leased by ${worker}` };
            bars.push(open);
        } else if (event.event !== "renewed" && open) {
            open.to = event.ts;
            const why = event.reason || event.event;
            open.label += `, ${why}`;
            if (LOST.has(event.event)) open.kind = "lost";
            if (why === "suspend") bars.push((open = { from: event.ts, to: undefined, kind: "suspended", label: "suspended" }));
            else if (why === "waiting_children")
                bars.push((open = { from: event.ts, to: undefined, kind: "delayed", label: "waits for its children" }));
            else open = undefined;
        }
    }
    return bars;
}

const STEP_ROWS_MOST = 8;

/** Steps that one attempt recorded, each from the one before: a few have rows of their own, many are marks. */
function stepRows(attempt: Attempt, steps: readonly Step[]): Row[] {
    if (steps.length === 0 || steps.length > STEP_ROWS_MOST) return [];
    let from = attempt.started_at ?? attempt.created_at;
    return steps.map((step) => {
        const bar: Bar = { from: Math.min(from, step.recorded_at), to: step.recorded_at, kind: "step", label: `step ${step.name}` };
        from = step.recorded_at;
        return { label: step.name, detail: "", state: "completed", bars: [bar], marks: [], inner: true };
    });
}

const OUTCOME_STATES: Record<string, string> = { success: "completed" };

function childRows(children: readonly Child[]): Row[] {
    return children.flatMap((child) => {
        const info = child.info;
        if (!info) return [];
        const bars: Bar[] = [
            { from: info.created_at, to: info.started_at ?? info.completed_at, kind: "queued", label: "waits for a worker" },
        ];
        if (info.started_at !== undefined)
            bars.push({ from: info.started_at, to: info.completed_at, kind: "leased", label: `child ${child.name}` });
        const state = child.outcome === null ? info.public_state : (OUTCOME_STATES[child.outcome] ?? child.outcome);
        return [{ label: child.name, detail: info.execution_kind, state, bars, marks: [], inner: true, child: child.execution_id }];
    });
}

/** What happened when, by attempt: the time before the first lease, leases, suspensions, waits, steps; then the children. */
export function waterfall(
    info: ExecutionInfo,
    attempts: readonly Attempt[],
    events: readonly LeaseEvent[],
    signals: readonly Signal[],
    now: number,
    steps: readonly Step[] = [],
    children: readonly Child[] = [],
): Waterfall {
    const ended = info.completed_at;
    const rows: Row[] = [];
    const sorted = [...attempts].sort((a, b) => a.attempt_index - b.attempt_index);
    const firstStart = sorted[0]?.started_at ?? sorted[0]?.created_at;
    const held = info.public_state === "delayed" || info.delay_until !== undefined;
    rows.push({
        label: "queued",
        detail: "",
        state: firstStart === undefined && ended === undefined ? info.public_state : "completed",
        bars: [
            {
                from: info.created_at,
                to: firstStart ?? ended,
                kind: firstStart === undefined && held ? "delayed" : "queued",
                label: "waits for a worker",
            },
        ],
        marks: [],
    });
    sorted.forEach((attempt, at) => {
        const mine = events.filter((event) => event.attempt_index === attempt.attempt_index).sort((a, b) => a.ts - b.ts);
        const bars = leaseBars(mine);
        if (bars.length === 0 && attempt.started_at !== undefined)
            bars.push({ from: attempt.started_at, to: attempt.ended_at, kind: "leased", label: attempt.worker_instance_id ?? "leased" });
        const last = bars[bars.length - 1];
        const next = sorted[at + 1];
        if (last && last.to === undefined) last.to = attempt.ended_at ?? ended;
        for (let i = 1; i < bars.length; i += 1) {
            const before = bars[i - 1]!;
            if (before.to === undefined) before.to = bars[i]!.from;
        }
        const endOf = last?.to;
        if (endOf !== undefined && next?.started_at !== undefined && next.started_at > endOf)
            bars.push({ from: endOf, to: next.started_at, kind: "delayed", label: "waits to be tried again" });
        else if (endOf !== undefined && next === undefined && ended === undefined && info.public_state !== "active")
            bars.push({
                from: endOf,
                to: undefined,
                kind: info.public_state === "delayed" ? "delayed" : "queued",
                label: info.public_state === "delayed" ? "delayed" : "waits for a worker",
            });
        const recorded = steps.filter((step) => step.attempt_index === attempt.attempt_index);
        const inner = stepRows(attempt, recorded);
        rows.push({
            label: `attempt ${attempt.attempt_index + 1}`,
            detail: attempt.worker_instance_id ?? "",
            state: attempt.attempt_state,
            bars,
            marks: signals
                .map((signal) => ({ at: Number(signal.accepted_at ?? signal.created_at ?? 0), label: `signal ${signal.signal_name}` }))
                .filter((mark) => mark.at >= (attempt.started_at ?? 0) && mark.at <= (next?.started_at ?? Number.MAX_SAFE_INTEGER))
                .concat(inner.length > 0 ? [] : recorded.map((step) => ({ at: step.recorded_at, label: `step ${step.name}` }))),
        });
        rows.push(...inner);
    });
    rows.push(...childRows(children));
    const to = Math.max(ended ?? now, info.created_at + 1, ...rows.flatMap((row) => row.bars.map((bar) => bar.to ?? bar.from)));
    return { rows, from: info.created_at, to, running: ended === undefined };
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    .concat([1, 2, 5, 10, 15, 30].map((n) => n * 1_000))
    .concat([1, 2, 5, 10, 15, 30].map((n) => n * 60_000))
    .concat([1, 2, 3, 6, 12, 24].map((n) => n * 3_600_000));
const DAY_MS = 86_400_000;

/** Round distances from the start, about six of them. */
export function ticks(span: number): number[] {
    const rough = Math.max(1, span) / 6;
    const step = STEPS.find((size) => size >= rough) ?? Math.ceil(rough / DAY_MS) * DAY_MS;
    const found: number[] = [];
    for (let offset = 0; offset < span - step / 3; offset += step) found.push(offset);
    return found;
}
