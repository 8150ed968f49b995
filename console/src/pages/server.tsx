import type { JSX } from "preact";
import { ApiError, ask, get } from "../lib/api";
import { bytes, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { duration } from "../lib/time";
import { Button, Meter, Panel, Problem, Skeleton } from "../parts/ui";
import { Page } from "../shell";

interface Capabilities {
    backend: string;
    version: string;
    library_version: number;
    lua?: { engine: string; jit: string };
    partitions: Record<string, number>;
    lanes: string[];
    features: Record<string, boolean>;
    store_warnings: string[];
}

interface Health {
    status: string;
    reason?: string;
    memory?: { state: string; used: number; limit: number };
}

interface Data {
    capabilities: Capabilities;
    health: Health;
    ready: Health;
    answeredInMs: number;
}

async function healthOf(path: string, abort: AbortSignal): Promise<Health> {
    try {
        return await get<Health>(path, abort);
    } catch (error) {
        if (error instanceof ApiError && error.status === 503) return { status: "down", reason: error.message };
        throw error;
    }
}

async function loadServer(abort: AbortSignal): Promise<Data> {
    const begun = performance.now();
    await ask("/healthz", { signal: abort }).catch(() => undefined);
    const answeredInMs = performance.now() - begun;
    const [capabilities, health, ready] = await Promise.all([
        get<Capabilities>("/v1/capabilities", abort),
        healthOf("/healthz", abort),
        healthOf("/readyz", abort),
    ]);
    return { capabilities, health, ready, answeredInMs };
}

export function ServerPage(): JSX.Element {
    const load = useLoad("server", loadServer);
    const row = (name: string, value: JSX.Element | string | number): JSX.Element => (
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    );
    const data = load.data;
    return (
        <Page title="Server" side={<Button onClick={load.reload}>Check again</Button>}>
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {!data ? (
                !load.error && <Skeleton />
            ) : (
                <>
                    <div
                        class={`why ${data.health.status === "ok" && data.ready.status === "ok" ? "good" : data.health.status === "degraded" ? "held" : "bad"}`}
                        role="status"
                    >
                        <p>
                            {data.ready.status !== "ok"
                                ? `It does not take requests: ${data.ready.reason}`
                                : data.health.status === "ok"
                                  ? `The server is well; its store answers in ${duration(data.answeredInMs)}.`
                                  : `${words(data.health.status)}: ${data.health.reason ?? ""}`}
                        </p>
                        {data.capabilities.store_warnings.length > 0 && (
                            <ul>
                                {data.capabilities.store_warnings.map((warning) => (
                                    <li key={warning}>{warning}</li>
                                ))}
                            </ul>
                        )}
                    </div>
                    <div class="cards">
                        <Panel title="Program">
                            <dl class="facts padded">
                                {row("Version", data.capabilities.version)}
                                {row("Functions", data.capabilities.library_version)}
                                {data.capabilities.lua &&
                                    row("Lua", `${data.capabilities.lua.engine}, compiled: ${data.capabilities.lua.jit}`)}
                                {row("API", <a href="../openapi.json">openapi.json</a>)}
                            </dl>
                        </Panel>
                        <Panel title="Store">
                            <dl class="facts padded">
                                {row("Backend", data.capabilities.backend)}
                                {Object.entries(data.capabilities.partitions).map(([name, n]) => (
                                    <div key={name}>
                                        <dt>{words(name)}</dt>
                                        <dd>{n} partitions</dd>
                                    </div>
                                ))}
                                {row("Lanes", data.capabilities.lanes.join(", "))}
                            </dl>
                        </Panel>
                        {data.ready.memory && (
                            <Panel title="Memory">
                                <div class="padded">
                                    <p>
                                        {bytes(data.ready.memory.used)}{" "}
                                        <span class="muted">
                                            of {data.ready.memory.limit > 0 ? bytes(data.ready.memory.limit) : "any amount"},{" "}
                                            {data.ready.memory.state}
                                        </span>
                                    </p>
                                    {data.ready.memory.limit > 0 && (
                                        <Meter
                                            used={data.ready.memory.used}
                                            limit={data.ready.memory.limit}
                                            soft={data.ready.memory.limit * 0.85}
                                            label="Memory used"
                                        />
                                    )}
                                </div>
                            </Panel>
                        )}
                        <Panel title="Features">
                            <dl class="facts padded">
                                {Object.entries(data.capabilities.features).map(([name, on]) => (
                                    <div key={name}>
                                        <dt>{words(name)}</dt>
                                        <dd class={on ? "" : "muted"}>{on ? "on" : "off"}</dd>
                                    </div>
                                ))}
                            </dl>
                        </Panel>
                    </div>
                </>
            )}
        </Page>
    );
}
