import type { JSX } from "preact";
import { executionPath, getOrNull } from "../lib/api";
import { commentOf } from "../lib/approvals";
import { count, shortId, words } from "../lib/format";
import type { Happening } from "../lib/history";
import { useLoad } from "../lib/load";
import { now, zone } from "../lib/prefs";
import { href } from "../lib/router";
import { duration, exact } from "../lib/time";
import type { Attempt, Child, Signal, Step } from "../lib/types";
import { usageOf } from "../lib/usage";
import { State } from "./state";
import { Empty, Time } from "./ui";

/** What is recorded of an execution, as lists. */

function Table({ label, head, children }: { label: string; head: JSX.Element; children: JSX.Element[] }): JSX.Element {
    return (
        <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
            <table class="rows">
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{children}</tbody>
            </table>
        </div>
    );
}

/** Bytes in a line of a list: text as it is, anything else by its size. */
function bytesLine(one: { value?: string; value_base64?: string }): string {
    if (one.value !== undefined) return one.value;
    if (one.value_base64 === undefined) return "";
    return `⟨${count(Math.floor((one.value_base64.length * 3) / 4))} bytes⟩`;
}

export function AttemptsTable({ attempts }: { attempts: readonly Attempt[] }): JSX.Element {
    if (attempts.length === 0) return <Empty title="No worker has taken it yet" />;
    return (
        <Table
            label="Attempts"
            head={
                <>
                    <th scope="col" class="right">
                        #
                    </th>
                    <th scope="col">State</th>
                    <th scope="col">Type</th>
                    <th scope="col">Worker</th>
                    <th scope="col" class="right">
                        Took
                    </th>
                    <th scope="col">Category</th>
                    <th scope="col" class="wide">
                        Failure
                    </th>
                    <th scope="col">Usage</th>
                </>
            }
        >
            {attempts.map((attempt) => (
                <tr key={attempt.attempt_index}>
                    <td class="right">{attempt.attempt_index + 1}</td>
                    <td>
                        <State state={attempt.attempt_state} />
                    </td>
                    <td>{words(attempt.attempt_type)}</td>
                    <td>{attempt.worker_instance_id}</td>
                    <td class="right">{attempt.started_at ? duration((attempt.ended_at ?? now.value) - attempt.started_at) : "–"}</td>
                    <td>{attempt.failure_category && <code>{attempt.failure_category}</code>}</td>
                    <td class="wide wrap">{attempt.failure_reason}</td>
                    <td class="muted">
                        {Object.entries(usageOf(attempt))
                            .map(([name, value]) => `${count(value)} ${words(name)}`)
                            .join(", ")}
                    </td>
                </tr>
            ))}
        </Table>
    );
}

export function StepsTable({ steps, more }: { steps: readonly Step[]; more: boolean }): JSX.Element {
    if (steps.length === 0)
        return <Empty title="No step is recorded">A worker records a result that it does not want to work out twice.</Empty>;
    return (
        <>
            <Table
                label="Steps"
                head={
                    <>
                        <th scope="col">Step</th>
                        <th scope="col" class="right">
                            Attempt
                        </th>
                        <th scope="col" class="right">
                            Recorded
                        </th>
                        <th scope="col" class="wide">
                            Value
                        </th>
                    </>
                }
            >
                {steps.map((step) => (
                    <tr key={step.name}>
                        <td class="strong">{step.name}</td>
                        <td class="right">{step.attempt_index + 1}</td>
                        <td class="right">
                            <Time at={step.recorded_at} />
                        </td>
                        <td class="wide wrap">
                            <code>{bytesLine(step)}</code>
                        </td>
                    </tr>
                ))}
            </Table>
            {more && <p class="muted padded">Only the first {count(steps.length)} are shown; GET …/steps pages through all of them.</p>}
        </>
    );
}

const OUTCOME_STATES: Record<string, string> = { success: "completed" };

export function ChildrenTable({ rows }: { rows: readonly Child[] }): JSX.Element {
    if (rows.length === 0) return <Empty title="It has called no children" />;
    return (
        <Table
            label="Children"
            head={
                <>
                    <th scope="col">Child</th>
                    <th scope="col">State</th>
                    <th scope="col" class="right">
                        Took
                    </th>
                    <th scope="col" class="wide">
                        Result or failure
                    </th>
                    <th scope="col" class="right">
                        Id
                    </th>
                </>
            }
        >
            {rows.map((child) => {
                const state =
                    child.outcome === null ? (child.info?.public_state ?? "running") : (OUTCOME_STATES[child.outcome] ?? child.outcome);
                const info = child.info;
                return (
                    <tr key={child.name}>
                        <td class="strong">
                            <a href={href(["executions", child.execution_id])}>{child.name}</a>
                        </td>
                        <td>
                            <State state={state} />
                        </td>
                        <td class="right">
                            {info?.started_at ? duration((info.completed_at ?? now.value) - info.started_at) : <span class="muted">–</span>}
                        </td>
                        <td class="wide wrap">
                            {child.failure_category && <code>{child.failure_category}</code>}{" "}
                            {child.failure_reason ?? (
                                <code>
                                    {bytesLine({
                                        ...(child.result === undefined ? {} : { value: child.result }),
                                        ...(child.result_base64 === undefined ? {} : { value_base64: child.result_base64 }),
                                    })}
                                </code>
                            )}
                        </td>
                        <td class="right">
                            <code class="muted">{shortId(child.execution_id)}</code>
                        </td>
                    </tr>
                );
            })}
        </Table>
    );
}

const ATTEMPTS_ASKED_MOST = 5;

/** The listing of signals has no payloads; those that resumed an attempt are told with it. */
export function SignalsTable({
    id,
    signals,
    attempts,
}: {
    id: string;
    signals: readonly Signal[];
    attempts: readonly Attempt[];
}): JSX.Element {
    const load = useLoad(`payloads ${id} ${signals.length}`, async (abort) => {
        const indexes = attempts.map((attempt) => attempt.attempt_index).slice(-ATTEMPTS_ASKED_MOST);
        const pages = await Promise.all(
            indexes.map((index) =>
                getOrNull<{ signals: Signal[] }>(executionPath(id, `/resume-signals?attempt_index=${index}`), abort).catch(() => null),
            ),
        );
        return new Map(pages.flatMap((page) => page?.signals ?? []).map((signal) => [signal.signal_id, signal]));
    });
    if (signals.length === 0) return <Empty title="No signal has arrived" />;
    return (
        <Table
            label="Signals"
            head={
                <>
                    <th scope="col">Signal</th>
                    <th scope="col">From</th>
                    <th scope="col" class="right">
                        Arrived
                    </th>
                    <th scope="col" class="wide">
                        Payload
                    </th>
                </>
            }
        >
            {signals.map((signal) => {
                const full = load.data?.get(signal.signal_id) ?? signal;
                const comment = commentOf(full);
                return (
                    <tr key={signal.signal_id}>
                        <td class="strong">{signal.signal_name}</td>
                        <td>{signal.source_identity}</td>
                        <td class="right">
                            <Time at={signal.accepted_at ?? signal.created_at} />
                        </td>
                        <td class="wide wrap">{comment === undefined ? <code>{full.payload}</code> : <q>{comment}</q>}</td>
                    </tr>
                );
            })}
        </Table>
    );
}

const HAPPENINGS_MOST = 300;

export function HistoryTable({ happenings }: { happenings: readonly Happening[] }): JSX.Element {
    return (
        <>
            <Table
                label="History"
                head={
                    <>
                        <th scope="col">When</th>
                        <th scope="col">What</th>
                        <th scope="col">Who</th>
                        <th scope="col" class="wide">
                            About
                        </th>
                    </>
                }
            >
                {happenings.slice(0, HAPPENINGS_MOST).map((one, at) => (
                    <tr key={at}>
                        <td class="muted">
                            <time dateTime={new Date(one.at).toISOString()}>{exact(one.at, zone.value)}</time>
                        </td>
                        <td>
                            <span class={`state ${one.tone}`}>{one.what}</span>
                        </td>
                        <td>{one.who}</td>
                        <td class="wide wrap">{one.about}</td>
                    </tr>
                ))}
            </Table>
            {happenings.length > HAPPENINGS_MOST && (
                <p class="muted padded">
                    Only the latest {HAPPENINGS_MOST} of {count(happenings.length)} are shown.
                </p>
            )}
        </>
    );
}
