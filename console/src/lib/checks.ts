import { bytes, count, plural } from "./format";
import { type Metrics, total } from "./metrics";
import { duration } from "./time";

export interface Health {
    status: string;
    reason?: string;
    memory?: { state: string; used: number; limit: number };
}

export interface Capabilities {
    backend: string;
    version: string;
    library_version: number;
    lua?: { engine: string; jit: string };
    partitions: Record<string, number>;
    lanes: string[];
    features: Record<string, boolean>;
    store_warnings: string[];
}

export interface Kids {
    current_kid: string;
    in_step: boolean;
    kids: { kid: string; expires_at?: number }[];
}

export interface ServerFacts {
    capabilities: Capabilities;
    health: Health;
    ready: Health;
    answeredInMs: number;
    /** How far the server's clock is from this one; whole seconds are all that HTTP tells. */
    clockApartMs: number | undefined;
    kids: Kids | undefined;
    metrics: Metrics | undefined;
}

export interface Check {
    name: string;
    state: "ok" | "warn" | "bad";
    found: string;
}

const CLOCK_MOST_MS = 5_000;
const SLOW_MS = 1_000;

function memoryCheck({ memory }: Health): Check[] {
    if (!memory) return [];
    const of = memory.limit > 0 ? ` of ${bytes(memory.limit)}` : ", no limit";
    const states: Record<string, [Check["state"], string]> = {
        full: ["bad", "; new work is refused: raise FF_MEMORY_LIMIT or end work"],
        warning: ["warn", "; new work will be refused soon"],
    };
    const [state, more] = states[memory.state] ?? ["ok", ""];
    return [{ name: "memory", state, found: `${bytes(memory.used)}${of}${more}` }];
}

function countChecks(metrics: Metrics | undefined): Check[] {
    if (!metrics) return [];
    const checks: Check[] = [];
    const errors = total(metrics, "ff_scanner_errors_total");
    if (errors !== undefined)
        checks.push({
            name: "background work",
            state: errors > 0 ? "warn" : "ok",
            found:
                errors > 0
                    ? `${plural(errors, "item")} failed since the start; the log says which (scanner)`
                    : "no failures since the start",
        });
    const refused = total(metrics, "ff_stream_ops_rejected_total") ?? 0;
    if (refused > 0)
        checks.push({
            name: "streams",
            state: "warn",
            found: `${plural(refused, "request")} found a pool full; see FF_MAX_CONCURRENT_STREAM_OPS and FF_MAX_SSE_CONNECTIONS`,
        });
    const slow = total(metrics, "ff_store_slow_call_seconds_count") ?? 0;
    if (slow > 0)
        checks.push({
            name: "slow calls",
            state: "warn",
            found: `${plural(slow, "call")} took longer than FF_SLOW_CALL_MS since the start`,
        });
    const failed = total(metrics, "ff_http_requests_total", (labels) => (labels.status ?? "").startsWith("5")) ?? 0;
    checks.push({
        name: "requests",
        state: failed > 0 ? "warn" : "ok",
        found: failed > 0 ? `${count(failed)} answered with 5xx since the start` : "none answered with 5xx since the start",
    });
    return checks;
}

/** What `flowfabric doctor` looks at, as far as it can be told without creating anything, and what the figures say. */
export function examine(facts: ServerFacts): Check[] {
    const { capabilities, health, ready, kids, clockApartMs } = facts;
    const { flow = 0, budget = 0, quota = 0 } = capabilities.partitions;
    const checks: Check[] = [
        {
            name: "store",
            state: health.status === "down" ? "bad" : facts.answeredInMs > SLOW_MS ? "warn" : "ok",
            found: health.status === "down" ? (health.reason ?? "does not answer") : `answers in ${duration(facts.answeredInMs)}`,
        },
        { name: "health", state: health.status === "ok" ? "ok" : "bad", found: health.reason ?? health.status },
        {
            name: "ready",
            state: ready.status === "ok" ? "ok" : "bad",
            found: ready.status === "ok" ? "takes requests" : (ready.reason ?? "no"),
        },
        ...memoryCheck(ready),
        {
            name: "library",
            state: capabilities.library_version > 0 ? "ok" : "bad",
            found: `${capabilities.library_version} on ${capabilities.backend}`,
        },
        ...capabilities.store_warnings.map((found): Check => ({ name: "store settings", state: "warn", found })),
        {
            name: "partitions",
            state: flow > 0 && budget > 0 && quota > 0 ? "ok" : "bad",
            found: `${flow} for flows, ${budget} for budgets, ${quota} for quotas`,
        },
    ];
    if (capabilities.lua)
        checks.push({
            name: "functions",
            state: capabilities.lua.jit === "on" ? "ok" : "warn",
            found: `${capabilities.lua.engine}, ${capabilities.lua.jit === "on" ? "compiled" : "interpreted, which is slower (FF_LUA_JIT)"}`,
        });
    if (kids)
        checks.push({
            name: "secrets",
            state: kids.in_step && kids.current_kid !== "" ? "ok" : "bad",
            found: kids.in_step ? `key ${kids.current_kid} in every partition` : "partitions differ; rotate again",
        });
    if (clockApartMs !== undefined)
        checks.push({
            name: "clocks",
            state: clockApartMs > CLOCK_MOST_MS ? "warn" : "ok",
            found: clockApartMs > CLOCK_MOST_MS ? `this machine and the server are ${duration(clockApartMs)} apart` : "agree",
        });
    checks.push({
        name: "access",
        state: capabilities.features.authentication === false ? "warn" : "ok",
        found:
            capabilities.features.authentication === false
                ? "anybody who reaches the server may do anything (FF_API_TOKEN)"
                : "with a token",
    });
    return [...checks, ...countChecks(facts.metrics)];
}
