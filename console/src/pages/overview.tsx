import type { JSX } from "preact";
import { get } from "../lib/api";
import { plural, short, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { judge, type LaneOverview, type Overview, perMinute, sum, together } from "../lib/overview";
import { now } from "../lib/prefs";
import { href } from "../lib/router";
import { duration } from "../lib/time";
import { State } from "../parts/state";
import { Empty, Meter, Problem, Skeleton, Spark } from "../parts/ui";
import { Page } from "../shell";

/** No event tells of what is created and waits, nor of workers that come and go. */
const AGAIN_MS = 5_000;

export function OverviewPage(): JSX.Element {
    const load = useLoad(
        "overview",
        (abort) => get<Overview>("/v1/overview", abort),
        () => true,
        () => AGAIN_MS,
    );
    const data = load.data;
    if (!data)
        return <Page title="Overview">{load.error ? <Problem error={load.error} retry={load.reload} /> : <Skeleton rows={12} />}</Page>;
    return (
        <Page title="Overview">
            {load.error && <Problem error={load.error} retry={load.reload} />}
            <Sentence data={data} />
            <Tiles data={data} />
            <section class="panel">
                <header>
                    <h2>Lanes</h2>
                    <span class="muted">
                        {data.lanes.length > 0 && `the last ${duration(Math.max(60_000, data.at - data.points_from))}`}
                    </span>
                </header>
                {data.lanes.length === 0 ? (
                    <Empty title="Nothing has run here yet" line="scripts/demo-data">
                        Fill the server with something to look at:
                    </Empty>
                ) : (
                    <LaneTable data={data} />
                )}
            </section>
            <NearBudgets data={data} />
        </Page>
    );
}

function Sentence({ data }: { data: Overview }): JSX.Element {
    const verdict = judge(data, now.value);
    return (
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
    );
}

function Tiles({ data }: { data: Overview }): JSX.Element {
    const completed = together(data.lanes, "completed");
    const failed = together(data.lanes, "failed");
    const count = (state: string): number => sum(data.lanes.map((lane) => lane.counts[state] ?? 0));
    return (
        <div class="tiles">
            <Tile title="Completed" value={sum(completed)} to={href(["executions"], { q: "state:completed" })}>
                <Spark values={past(completed)} tone="good" label="Executions completed over time" />
            </Tile>
            <Tile title="Failed" value={sum(failed)} to={href(["failures"])}>
                <Spark values={past(failed)} tone="bad" label="Executions failed over time" />
            </Tile>
            <Tile title="Waiting" value={count("waiting")} to={href(["executions"], { q: "state:eligible" })}>
                <Spark values={together(data.lanes, "waiting")} label="Executions waiting over time" />
            </Tile>
            <Tile title="Running" value={count("active")} to={href(["executions"], { q: "state:active" })}>
                <Spark values={together(data.lanes, "running")} tone="active" label="Executions running over time" />
            </Tile>
            <Tile title="Approvals" value={data.approvals_waiting} to={href(["approvals"])} />
            <Tile title="Workers" value={data.workers_alive} to={href(["workers"])} />
        </div>
    );
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

/** From here on the API counts a budget as near its limit. */
const NEAR = 0.8;

function NearBudgets({ data }: { data: Overview }): JSX.Element | null {
    if (data.budgets_near_limit.length === 0) return null;
    return (
        <section class="panel">
            <header>
                <h2>Budgets near their limit</h2>
            </header>
            <ul class="near">
                {data.budgets_near_limit.slice(0, 5).map((budget) => (
                    <li key={budget.budget_id}>
                        <a href={href(["limits"], { id: budget.budget_id })}>
                            {budget.name ?? `${budget.scope_type} ${budget.scope_id}`}, {words(budget.dimension)}
                        </a>
                        <Meter
                            used={budget.used}
                            limit={budget.hard_limit}
                            soft={budget.hard_limit * NEAR}
                            label={`${words(budget.dimension)} used`}
                        />
                        <span class="right">{Math.round((budget.used / budget.hard_limit) * 100)} %</span>
                    </li>
                ))}
            </ul>
        </section>
    );
}

function LaneTable({ data }: { data: Overview }): JSX.Element {
    return (
        <div class="scroll-x">
            <table class="rows tall" aria-label="Lanes">
                <thead>
                    <tr>
                        <th scope="col">Lane</th>
                        <th scope="col" class="right spark-cell">
                            Waiting
                        </th>
                        <th scope="col" class="right spark-cell">
                            Running
                        </th>
                        <th scope="col" class="right spark-cell">
                            Completed
                        </th>
                        <th scope="col" class="right spark-cell">
                            Failed
                        </th>
                        <th scope="col" class="right secondary">
                            Oldest waits for
                        </th>
                        <th scope="col" class="right secondary">
                            Workers
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {data.lanes.map((lane) => (
                        <tr key={lane.lane_id}>
                            <td>
                                <a class="strong" href={href(["executions"], { q: `lane:${lane.lane_id}` })}>
                                    {lane.lane_id}
                                </a>{" "}
                                {lane.state !== "active" && <State state={lane.state} />}
                            </td>
                            <Sparked lane={lane} what="waiting" value={short(lane.counts.waiting ?? 0)} tone="quiet" />
                            <Sparked lane={lane} what="running" value={short(lane.counts.active ?? 0)} tone="active" />
                            <Sparked lane={lane} what="completed" value={perMinute(lane, data.point_ms)} tone="good" />
                            <Sparked lane={lane} what="failed" value={short(sum(lane.failed))} tone="bad" />
                            <td class="right secondary">
                                <Oldest lane={lane} />
                            </td>
                            <td class="right secondary">{lane.workers > 0 ? short(lane.workers) : <span class="muted">–</span>}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Oldest({ lane }: { lane: LaneOverview }): JSX.Element {
    const oldest = lane.oldest_waiting;
    if (!oldest) return <span class="muted">–</span>;
    return <a href={href(["executions", oldest.execution_id])}>{duration(Math.max(0, now.value - oldest.created_at))}</a>;
}

/** The span that has not ended would always look like a fall. */
const past = (values: readonly number[]): readonly number[] => (values.length > 2 ? values.slice(0, -1) : values);

function Sparked(props: {
    lane: LaneOverview;
    what: "waiting" | "running" | "completed" | "failed";
    value: string;
    tone: string;
}): JSX.Element {
    const { lane, what, value, tone } = props;
    const values = what === "completed" || what === "failed" ? past(lane[what]) : lane[what];
    return (
        <td class="right spark-cell">
            <span>{value}</span>
            <Spark
                values={values}
                tone={tone}
                label={`${lane.lane_id}: ${what} over time, at most ${plural(Math.max(0, ...lane[what]), "execution")}`}
            />
        </td>
    );
}
