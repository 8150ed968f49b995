import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type ApiError, get } from "../lib/api";
import { advance, type Figures, readFigures } from "../lib/figures";
import { plural, short, words } from "../lib/format";
import { onEvents } from "../lib/live";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href } from "../lib/router";
import { duration } from "../lib/time";
import type { Budget, FeedEvent, Lane, Listed, Worker } from "../lib/types";
import { State } from "../parts/state";
import { Empty, Meter, Problem, Skeleton, Spark } from "../parts/ui";
import { Page } from "../shell";

interface Now {
    lanes: (Lane & { next?: Listed })[];
    workers: Worker[];
    budgets: Budget[];
}

const NEAR = 0.8;
const LONG_WAIT_MS = 300_000;

async function loadNow(abort: AbortSignal): Promise<Now> {
    const [{ lanes }, { workers }, { budgets }] = await Promise.all([
        get<{ lanes: Lane[] }>("/v1/lanes", abort),
        get<{ workers: Worker[] }>("/v1/workers?namespace=default&limit=500", abort),
        get<{ budgets: Budget[] }>("/v1/budgets?limit=200", abort),
    ]);
    const heads = await Promise.all(
        lanes.map((lane) =>
            get<{ executions: Listed[] }>(`/v1/executions?lane=${encodeURIComponent(lane.lane_id)}&state=eligible&limit=1`, abort),
        ),
    );
    return {
        lanes: lanes.map((lane, at) => {
            const next = heads[at]!.executions[0];
            return next ? { ...lane, next } : lane;
        }),
        workers,
        budgets,
    };
}

/** The last hour from the feed, going on by itself. */
function useFigures(): Figures | undefined {
    const figures = useSignal<Figures | undefined>(undefined);
    useEffect(() => {
        const abort = new AbortController();
        let early: FeedEvent[] = [];
        readFigures(abort.signal)
            .then((read) => {
                figures.value = read;
                early = [];
            })
            .catch(() => undefined);
        const forget = onEvents((events) => {
            if (figures.value) early.push(...events);
        });
        const timer = setInterval(() => {
            if (!figures.value || document.hidden) return;
            figures.value = advance(figures.value, early.splice(0), Date.now());
        }, 2_000);
        return () => {
            abort.abort();
            forget();
            clearInterval(timer);
        };
    }, []);
    return figures.value;
}

interface Verdict {
    tone: string;
    sentence: string;
    points: { text: string; to: string }[];
}

function judge(data: Now, figures: Figures | undefined): Verdict {
    const points: Verdict["points"] = [];
    for (const lane of data.lanes) {
        const waits = lane.counts.waiting ?? 0;
        if (lane.state !== "active") points.push({ text: `lane ${lane.lane_id} is ${lane.state}`, to: href(["lanes"]) });
        const served = data.workers.some((worker) => worker.lanes.includes(lane.lane_id));
        if (waits > 0 && !served && (lane.counts.active ?? 0) === 0)
            points.push({
                text: `${plural(waits, "execution")} in lane ${lane.lane_id} and no worker`,
                to: href(["executions"], { q: `lane:${lane.lane_id} state:eligible` }),
            });
        const age = lane.next ? now.value - lane.next.created_at : 0;
        if (served && lane.state === "active" && age > LONG_WAIT_MS)
            points.push({
                text: `the next of lane ${lane.lane_id} waits for ${duration(age)}`,
                to: href(["executions", lane.next!.execution_id]),
            });
        const blocked = lane.counts.blocked_by_route ?? 0;
        if (blocked > 0)
            points.push({
                text: `${plural(blocked, "execution")} in lane ${lane.lane_id} ${blocked === 1 ? "needs" : "need"} a capability that nobody has`,
                to: href(["workers"]),
            });
    }
    for (const budget of data.budgets)
        for (const name of budget.exhausted_dims)
            points.push({
                text: `the ${words(name)} of ${budget.scope_type} ${budget.scope_id} are used up`,
                to: href(["limits"], { id: budget.budget_id }),
            });
    const recent = figures?.buckets.slice(-10) ?? [];
    const ended = recent.reduce((sum, bucket) => sum + bucket.ended, 0);
    const failed = recent.reduce((sum, bucket) => sum + bucket.failed, 0);
    if (ended >= 10 && failed / ended > 0.2)
        points.push({ text: `${Math.round((failed / ended) * 100)} % of what ended lately failed`, to: href(["failures"]) });
    if (points.length === 0) return { tone: "good", sentence: "All is well.", points };
    return { tone: "held", sentence: points.length === 1 ? "One thing needs a look." : `${points.length} things need a look.`, points };
}

export function OverviewPage(): JSX.Element {
    const load = useLoad("overview", loadNow, () => true);
    const figures = useFigures();
    const data = load.data;
    if (!data)
        return (
            <Page title="Overview">
                {load.error ? <Problem error={load.error as ApiError} retry={load.reload} /> : <Skeleton rows={12} />}
            </Page>
        );
    const verdict = judge(data, figures);
    const sum = (name: string): number => data.lanes.reduce((all, lane) => all + (lane.counts[name] ?? 0), 0);
    const span = figures ? duration(figures.bucketMs * figures.buckets.length) : "";
    const ended = figures?.buckets.map((bucket) => bucket.ended) ?? [];
    const failed = figures?.buckets.map((bucket) => bucket.failed) ?? [];
    const total = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    const near = data.budgets.filter((budget) => nearest(budget).share >= NEAR || budget.exhausted_dims.length > 0).slice(0, 5);
    return (
        <Page title="Overview">
            <div class={`why ${verdict.tone}`} role="status">
                <p>{verdict.sentence}</p>
                {verdict.points.length > 0 && (
                    <ul>
                        {verdict.points.slice(0, 8).map((point) => (
                            <li key={point.text}>
                                <a class="plain-link" href={point.to}>
                                    {point.text}
                                </a>
                            </li>
                        ))}
                    </ul>
                )}
            </div>
            <div class="tiles">
                <Tile title={`Ended in ${span || "the last hour"}`} value={total(ended)} to={href(["executions"], { q: "state:terminal" })}>
                    <Spark values={ended} tone="active" label="Executions ended over time" />
                </Tile>
                <Tile title="Of these failed" value={total(failed)} to={href(["failures"])}>
                    <Spark values={failed} tone="bad" label="Executions failed over time" />
                </Tile>
                <Tile title="Running" value={sum("active")} to={href(["executions"], { q: "state:active" })} />
                <Tile title="Waiting" value={sum("waiting")} to={href(["executions"], { q: "state:eligible" })} />
                <Tile title="Suspended" value={sum("suspended")} to={href(["approvals"])} />
                <Tile title="Workers" value={data.workers.length} to={href(["workers"])} />
            </div>
            <section class="panel">
                <header>
                    <h2>Lanes</h2>
                    <span class="muted">{span && `endings of the last ${span}`}</span>
                </header>
                {data.lanes.length === 0 ? (
                    <Empty title="Nothing has run here yet" line="scripts/demo-data">
                        Fill the server with something to look at:
                    </Empty>
                ) : (
                    <LaneTable data={data} figures={figures} />
                )}
            </section>
            {near.length > 0 && (
                <section class="panel">
                    <header>
                        <h2>Budgets near their limit</h2>
                    </header>
                    <ul class="near">
                        {near.map((budget) => {
                            const { name, share } = nearest(budget);
                            return (
                                <li key={budget.budget_id}>
                                    <a href={href(["limits"], { id: budget.budget_id })}>
                                        {budget.scope_type} {budget.scope_id}, {words(name)}
                                    </a>
                                    <Meter
                                        used={budget.usage[name] ?? 0}
                                        limit={budget.hard_limits[name] ?? 0}
                                        soft={budget.soft_limits[name]}
                                        label={`${words(name)} used`}
                                    />
                                    <span class="right">{Math.round(share * 100)} %</span>
                                </li>
                            );
                        })}
                    </ul>
                </section>
            )}
        </Page>
    );
}

function nearest(budget: Budget): { name: string; share: number } {
    let best = { name: "", share: 0 };
    for (const [name, limit] of Object.entries(budget.hard_limits)) {
        const share = limit > 0 ? (budget.usage[name] ?? 0) / limit : 0;
        if (best.name === "" || share > best.share) best = { name, share };
    }
    return best;
}

function Tile({ title, value, to, children }: { title: string; value: number; to: string; children?: JSX.Element }): JSX.Element {
    return (
        <a class="panel tile" href={to}>
            <span class="muted">{title}</span>
            <span class="figure">{short(value)}</span>
            {children}
        </a>
    );
}

function LaneTable({ data, figures }: { data: Now; figures: Figures | undefined }): JSX.Element {
    const of = (lane: string, what: "ended" | "failed"): number[] =>
        figures?.buckets.map((bucket) => bucket.lanes[lane]?.[what] ?? 0) ?? [];
    return (
        <div class="scroll-x">
            <table class="rows" aria-label="Lanes">
                <thead>
                    <tr>
                        <th scope="col">Lane</th>
                        <th scope="col">State</th>
                        <th scope="col" class="right">
                            Waiting
                        </th>
                        <th scope="col" class="right">
                            Running
                        </th>
                        <th scope="col" class="right secondary">
                            Suspended
                        </th>
                        <th scope="col" class="right secondary">
                            Next waits for
                        </th>
                        <th scope="col" class="spark-cell secondary">
                            Ended
                        </th>
                        <th scope="col" class="spark-cell secondary">
                            Failed
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {data.lanes.map((lane) => (
                        <tr key={lane.lane_id}>
                            <td>
                                <a class="strong" href={href(["executions"], { q: `lane:${lane.lane_id}` })}>
                                    {lane.lane_id}
                                </a>
                            </td>
                            <td>{lane.state === "active" ? <span class="state good">active</span> : <State state={lane.state} />}</td>
                            <td class="right">{short(lane.counts.waiting ?? 0)}</td>
                            <td class="right">{short(lane.counts.active ?? 0)}</td>
                            <td class="right secondary">{short(lane.counts.suspended ?? 0)}</td>
                            <td class="right secondary">
                                {lane.next ? duration(Math.max(0, now.value - lane.next.created_at)) : <span class="muted">–</span>}
                            </td>
                            <td class="spark-cell secondary">
                                <Spark values={of(lane.lane_id, "ended")} tone="active" label={`Ended in lane ${lane.lane_id}`} />
                            </td>
                            <td class="spark-cell secondary">
                                <Spark values={of(lane.lane_id, "failed")} tone="bad" label={`Failed in lane ${lane.lane_id}`} />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
