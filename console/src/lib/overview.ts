import { plural, short, words } from "./format";
import { href } from "./router";
import { duration } from "./time";

export interface LaneOverview {
    lane_id: string;
    state: "active" | "paused" | "draining" | "disabled";
    counts: Record<string, number>;
    workers: number;
    oldest_waiting?: { execution_id: string; created_at: number };
    /** One figure for each point, the oldest first. */
    completed: number[];
    failed: number[];
    waiting: number[];
    running: number[];
}

export interface NearBudget {
    budget_id: string;
    name?: string;
    scope_type: string;
    scope_id: string;
    dimension: string;
    used: number;
    hard_limit: number;
    next_reset_at?: number;
}

export interface Overview {
    at: number;
    points_from: number;
    point_ms: number;
    lanes: LaneOverview[];
    workers_alive: number;
    approvals_waiting: number;
    budgets_near_limit: NearBudget[];
}

export type Figure = "completed" | "failed" | "waiting" | "running";

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** One line for all lanes. */
export function together(lanes: readonly LaneOverview[], figure: Figure): number[] {
    const points = Math.max(0, ...lanes.map((lane) => lane[figure].length));
    return Array.from({ length: points }, (_, at) => sum(lanes.map((lane) => lane[figure][at] ?? 0)));
}

const MINUTE_MS = 60_000;
const RATE_SPAN_MS = 5 * MINUTE_MS;

/** `12.5/min`: completed, over the last five minutes or as long as the server runs. */
export function perMinute(lane: LaneOverview, pointMs: number): string {
    const points = lane.completed.slice(-Math.ceil(RATE_SPAN_MS / pointMs));
    const rate = points.length === 0 ? 0 : (sum(points) * MINUTE_MS) / (points.length * pointMs);
    return `${rate > 0 && rate < 10 ? rate.toFixed(1) : short(rate)}/min`;
}

/** Of the last so many points. */
const lately = (lanes: readonly LaneOverview[], figure: Figure, points: number): number =>
    sum(lanes.map((lane) => sum(lane[figure].slice(-points))));

export interface Verdict {
    tone: string;
    sentence: string;
    points: { text: string; to: string }[];
}

const LONG_WAIT_MS = 300_000;
const LATELY_MS = 600_000;
/** Of what ended lately; fewer endings say nothing. */
const FAILED_SHARE = 0.2;
const ENDED_LEAST = 10;

function laneTroubles(lane: LaneOverview, now: number): Verdict["points"] {
    const found: Verdict["points"] = [];
    const waits = lane.counts.waiting ?? 0;
    if (lane.state !== "active") found.push({ text: `lane ${lane.lane_id} is ${lane.state}`, to: href(["lanes"]) });
    if (waits > 0 && lane.workers === 0 && (lane.counts.active ?? 0) === 0)
        found.push({
            text: `${plural(waits, "execution")} in lane ${lane.lane_id} and no worker`,
            to: href(["executions"], { q: `lane:${lane.lane_id} state:eligible` }),
        });
    const oldest = lane.oldest_waiting;
    const age = oldest ? now - oldest.created_at : 0;
    if (oldest && lane.workers > 0 && lane.state === "active" && age > LONG_WAIT_MS)
        found.push({
            text: `lane ${lane.lane_id} has had something waiting for ${duration(age)}`,
            to: href(["executions", oldest.execution_id]),
        });
    const blocked = lane.counts.blocked_by_route ?? 0;
    if (blocked > 0)
        found.push({
            text: `${plural(blocked, "execution")} in lane ${lane.lane_id} ${blocked === 1 ? "needs" : "need"} a capability that nobody has`,
            to: href(["workers"]),
        });
    return found;
}

/** Whether all is well, in one sentence, and if not what is to be looked at. */
export function judge(data: Overview, now: number): Verdict {
    const points = data.lanes.flatMap((lane) => laneTroubles(lane, now));
    for (const budget of data.budgets_near_limit)
        if (budget.used >= budget.hard_limit)
            points.push({
                text: `the ${words(budget.dimension)} of ${budget.name ?? `${budget.scope_type} ${budget.scope_id}`} are used up`,
                to: href(["limits"], { id: budget.budget_id }),
            });
    const span = Math.ceil(LATELY_MS / data.point_ms);
    const failed = lately(data.lanes, "failed", span);
    const ended = failed + lately(data.lanes, "completed", span);
    if (ended >= ENDED_LEAST && failed / ended > FAILED_SHARE)
        points.push({ text: `${Math.round((failed / ended) * 100)} % of what ended lately failed`, to: href(["failures"]) });
    if (points.length === 0) return { tone: "good", sentence: "All is well.", points };
    return { tone: "held", sentence: points.length === 1 ? "One thing needs a look." : `${points.length} things need a look.`, points };
}
