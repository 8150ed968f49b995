import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { executionPath, get, getOrNull, url } from "../lib/api";
import { count, shortId, words } from "../lib/format";
import { addKeys } from "../lib/keys";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import { duration } from "../lib/time";
import type { Attempt, Explanation, LeaseEvent, Signal, Waitpoint } from "../lib/types";
import { waterfall } from "../lib/waterfall";
import { why } from "../lib/why";
import { answers, askAnswer, askCancel, askPriority, askReplay, askResume, askRevoke, askTags, copyLink } from "../parts/actions";
import { BytesView, Tree } from "../parts/bytes";
import { Output } from "../parts/output";
import { State } from "../parts/state";
import { Button, Copy, Empty, Panel, Problem, Skeleton, Tabs, Time } from "../parts/ui";
import { WaterfallView } from "../parts/waterfall";
import { Page } from "../shell";

interface Everything {
    info: Explanation;
    attempts: Attempt[];
    events: LeaseEvent[];
    signals: Signal[];
    waitpoints: Waitpoint[];
    tags: Record<string, string>;
}

const FINAL = new Set(["completed", "failed", "cancelled", "expired", "skipped"]);

async function loadAll(id: string, abort: AbortSignal): Promise<Everything> {
    const path = (rest: string): string => executionPath(id, rest);
    const [info, attempts, events, signals, waitpoints, tags] = await Promise.all([
        get<Explanation>(path("/explain"), abort),
        getOrNull<{ attempts: Attempt[] }>(path("/attempts?limit=200"), abort),
        getOrNull<{ events: LeaseEvent[] }>(path("/lease-history?limit=500"), abort),
        getOrNull<{ signals: Signal[] }>(path("/signals?limit=200"), abort),
        getOrNull<{ waitpoints: Waitpoint[] }>(path("/pending-waitpoints?tokens=omit"), abort),
        getOrNull<Record<string, string>>(path("/tags"), abort),
    ]);
    return {
        info,
        attempts: attempts?.attempts ?? [],
        events: events?.events ?? [],
        signals: signals?.signals ?? [],
        waitpoints: waitpoints?.waitpoints ?? [],
        tags: tags ?? {},
    };
}

export function ExecutionPage(): JSX.Element {
    const id = place.value.path[1] ?? "";
    const load = useLoad(
        id,
        (abort) => loadAll(id, abort),
        (event) => event.execution_id === id,
    );
    const all = load.data;
    useEffect(() => {
        if (!all) return;
        document.title = `${all.info.execution_kind} · FlowFabric`;
        return addKeys({
            ...(FINAL.has(all.info.public_state)
                ? { R: { about: "run it again", run: () => askReplay(all.info) } }
                : { C: { about: "cancel it", run: () => askCancel(all.info) } }),
        });
    }, [all?.info.public_state]);
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
                        <WaterfallView data={waterfall(info, all.attempts, all.events, all.signals, now.value)} now={now.value} />
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
            <div class="buttons">
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
    const tabs = [
        ["output", "Output"],
        ["payload", "Payload"],
        ["result", "Result"],
        ["attempts", `Attempts ${all.attempts.length || ""}`],
        ["signals", `Signals ${all.signals.length || ""}`],
        ["raw", "Raw"],
    ] as const;
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
            {tab === "signals" && <SignalsTable signals={all.signals} />}
            {tab === "raw" && <Raw info={info} />}
        </section>
    );
}

function usage(attempt: Attempt): string {
    return Object.entries(attempt)
        .filter(([name]) => name.startsWith("usage.") && name !== "usage.last_usage_report_seq")
        .map(([name, value]) => `${count(Number(value))} ${name.slice("usage.".length)}`)
        .join(", ");
}

function AttemptsTable({ attempts }: { attempts: readonly Attempt[] }): JSX.Element {
    if (attempts.length === 0) return <Empty title="No worker has taken it yet" />;
    return (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Attempts">
            <table class="rows">
                <thead>
                    <tr>
                        <th scope="col" class="right">
                            #
                        </th>
                        <th scope="col">State</th>
                        <th scope="col">Type</th>
                        <th scope="col">Worker</th>
                        <th scope="col" class="right">
                            Took
                        </th>
                        <th scope="col">Usage</th>
                        <th scope="col" class="wide">
                            Failure
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {attempts.map((attempt) => (
                        <tr key={attempt.attempt_index}>
                            <td class="right">{attempt.attempt_index + 1}</td>
                            <td>
                                <State state={attempt.attempt_state} />
                            </td>
                            <td>{attempt.attempt_type}</td>
                            <td>{attempt.worker_instance_id}</td>
                            <td class="right">
                                {attempt.started_at ? duration((attempt.ended_at ?? now.value) - attempt.started_at) : "–"}
                            </td>
                            <td class="muted">{usage(attempt)}</td>
                            <td class="wide">
                                {attempt.failure_category && <code>{attempt.failure_category}</code>} {attempt.failure_reason}
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function SignalsTable({ signals }: { signals: readonly Signal[] }): JSX.Element {
    if (signals.length === 0) return <Empty title="No signal has arrived" />;
    return (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Signals">
            <table class="rows">
                <thead>
                    <tr>
                        <th scope="col">Signal</th>
                        <th scope="col">From</th>
                        <th scope="col" class="right">
                            Arrived
                        </th>
                        <th scope="col" class="wide">
                            Payload
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {signals.map((signal) => (
                        <tr key={signal.signal_id}>
                            <td class="strong">{signal.signal_name}</td>
                            <td>{signal.source_identity}</td>
                            <td class="right">
                                <Time at={signal.accepted_at ?? signal.created_at} />
                            </td>
                            <td class="wide">
                                <code>{signal.payload}</code>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Raw({ info }: { info: Explanation }): JSX.Element {
    const line = `curl -fsS '${url(executionPath(info.execution_id))}'`;
    return (
        <div class="bytes">
            <div class="bar">
                <code class="grow line-code" tabIndex={0}>
                    {line}
                </code>
                <Copy text={line} what="the curl line" />
            </div>
            <div class="bytes-box" tabIndex={0} role="region" aria-label="Raw JSON">
                <Tree value={info} open />
            </div>
        </div>
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
