import type { JSX } from "preact";
import { executionPath, getOrNull } from "../lib/api";
import type { NodeTime } from "../lib/flowtimes";
import { useLoad } from "../lib/load";
import { duration } from "../lib/time";
import type { ExecutionInfo, FlowNode } from "../lib/types";
import { lookOf, StateIcon } from "./state";
import { Panel } from "./ui";

const SLOWEST = 5;
const PATH_MOST = 12;

interface Timed {
    times: readonly NodeTime[];
    link: (node: FlowNode) => string;
}

/** When each of the nodes that the flow waited for was ready, began and ended. */
export function CriticalPath({ times, link }: Timed): JSX.Element | null {
    const shown = times.slice(0, PATH_MOST);
    const ids = shown.map((one) => one.node.execution_id);
    const known = new Set(ids);
    const load = useLoad(
        `path ${ids.join(" ")}`,
        async (abort) => {
            const infos = await Promise.all(ids.map((id) => getOrNull<ExecutionInfo>(executionPath(id), abort)));
            return new Map(
                infos.flatMap((info) => (info?.started_at === undefined ? [] : [[info.execution_id, info.started_at] as const])),
            );
        },
        (event) => known.has(event.execution_id),
    );
    if (times.length < 2) return null;
    const begun = Math.min(...times.map((one) => one.ready));
    const span = Math.max(1, Math.max(...times.map((one) => one.end)) - begun);
    const share = (ms: number): string => `${(ms / span) * 100}%`;
    return (
        <Panel title={`Critical path, ${duration(span)}`}>
            <ul class="slowest" aria-label="Critical path">
                {shown.map(({ node, ready, end }) => {
                    // The first start counts: a retry is part of what it took.
                    const started = Math.min(end, Math.max(ready, load.data?.get(node.execution_id) ?? ready));
                    return (
                        <li key={node.execution_id}>
                            <a href={link(node)}>
                                <StateIcon state={node.public_state} /> {node.name}
                            </a>
                            <span
                                class="path-bar"
                                title={`waited ${duration(started - ready)} for a worker, then took ${duration(end - started)}`}
                            >
                                <i class="waited" style={{ left: share(ready - begun), width: share(started - ready) }} />
                                <i
                                    class={lookOf(node.public_state).tone}
                                    style={{ left: share(started - begun), width: share(end - started) }}
                                />
                            </span>
                            <span class="right">{duration(end - ready)}</span>
                        </li>
                    );
                })}
                {times.length > PATH_MOST && <li class="muted">and {times.length - PATH_MOST} more</li>}
            </ul>
        </Panel>
    );
}

export function Slowest({ times, link }: Timed): JSX.Element | null {
    const took = times
        .map(({ node, ready, end }) => ({ node, ms: end - ready }))
        .filter((one) => one.ms > 0)
        .sort((a, b) => b.ms - a.ms)
        .slice(0, SLOWEST);
    if (took.length === 0) return null;
    const most = took[0]!.ms;
    return (
        <Panel title="Slowest nodes, from ready to end">
            <ul class="slowest" aria-label="Slowest nodes">
                {took.map(({ node, ms }) => (
                    <li key={node.execution_id}>
                        <a href={link(node)}>
                            <StateIcon state={node.public_state} /> {node.name}
                        </a>
                        <span class="slow-bar" aria-hidden="true">
                            <i class={lookOf(node.public_state).tone} style={{ width: `${(ms / most) * 100}%` }} />
                        </span>
                        <span class="right">{duration(ms)}</span>
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
