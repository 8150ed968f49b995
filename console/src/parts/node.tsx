import type { JSX } from "preact";
import { executionPath, get, getOrNull } from "../lib/api";
import { FINAL_STATES } from "../lib/filter";
import { shortId, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { href, place, setQuery } from "../lib/router";
import type { Explanation, FlowGroup, FlowNode, Waitpoint } from "../lib/types";
import { why } from "../lib/why";
import { answers, askAnswer, askCancel, askReplay } from "./actions";
import { BytesView } from "./bytes";
import { Output } from "./output";
import { State } from "./state";
import { Button, Skeleton, Tabs, Time } from "./ui";

const SHOWN = [
    ["output", "Output"],
    ["payload", "Payload"],
    ["result", "Result"],
] as const;

interface Loaded {
    info: Explanation;
    waitpoints: Waitpoint[];
}

async function loadNode(id: string, abort: AbortSignal): Promise<Loaded> {
    const [info, open] = await Promise.all([
        get<Explanation>(executionPath(id, "/explain"), abort),
        getOrNull<{ waitpoints: Waitpoint[] }>(executionPath(id, "/pending-waitpoints?tokens=omit"), abort),
    ]);
    return { info, waitpoints: open?.waitpoints ?? [] };
}

/** The execution of a node, beside the graph. */
export function NodeBox({ node, group, changed }: { node: FlowNode; group: FlowGroup | undefined; changed: () => void }): JSX.Element {
    const id = node.execution_id;
    const load = useLoad(
        `node ${id}`,
        (abort) => loadNode(id, abort),
        (event) => event.execution_id === id,
    );
    const shown = place.value.query.get("tab") ?? "output";
    const info = load.data?.info;
    return (
        <aside class="panel node-box" aria-label={`Node ${node.name}`}>
            <header>
                <h2>{node.name}</h2>
                <Button kind="quiet" label="Close" onClick={() => setQuery({ node: null, tab: null })}>
                    ×
                </Button>
            </header>
            {load.data && info ? (
                <>
                    <div class="padded">
                        <State state={info.public_state} pill />
                        <p>{why(info, load.data.waitpoints).sentence}</p>
                        <Facts node={node} info={info} group={group} />
                        <div class="buttons">
                            <Actions data={load.data} changed={changed} />
                            <a class="button main" href={href(["executions", id])}>
                                Open execution {shortId(id).slice(-6)}
                            </a>
                        </div>
                    </div>
                    <div class="bar">
                        <Tabs label="What is shown of the node" tabs={SHOWN} current={shown} choose={(to) => setQuery({ tab: to })} />
                    </div>
                    {shown === "output" && <Output id={id} attempts={info.total_attempt_count} />}
                    {shown === "payload" && (
                        <BytesView path={executionPath(id, "/payload")} name="payload" nothing="It was created without a payload" />
                    )}
                    {shown === "result" && (
                        <BytesView
                            path={executionPath(id, "/result")}
                            name="result"
                            nothing={info.public_state === "completed" ? "It ended without a result" : "No result yet"}
                            version={info.public_state}
                        />
                    )}
                </>
            ) : (
                <Skeleton rows={6} />
            )}
        </aside>
    );
}

function Actions({ data, changed }: { data: Loaded; changed: () => void }): JSX.Element {
    const { info, waitpoints } = data;
    const ended = (FINAL_STATES as readonly string[]).includes(info.public_state);
    const asked = waitpoints.find((one) => one.approval);
    const { yes, no } = asked ? answers(asked) : { yes: [], no: [] };
    return (
        <>
            {asked &&
                [...yes, ...no].map((name) => (
                    <Button key={name} onClick={() => askAnswer(asked, name, changed)}>
                        {name === "approved" ? "Approve" : name === "rejected" ? "Reject" : words(name)}
                    </Button>
                ))}
            {ended && <Button onClick={() => askReplay(info)}>Run again</Button>}
            {!ended && (
                <Button kind="danger" onClick={() => askCancel(info)}>
                    Cancel
                </Button>
            )}
        </>
    );
}

function Facts({ node, info, group }: { node: FlowNode; info: Explanation; group: FlowGroup | undefined }): JSX.Element {
    const row = (name: string, value: JSX.Element | string | number): JSX.Element => (
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    );
    return (
        <dl class="facts">
            {row("Kind", node.execution_kind)}
            {row("Lane", node.lane_id)}
            {row("Attempts", info.total_attempt_count)}
            {row("Started", <Time at={info.started_at} />)}
            {row("Ended", <Time at={info.completed_at} />)}
            {group &&
                row(
                    "Joins",
                    `${words(group.policy)}, ${group.succeeded} of ${group.n} succeeded${group.failed > 0 ? `, ${group.failed} failed` : ""}`,
                )}
        </dl>
    );
}
