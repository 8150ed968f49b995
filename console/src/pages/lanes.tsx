import type { JSX } from "preact";
import { get, send } from "../lib/api";
import { short, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { type LaneOverview, type Overview, perMinute, sum } from "../lib/overview";
import { href } from "../lib/router";
import type { Lane } from "../lib/types";
import { State } from "../parts/state";
import { Button, Empty, Problem, perform, question, Skeleton } from "../parts/ui";
import { Page } from "../shell";

const SHOWN = ["waiting", "active", "suspended", "delayed", "rate_limited"] as const;
const MINOR: ReadonlySet<string> = new Set(["suspended", "delayed", "rate_limited"]);
/** No event tells of what is created, nor of what others change here. */
const AGAIN_MS = 5_000;
const LIST_STATE: Record<string, string> = {
    waiting: "eligible",
    active: "active",
    suspended: "suspended",
    delayed: "delayed",
    rate_limited: "blocked_budget",
};
const WHAT: Record<Lane["state"], string> = {
    active: "takes new work and hands it out",
    paused: "takes new work, hands none out",
    draining: "takes no new work, hands out what it has",
    disabled: "neither takes new work nor hands any out",
};

const path = (lane: Lane): string => `/v1/lanes/${encodeURIComponent(lane.lane_id)}`;

function setState(lane: Lane, state: Lane["state"]): void {
    const before = lane.state;
    void perform(() => send("PUT", path(lane), { state }), {
        text: `Lane ${lane.lane_id} is ${state}: it ${WHAT[state]}.`,
        undo: () => send("PUT", path(lane), { state: before }),
    });
}

function askShare(lane: Lane): void {
    const before = lane.scheduling_weight;
    question.value = {
        title: `Share of lane ${lane.lane_id}`,
        about: "Workers that serve several lanes take from each in proportion to its weight.",
        action: "Change it",
        fields: [{ name: "weight", label: "Weight, 1 to 1000", kind: "number", value: String(before) }],
        run: (values) => send("PUT", path(lane), { scheduling_weight: Number(values.weight) }),
        done: (values) => ({ text: `Weight ${values.weight}.`, undo: () => send("PUT", path(lane), { scheduling_weight: before }) }),
    };
}

export function LanesPage(): JSX.Element {
    const load = useLoad(
        "lanes",
        (abort) => get<{ lanes: Lane[] }>("/v1/lanes?counts=now", abort),
        () => true,
        () => AGAIN_MS,
    );
    const lanes = load.data?.lanes ?? [];
    const overview = useLoad(
        "rates",
        (abort) => get<Overview>("/v1/overview", abort),
        () => true,
    );
    const rates = new Map(overview.data?.lanes.map((lane) => [lane.lane_id, lane]));
    const weights = lanes.reduce((all, lane) => all + (lane.state === "active" ? lane.scheduling_weight : 0), 0);
    const after = (run: () => void) => (): void => {
        run();
        setTimeout(load.reload, 400);
    };
    return (
        <Page title="Lanes">
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {!load.data ? (
                !load.error && <Skeleton />
            ) : lanes.length === 0 ? (
                <Empty title="There is no lane yet">A lane comes into being with the first execution that names it.</Empty>
            ) : (
                <div class="scroll-x">
                    <table class="rows tall" aria-label="Lanes">
                        <thead>
                            <tr>
                                <th scope="col">Lane</th>
                                <th scope="col">State</th>
                                {SHOWN.map((name) => (
                                    <th key={name} scope="col" class={MINOR.has(name) ? "right secondary" : "right"}>
                                        {words(name)}
                                    </th>
                                ))}
                                <th scope="col" class="right secondary">
                                    completed
                                </th>
                                <th scope="col" class="right secondary">
                                    failed in an hour
                                </th>
                                <th scope="col" class="right secondary">
                                    share
                                </th>
                                <th scope="col">
                                    <span class="hidden">Actions</span>
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {lanes.map((lane) => (
                                <tr key={lane.lane_id} data-id={lane.lane_id}>
                                    <td>
                                        <a class="strong" href={href(["executions"], { q: `lane:${lane.lane_id}` })}>
                                            {lane.lane_id}
                                        </a>
                                    </td>
                                    <td title={WHAT[lane.state]}>
                                        {lane.state === "active" ? <span class="state good">active</span> : <State state={lane.state} />}
                                    </td>
                                    {SHOWN.map((name) => (
                                        <td key={name} class={MINOR.has(name) ? "right secondary" : "right"}>
                                            <Count lane={lane} name={name} />
                                        </td>
                                    ))}
                                    <td class="right secondary">
                                        <Rate lane={rates.get(lane.lane_id)} pointMs={overview.data?.point_ms ?? 1} />
                                    </td>
                                    <td class="right secondary">{short(sum(rates.get(lane.lane_id)?.failed ?? []))}</td>
                                    <td class="right secondary">
                                        <Button
                                            kind="quiet"
                                            title="Of what workers take that serve all active lanes"
                                            label={`${shareOf(lane, weights)} for ${lane.lane_id}, weight ${lane.scheduling_weight}`}
                                            onClick={() => askShare(lane)}
                                        >
                                            {shareOf(lane, weights)}
                                        </Button>
                                    </td>
                                    <td>
                                        <div class="buttons">
                                            {lane.state === "active" ? (
                                                <Button onClick={after(() => setState(lane, "paused"))} label={`Pause ${lane.lane_id}`}>
                                                    Pause
                                                </Button>
                                            ) : (
                                                <Button
                                                    kind="main"
                                                    onClick={after(() => setState(lane, "active"))}
                                                    label={`Enable ${lane.lane_id}`}
                                                >
                                                    Enable
                                                </Button>
                                            )}
                                            {(lane.state === "active" || lane.state === "paused") && (
                                                <Button
                                                    kind="quiet"
                                                    onClick={after(() => setState(lane, "draining"))}
                                                    label={`Drain ${lane.lane_id}`}
                                                >
                                                    Drain
                                                </Button>
                                            )}
                                            {lane.state !== "disabled" && (
                                                <Button
                                                    kind="quiet"
                                                    onClick={after(() => setState(lane, "disabled"))}
                                                    label={`Disable ${lane.lane_id}`}
                                                >
                                                    Disable
                                                </Button>
                                            )}
                                        </div>
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </Page>
    );
}

function shareOf(lane: Lane, weights: number): string {
    return lane.state === "active" && weights > 0 ? `${Math.round((lane.scheduling_weight / weights) * 100)} %` : "none";
}

function Rate({ lane, pointMs }: { lane: LaneOverview | undefined; pointMs: number }): JSX.Element {
    if (!lane) return <span class="muted">–</span>;
    return <>{perMinute(lane, pointMs)}</>;
}

function Count({ lane, name }: { lane: Lane; name: string }): JSX.Element {
    const value = lane.counts[name] ?? 0;
    if (value === 0) return <span class="muted">0</span>;
    return <a href={href(["executions"], { q: `lane:${lane.lane_id} state:${LIST_STATE[name]}` })}>{short(value)}</a>;
}
