import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { executionPath, get, getOrNull } from "../lib/api";
import { count, shortId, words } from "../lib/format";
import { history } from "../lib/history";
import { addKeys, type KeyMap } from "../lib/keys";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import { duration } from "../lib/time";
import type { Attempt, Child, ExecutionInfo, Explanation, LeaseEvent, Signal, Step, Waitpoint } from "../lib/types";
import { waterfall } from "../lib/waterfall";
import { why } from "../lib/why";
import { answers, askAnswer, askCancel, askPriority, askReplay, askResume, askRevoke, askTags, copyLink } from "../parts/actions";
import { Answers } from "../parts/answers";
import { BytesView } from "../parts/bytes";
import { Output } from "../parts/output";
import { Raw } from "../parts/raw";
import { AttemptsTable, ChildrenTable, HistoryTable, SignalsTable, StepsTable } from "../parts/records";
import { State } from "../parts/state";
import { Button, Copy, Empty, Panel, Problem, Skeleton, Tabs, Time } from "../parts/ui";
import { Usage } from "../parts/usage";
import { WaterfallView } from "../parts/waterfall";
import { Page } from "../shell";

interface Everything {
    info: Explanation;
    attempts: Attempt[];
    events: LeaseEvent[];
    signals: Signal[];
    waitpoints: Waitpoint[];
    steps: Step[];
    moreSteps: boolean;
    children: Child[];
    tags: Record<string, string>;
}

const FINAL = new Set(["completed", "failed", "cancelled", "expired", "skipped"]);

const STEPS_MOST = 200;
const CHILDREN_MOST = 256;
/** Children whose times are asked for, to be drawn. */
const CHILDREN_TIMED_MOST = 20;
/** No event tells of progress, steps and usage. */
const ACTIVE_AGAIN_MS = 3_000;

async function loadChildren(id: string, abort: AbortSignal): Promise<Child[]> {
    const found = await getOrNull<{ children: Child[] }>(executionPath(id, `/children?limit=${CHILDREN_MOST}`), abort);
    const children = found?.children ?? [];
    const timed = await Promise.all(
        children.slice(0, CHILDREN_TIMED_MOST).map((child) => getOrNull<ExecutionInfo>(executionPath(child.execution_id), abort)),
    );
    return children.map((child, at) => (timed[at] ? { ...child, info: timed[at] } : child));
}

async function loadAll(id: string, abort: AbortSignal): Promise<Everything> {
    const path = (rest: string): string => executionPath(id, rest);
    const [info, attempts, events, signals, waitpoints, steps, children, tags] = await Promise.all([
        get<Explanation>(path("/explain"), abort),
        getOrNull<{ attempts: Attempt[] }>(path("/attempts?limit=200"), abort),
        getOrNull<{ events: LeaseEvent[] }>(path("/lease-history?limit=500"), abort),
        getOrNull<{ signals: Signal[] }>(path("/signals?limit=200"), abort),
        getOrNull<{ waitpoints: Waitpoint[] }>(path("/pending-waitpoints?tokens=omit"), abort),
        getOrNull<{ steps: Step[]; next_cursor: string | null }>(path(`/steps?limit=${STEPS_MOST}`), abort),
        loadChildren(id, abort),
        getOrNull<Record<string, string>>(path("/tags"), abort),
    ]);
    return {
        info,
        attempts: attempts?.attempts ?? [],
        events: events?.events ?? [],
        signals: signals?.signals ?? [],
        waitpoints: waitpoints?.waitpoints ?? [],
        steps: steps?.steps ?? [],
        moreSteps: Boolean(steps?.next_cursor),
        children,
        tags: tags ?? {},
    };
}

export function ExecutionPage(): JSX.Element {
    const id = place.value.path[1] ?? "";
    const kin = useRef(new Set([id]));
    const load = useLoad(
        id,
        (abort) => loadAll(id, abort),
        (event) => kin.current.has(event.execution_id),
        (data) => (data.info.public_state === "active" ? ACTIVE_AGAIN_MS : undefined),
    );
    const all = load.data;
    if (all) kin.current = new Set([id, ...all.children.slice(0, CHILDREN_TIMED_MOST).map((child) => child.execution_id)]);
    useEffect(() => {
        if (!all) return;
        document.title = `${all.info.execution_kind} · FlowFabric`;
        return addKeys({
            ...keysOf(all),
        });
    }, [all?.info]);
    if (load.error && !all)
        return (
            <Page title="Execution">
                {load.error.status === 404 ? (
                    <Empty title="There is no such execution">
                        It may have been purged: an execution that has ended is kept for its retention time.{" "}
                        <a href={href(["executions"])}>To the list</a>
                    </Empty>
                ) : (
                    <Problem error={load.error} retry={load.reload} />
                )}
            </Page>
        );
    if (!all)
        return (
            <Page title="Execution">
                <Skeleton rows={12} />
            </Page>
        );
    return <Loaded all={all} />;
}

/** What the buttons do, on keys and in the palette. */
function keysOf({ info, tags }: Everything): KeyMap {
    const ended = FINAL.has(info.public_state);
    const keys: KeyMap = { T: { about: "change its tags", act: true, run: () => askTags(info, tags) } };
    if (ended) keys.R = { about: "run it again", act: true, run: () => askReplay(info) };
    else keys.C = { about: "cancel it", act: true, run: () => askCancel(info) };
    if (info.public_state === "suspended") keys.E = { about: "resume it", act: true, run: () => askResume(info) };
    if (info.public_state === "active") keys.L = { about: "revoke its lease", act: true, run: () => askRevoke(info) };
    if (!ended && info.public_state !== "active") keys.P = { about: "change its priority", act: true, run: () => askPriority(info) };
    return keys;
}

function Loaded({ all }: { all: Everything }): JSX.Element {
    const { info, waitpoints } = all;
    const reason = why(info, waitpoints);
    return (
        <Page
            title={
                <>
                    <span class="crumb">
                        <a href={href(["executions"])}>Executions</a>
                    </span>
                    {info.execution_kind || "(no kind)"}
                </>
            }
            lead={
                <p class="lead">
                    <State state={info.public_state} pill />
                    <code class="id">{info.execution_id}</code>
                    <Copy text={info.execution_id} what="the id" />
                </p>
            }
            side={<Actions all={all} />}
        >
            <div class={`why ${reason.tone}`} role="status">
                <p>{reason.sentence}</p>
                {reason.evidence.length > 0 && (
                    <ul>
                        {reason.evidence.slice(0, 8).map((one) => (
                            <li key={one}>{one}</li>
                        ))}
                    </ul>
                )}
                {info.public_state === "active" && info.progress_pct !== undefined && (
                    <div class="progress" role="progressbar" aria-label="Progress" aria-valuenow={info.progress_pct}>
                        <div style={{ width: `${info.progress_pct}%` }} />
                    </div>
                )}
            </div>
            {waitpoints.map((waitpoint) => (
                <WaitpointBox key={waitpoint.waitpoint_id} waitpoint={waitpoint} />
            ))}
            <div class="split">
                <div>
                    <Panel title="Timeline">
                        <WaterfallView
                            data={waterfall(info, all.attempts, all.events, all.signals, now.value, all.steps, all.children)}
                            now={now.value}
                        />
                    </Panel>
                    <Details all={all} />
                </div>
                <Facts all={all} />
            </div>
        </Page>
    );
}

function WaitpointBox({ waitpoint }: { waitpoint: Waitpoint }): JSX.Element {
    const { yes, no } = answers(waitpoint);
    return (
        <section class="panel ask">
            <p class="strong">
                {waitpoint.approval?.prompt ?? `Open waitpoint: ${waitpoint.required_signal_names.map(words).join(" or ") || "any signal"}`}
            </p>
            <p class="muted">
                {waitpoint.approval?.assignees && waitpoint.approval.assignees.length > 0 && (
                    <>For {waitpoint.approval.assignees.join(", ")}. </>
                )}
                {waitpoint.expires_at ? (
                    <>
                        Expires <Time at={waitpoint.expires_at} />.
                    </>
                ) : (
                    "Never expires."
                )}
            </p>
            <Answers waitpoint={waitpoint} />
            <div class="buttons">
                {waitpoint.approval && (
                    <a class="button quiet" href={href(["approvals", waitpoint.execution_id, waitpoint.waitpoint_id])}>
                        Open alone
                    </a>
                )}
                {yes.map((name) => (
                    <Button key={name} kind="main" onClick={() => askAnswer(waitpoint, name)}>
                        {name === "approved" ? "Approve" : `Send “${name}”`}
                    </Button>
                ))}
                {no.map((name) => (
                    <Button key={name} onClick={() => askAnswer(waitpoint, name)}>
                        {name === "rejected" ? "Reject" : `Send “${name}”`}
                    </Button>
                ))}
            </div>
        </section>
    );
}

function Actions({ all }: { all: Everything }): JSX.Element {
    const { info, tags } = all;
    const ended = FINAL.has(info.public_state);
    return (
        <>
            {ended && (
                <Button kind="main" onClick={() => askReplay(info)}>
                    Run again
                </Button>
            )}
            {info.public_state === "suspended" && <Button onClick={() => askResume(info)}>Resume</Button>}
            {info.public_state === "active" && <Button onClick={() => askRevoke(info)}>Revoke lease</Button>}
            {!ended && info.public_state !== "active" && <Button onClick={() => askPriority(info)}>Priority</Button>}
            <Button onClick={() => askTags(info, tags)}>Tags</Button>
            <Button onClick={() => void copyLink()}>Share</Button>
            {!ended && (
                <Button kind="danger" onClick={() => askCancel(info)}>
                    Cancel
                </Button>
            )}
        </>
    );
}

function Details({ all }: { all: Everything }): JSX.Element {
    const { info } = all;
    const tab = place.value.query.get("tab") ?? (info.total_attempt_count > 0 ? "output" : "payload");
    const path = (rest: string): string => executionPath(info.execution_id, rest);
    const some = (name: string, list: readonly unknown[], more = false): string =>
        list.length === 0 ? name : `${name} ${count(list.length)}${more ? "+" : ""}`;
    const tabs: [string, string][] = [
        ["output", "Output"],
        ["payload", "Payload"],
        ["result", "Result"],
        ["attempts", some("Attempts", all.attempts)],
    ];
    if (all.steps.length > 0 || tab === "steps") tabs.push(["steps", some("Steps", all.steps, all.moreSteps)]);
    if (all.children.length > 0 || tab === "children") tabs.push(["children", some("Children", all.children)]);
    tabs.push(["signals", some("Signals", all.signals)], ["usage", "Usage"], ["history", "History"], ["raw", "Raw"]);
    return (
        <section class="panel">
            <header>
                <Tabs label="Details" tabs={tabs} current={tab} choose={(to) => setQuery({ tab: to })} />
            </header>
            {tab === "output" && <Output id={info.execution_id} attempts={info.total_attempt_count} />}
            {tab === "payload" && <BytesView path={path("/payload")} name="payload" nothing="It was created without a payload" />}
            {tab === "result" && (
                <BytesView
                    path={path("/result")}
                    name="result"
                    nothing={info.public_state === "completed" ? "It ended without a result" : "No result yet"}
                    version={info.public_state}
                />
            )}
            {tab === "attempts" && <AttemptsTable attempts={all.attempts} />}
            {tab === "steps" && <StepsTable steps={all.steps} more={all.moreSteps} />}
            {tab === "children" && <ChildrenTable rows={all.children} />}
            {tab === "signals" && <SignalsTable id={info.execution_id} signals={all.signals} attempts={all.attempts} />}
            {tab === "usage" && <Usage info={info} attempts={all.attempts} />}
            {tab === "history" && <HistoryTable happenings={history(info, all.attempts, all.events, all.signals, all.steps)} />}
            {tab === "raw" && <Raw id={info.execution_id} />}
        </section>
    );
}

function Facts({ all }: { all: Everything }): JSX.Element {
    const { info, tags } = all;
    const row = (name: string, value: JSX.Element | string | number): JSX.Element => (
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    );
    return (
        <aside aria-label="Facts">
            <dl class="facts">
                {row("Lane", <a href={href(["executions"], { q: `lane:${info.lane_id}` })}>{info.lane_id}</a>)}
                {row("Namespace", info.namespace)}
                {row("Priority", count(info.priority))}
                {row("Created", <Time at={info.created_at} />)}
                {row("Started", <Time at={info.started_at} />)}
                {row("Ended", <Time at={info.completed_at} />)}
                {info.started_at !== undefined && row("Ran for", duration((info.completed_at ?? now.value) - info.started_at))}
                {info.delay_until !== undefined && !FINAL.has(info.public_state) && row("Due", <Time at={info.delay_until} />)}
                {info.execution_deadline_at !== undefined && row("Deadline", <Time at={info.execution_deadline_at} />)}
                {row("Attempts", count(info.total_attempt_count))}
                {info.flow_id &&
                    row("Flow", <a href={href(["flows", info.flow_id], { node: info.execution_id })}>{shortId(info.flow_id)}</a>)}
                {info.called_by &&
                    row(
                        "Called by",
                        <>
                            <a href={href(["executions", info.called_by], { tab: "children" })}>{shortId(info.called_by)}</a> as{" "}
                            {info.called_as}
                        </>,
                    )}
                {info.required_capabilities && row("Needs", <code>{info.required_capabilities}</code>)}
            </dl>
            {Object.keys(tags).length > 0 && (
                <>
                    <h2 class="aside-title">Tags</h2>
                    <ul class="tags">
                        {Object.entries(tags).map(([key, value]) => (
                            <li key={key}>
                                <a href={href(["executions"], { q: `tag:${key}:${value}` })}>
                                    <span class="muted">{key}</span> {value}
                                </a>
                            </li>
                        ))}
                    </ul>
                </>
            )}
            {info.policies.length > 0 && (
                <>
                    <h2 class="aside-title">Limits</h2>
                    <ul class="tags">
                        {info.policies.map((policy) => (
                            <li key={policy.ref}>
                                <a
                                    href={href(["limits"], { id: policy.ref.replace(/^[a-z_]+:/, "") })}
                                    class={policy.exhausted ? "bad-text" : ""}
                                >
                                    {policy.ref.split(":")[0]} {shortId(policy.ref)}: {policy.exhausted ? "exhausted" : "has room"}
                                </a>
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </aside>
    );
}
