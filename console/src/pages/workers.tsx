import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { executionPath, get, send } from "../lib/api";
import { plural, shortId } from "../lib/format";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import type { Explanation, Lane, Listed, Worker } from "../lib/types";
import { Button, Empty, Panel, Problem, question, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";

interface Held {
    execution_id: string;
    attempt_index: number;
    lease_expires_at: number;
}

interface Data {
    workers: (Worker & { leases: Held[] })[];
    unmet: { capability: string; count: number; example: string }[];
}

const WORKERS_MOST = 200;
const BLOCKED_LOOKED_AT_MOST = 30;
/** A registration lasts a minute unless it says otherwise. */
const LATE_MS = 45_000;

const instancePath = (worker: Worker): string =>
    `/v1/workers/${encodeURIComponent(worker.worker_id)}/instances/${encodeURIComponent(worker.worker_instance_id)}`;

async function unmet(abort: AbortSignal): Promise<Data["unmet"]> {
    const { lanes } = await get<{ lanes: Lane[] }>("/v1/lanes", abort);
    const blocked = (
        await Promise.all(
            lanes.map((lane) =>
                get<{ executions: Listed[] }>(
                    `/v1/executions?lane=${encodeURIComponent(lane.lane_id)}&state=blocked_route&limit=${BLOCKED_LOOKED_AT_MOST}`,
                    abort,
                ),
            ),
        )
    ).flatMap((list) => list.executions);
    const found = new Map<string, { count: number; example: string }>();
    const explained = await Promise.all(
        blocked
            .slice(0, BLOCKED_LOOKED_AT_MOST)
            .map((one) => get<Explanation>(executionPath(one.execution_id, "/explain"), abort).catch(() => null)),
    );
    for (const info of explained) {
        for (const capability of (info?.required_capabilities ?? "").split(",").filter(Boolean)) {
            const before = found.get(capability);
            found.set(capability, { count: (before?.count ?? 0) + 1, example: before?.example ?? info!.execution_id });
        }
    }
    return [...found].map(([capability, facts]) => ({ capability, ...facts }));
}

async function loadWorkers(namespace: string, abort: AbortSignal): Promise<Data> {
    const [{ workers }, missing] = await Promise.all([
        get<{ workers: Worker[] }>(
            `/v1/workers?limit=${WORKERS_MOST}${namespace === "" ? "" : `&namespace=${encodeURIComponent(namespace)}`}`,
            abort,
        ),
        unmet(abort),
    ]);
    const leases = await Promise.all(
        workers.map((worker) => get<{ leases: Held[] }>(`${instancePath(worker)}/leases`, abort).catch(() => ({ leases: [] }))),
    );
    const offered = new Set(workers.flatMap((worker) => worker.capabilities));
    return {
        workers: workers.map((worker, at) => ({ ...worker, leases: leases[at]!.leases })),
        unmet: missing.filter((one) => !offered.has(one.capability)),
    };
}

function askRemove(worker: Worker, done: () => void): void {
    question.value = {
        title: `Take ${worker.worker_instance_id} out?`,
        about: "It is no longer listed and its leases are revoked, so that others take its work over. If it still runs, it registers again.",
        action: "Take it out",
        danger: true,
        run: () =>
            send("DELETE", `${instancePath(worker)}?namespace=${encodeURIComponent(worker.namespace)}`, {
                reason: "removed in the console",
                revoke_leases: true,
            }),
        done: () => {
            done();
            return { text: `${worker.worker_instance_id} is taken out.` };
        },
    };
}

export function WorkersPage(): JSX.Element {
    const namespace = place.value.query.get("ns") ?? "";
    const load = useLoad(
        `workers ${namespace}`,
        (abort) => loadWorkers(namespace, abort),
        (event) => event.family === "lease_history" && event.event !== "renewed",
    );
    const typed = useSignal(namespace);
    return (
        <Page
            title="Workers"
            lead={
                load.data && (
                    <p class="muted">
                        {plural(load.data.workers.length, "registered instance")}. A worker that claims without registering is not listed.
                    </p>
                )
            }
            side={
                <form
                    class="inline"
                    onSubmit={(event) => {
                        event.preventDefault();
                        setQuery({ ns: typed.value.trim() || null });
                    }}
                >
                    <label class="inline">
                        <span>Namespace</span>
                        <input value={typed.value} placeholder="all" onInput={(event) => (typed.value = event.currentTarget.value)} />
                    </label>
                </form>
            }
        >
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {load.data && load.data.unmet.length > 0 && (
                <div class="why held" role="status">
                    <p>Waiting work needs what no registered worker has.</p>
                    <ul>
                        {load.data.unmet.map((one) => (
                            <li key={one.capability}>
                                <a href={href(["executions", one.example])}>
                                    <code>{one.capability}</code>: {plural(one.count, "execution")}
                                </a>
                            </li>
                        ))}
                    </ul>
                </div>
            )}
            {!load.data ? (
                !load.error && <Skeleton />
            ) : load.data.workers.length === 0 ? (
                <Empty
                    title={namespace === "" ? "No worker is registered" : `No worker is registered in namespace ${namespace}`}
                    line={`curl -X PUT ${location.origin}/v1/workers/my-worker/instances/my-worker-1 -H 'Content-Type: application/json' -d '{"namespace":"${namespace || "default"}","lanes":["default"],"capabilities":[]}'`}
                >
                    The SDK registers by itself. Over HTTP:
                </Empty>
            ) : (
                <Panel title="Instances">
                    <div class="scroll-x">
                        <table class="rows" aria-label="Workers">
                            <thead>
                                <tr>
                                    <th scope="col">Instance</th>
                                    <th scope="col">Worker</th>
                                    <th scope="col" class="secondary">
                                        Namespace
                                    </th>
                                    <th scope="col">Lanes</th>
                                    <th scope="col">Capabilities</th>
                                    <th scope="col" class="wide">
                                        Holds
                                    </th>
                                    <th scope="col" class="right">
                                        Heartbeat
                                    </th>
                                    <th scope="col">
                                        <span class="hidden">Actions</span>
                                    </th>
                                </tr>
                            </thead>
                            <tbody>
                                {load.data.workers.map((worker) => {
                                    const late = now.value - worker.last_heartbeat_ms > LATE_MS;
                                    return (
                                        <tr key={worker.worker_instance_id}>
                                            <td class="strong">{worker.worker_instance_id}</td>
                                            <td>{worker.worker_id}</td>
                                            <td class="secondary">{worker.namespace}</td>
                                            <td>{worker.lanes.join(", ")}</td>
                                            <td>
                                                <code>{worker.capabilities.join(" ")}</code>
                                            </td>
                                            <td class="wide">
                                                {worker.leases.length === 0 && <span class="muted">nothing</span>}
                                                {worker.leases.slice(0, 4).map((lease) => (
                                                    <a
                                                        key={lease.execution_id}
                                                        class="lease"
                                                        href={href(["executions", lease.execution_id])}
                                                    >
                                                        {shortId(lease.execution_id)}
                                                    </a>
                                                ))}
                                                {worker.leases.length > 4 && (
                                                    <span class="muted"> and {worker.leases.length - 4} more</span>
                                                )}
                                            </td>
                                            <td class={late ? "right bad-text" : "right"}>
                                                {late && "late, "}
                                                <Time at={worker.last_heartbeat_ms} />
                                            </td>
                                            <td class="right">
                                                <Button
                                                    kind="quiet"
                                                    label={`Take out ${worker.worker_instance_id}`}
                                                    onClick={() => askRemove(worker, load.reload)}
                                                >
                                                    Take out
                                                </Button>
                                            </td>
                                        </tr>
                                    );
                                })}
                            </tbody>
                        </table>
                    </div>
                </Panel>
            )}
        </Page>
    );
}
