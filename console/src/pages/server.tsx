import type { JSX } from "preact";
import { ApiError, ask, get, getOrNull } from "../lib/api";
import { type Capabilities, type Check, examine, type Health, type Kids, type ServerFacts } from "../lib/checks";
import { bytes, count, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { byLabel, type Metrics, parseMetrics, total } from "../lib/metrics";
import { href } from "../lib/router";
import { duration } from "../lib/time";
import { Button, Meter, Panel, Problem, Skeleton } from "../parts/ui";
import { Page } from "../shell";

async function healthOf(path: string, abort: AbortSignal): Promise<Health> {
    try {
        return await get<Health>(path, abort);
    } catch (error) {
        if (error instanceof ApiError && error.status === 503) return { status: "down", reason: error.message };
        throw error;
    }
}

/** Figures may be served elsewhere only (FF_METRICS_ADDR). */
async function readMetrics(abort: AbortSignal): Promise<Metrics | undefined> {
    try {
        return parseMetrics(await (await ask("/metrics", { signal: abort })).text());
    } catch (error) {
        if (error instanceof ApiError && error.status !== 0) return undefined;
        throw error;
    }
}

async function timedHealth(abort: AbortSignal): Promise<{ answeredInMs: number; clockApartMs: number | undefined }> {
    const begun = Date.now();
    const exact = performance.now();
    const reply = await ask("/healthz", { signal: abort }).catch(() => undefined);
    const answeredInMs = performance.now() - exact;
    const told = Date.parse(reply?.headers.get("Date") ?? "");
    // The header has whole seconds: anything within the one that it names agrees.
    const ahead = begun - (told + 1_000);
    const behind = told - Date.now();
    return { answeredInMs, clockApartMs: Number.isNaN(told) ? undefined : Math.max(0, ahead, behind) };
}

async function loadServer(abort: AbortSignal): Promise<ServerFacts> {
    const timed = await timedHealth(abort);
    const [capabilities, health, ready, kids, metrics] = await Promise.all([
        get<Capabilities>("/v1/capabilities", abort),
        healthOf("/healthz", abort),
        healthOf("/readyz", abort),
        getOrNull<Kids>("/v1/admin/waitpoint-kids", abort),
        readMetrics(abort),
    ]);
    return { capabilities, health, ready, kids: kids ?? undefined, metrics, ...timed };
}

const TONES = { ok: "good", warn: "held", bad: "bad" } as const;
const MARKS = { ok: "ok", warn: "look", bad: "bad" } as const;

function verdict(checks: readonly Check[]): { tone: string; sentence: string } {
    const bad = checks.filter((check) => check.state === "bad");
    const warned = checks.filter((check) => check.state === "warn");
    if (bad.length > 0) return { tone: "bad", sentence: `${bad.map((check) => `${check.name}: ${check.found}`).join("; ")}.` };
    if (warned.length > 0)
        return {
            tone: "held",
            sentence: `The server is well; ${warned.length === 1 ? "one thing deserves" : `${warned.length} things deserve`} a look.`,
        };
    return { tone: "good", sentence: "The server is well." };
}

export function ServerPage(): JSX.Element {
    const load = useLoad("server", loadServer);
    const facts = load.data;
    if (!facts)
        return <Page title="Server">{load.error ? <Problem error={load.error} retry={load.reload} /> : <Skeleton rows={10} />}</Page>;
    const checks = examine(facts);
    const { tone, sentence } = verdict(checks);
    return (
        <Page
            title="Server"
            side={
                <>
                    <a class="button" href={href(["audit"])}>
                        Audit
                    </a>
                    <Button onClick={load.reload}>Check again</Button>
                </>
            }
        >
            {load.error && <Problem error={load.error} retry={load.reload} />}
            <div class={`why ${tone}`} role="status">
                <p>{sentence}</p>
            </div>
            <div class="split even">
                <Panel title="Checks">
                    <table class="checks" aria-label="Checks">
                        <tbody>
                            {checks.map((check) => (
                                <tr key={check.name + check.found}>
                                    <th scope="row">{check.name}</th>
                                    <td>
                                        <span class={`state pill ${TONES[check.state]}`}>{MARKS[check.state]}</span>
                                    </td>
                                    <td>{check.found}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                    <p class="muted padded small">
                        <span>
                            <code>flowfabric doctor</code> also creates and cancels an execution to try the store's clock and indexes.
                        </span>
                    </p>
                </Panel>
                <div>
                    <Program facts={facts} />
                    {facts.metrics ? (
                        <StoreFigures metrics={facts.metrics} ready={facts.ready} />
                    ) : (
                        <p class="muted">Figures are not served at this address (FF_METRICS_ADDR).</p>
                    )}
                </div>
            </div>
            {facts.metrics && <Background metrics={facts.metrics} />}
        </Page>
    );
}

function Row({ name, children }: { name: string; children: JSX.Element | string | number }): JSX.Element {
    return (
        <div>
            <dt>{name}</dt>
            <dd>{children}</dd>
        </div>
    );
}

function Program({ facts }: { facts: ServerFacts }): JSX.Element {
    const { capabilities } = facts;
    const features = Object.entries(capabilities.features);
    const named = (on: boolean): string =>
        features
            .filter(([, state]) => state === on)
            .map(([name]) => words(name))
            .join(", ") || "none";
    return (
        <Panel title="Program">
            <dl class="facts padded">
                <Row name="Version">{capabilities.version}</Row>
                <Row name="Store">{capabilities.backend}</Row>
                <Row name="Lanes">{capabilities.lanes.join(", ")}</Row>
                <Row name="On">{named(true)}</Row>
                <Row name="Off">{named(false)}</Row>
                <Row name="API">
                    <a href="../openapi.json">openapi.json</a>
                </Row>
            </dl>
        </Panel>
    );
}

function StoreFigures({ metrics, ready }: { metrics: Metrics; ready: Health }): JSX.Element {
    const figure = (name: string): number | undefined => total(metrics, name);
    const syncs = figure("ff_store_syncs_total") ?? 0;
    const syncSeconds = figure("ff_store_sync_seconds_total") ?? 0;
    const journal = figure("ff_store_journal_bytes");
    const { memory } = ready;
    return (
        <Panel title="Memory, journal and connections">
            <div class="padded">
                {memory && memory.limit > 0 && (
                    <Meter used={memory.used} limit={memory.limit} soft={memory.limit * 0.8} label="Memory used" />
                )}
                <dl class="facts">
                    {memory ? (
                        <Row name="Memory">{`${bytes(memory.used)} of ${memory.limit > 0 ? bytes(memory.limit) : "any amount"}`}</Row>
                    ) : (
                        ""
                    )}
                    {[...byLabel(metrics, "ff_store_memory_bytes", "kind")].map(([name, value]) => (
                        <Row key={name} name={`of it ${words(name)}`}>
                            {bytes(value)}
                        </Row>
                    ))}
                    {journal !== undefined ? <Row name="Journal">{`${bytes(journal)} to replay at a start`}</Row> : ""}
                    <Row name="Snapshots">{count(figure("ff_store_snapshots_total") ?? 0)}</Row>
                    <Row name="Disk writes">{syncs > 0 ? `${count(syncs)}, ${duration((syncSeconds / syncs) * 1_000)} each` : "none"}</Row>
                    <Row name="Event streams">{count(figure("ff_sse_connections") ?? 0)}</Row>
                    <Row name="Stream calls">{`${count(figure("ff_stream_ops_in_flight") ?? 0)} under way`}</Row>
                    <Row name="Requests">{count(figure("ff_http_requests_total") ?? 0)}</Row>
                </dl>
            </div>
        </Panel>
    );
}

function Background({ metrics }: { metrics: Metrics }): JSX.Element {
    const cycles = byLabel(metrics, "ff_scanner_cycle_total", "scanner");
    const items = byLabel(metrics, "ff_scanner_items_total", "scanner");
    const errors = byLabel(metrics, "ff_scanner_errors_total", "scanner");
    const seconds = byLabel(metrics, "ff_scanner_cycle_duration_seconds_sum", "scanner");
    const names = [...cycles.keys()].sort((a, b) => (errors.get(b) ?? 0) - (errors.get(a) ?? 0) || a.localeCompare(b));
    return (
        <Panel title="Background work since the start">
            <div class="scroll-x" tabIndex={0} role="group" aria-label="Background work">
                <table class="rows">
                    <thead>
                        <tr>
                            <th scope="col" class="wide">
                                Scanner
                            </th>
                            <th scope="col" class="right">
                                Runs
                            </th>
                            <th scope="col" class="right">
                                Acted on
                            </th>
                            <th scope="col" class="right">
                                Failed
                            </th>
                            <th scope="col" class="right">
                                A run takes
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {names.map((name) => {
                            const runs = cycles.get(name) ?? 0;
                            const failed = errors.get(name) ?? 0;
                            return (
                                <tr key={name}>
                                    <td class="wide">{words(name)}</td>
                                    <td class="right">{count(runs)}</td>
                                    <td class="right">{count(items.get(name) ?? 0)}</td>
                                    <td class={failed > 0 ? "right bad-text" : "right muted"}>{count(failed)}</td>
                                    <td class="right">{runs > 0 ? duration(((seconds.get(name) ?? 0) / runs) * 1_000) : "–"}</td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </div>
        </Panel>
    );
}
