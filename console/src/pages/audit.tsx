import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, signedOut } from "../lib/api";
import { count, plural } from "../lib/format";
import { addKeys } from "../lib/keys";
import { readEvents } from "../lib/live";
import { zone } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import { exact } from "../lib/time";
import { type Column, Rows } from "../parts/rows";
import { Empty, Problem, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";

interface Entry {
    id: string;
    event: string;
    actor: string;
    remote: string;
    subject: string;
    detail: string;
    outcome: string;
    ts: number;
}

/** As many as the server keeps. */
const ENTRIES_MOST = 10_000;
const RETRY_MS = 2_000;
/** When nothing has come for so long, the past has been read. */
const QUIET_MS = 250;
const RANGES: Record<string, { title: string; ms: number }> = {
    "1h": { title: "last hour", ms: 3_600_000 },
    "24h": { title: "last day", ms: 86_400_000 },
    "7d": { title: "last week", ms: 604_800_000 },
    all: { title: "all that is kept", ms: Number.POSITIVE_INFINITY },
};

const PAGE_OF: Record<string, (subject: string) => string> = {
    execution: (subject) => href(["executions", subject]),
    flow: (subject) => href(["flows", subject]),
    budget: (subject) => href(["limits"], { id: subject }),
    quota: () => href(["limits"]),
    lane: () => href(["lanes"]),
    worker: () => href(["workers"]),
};

const COLUMNS: readonly Column<Entry>[] = [
    {
        id: "event",
        title: "Action",
        cell: (row) => <span class="strong">{row.event}</span>,
    },
    {
        id: "subject",
        title: "Subject",
        wide: true,
        cell: (row) => {
            const to = PAGE_OF[row.event.split(".")[0] ?? ""];
            return row.subject !== "" && to ? (
                <a class="lease" href={to(row.subject)}>
                    <code>{row.subject}</code>
                </a>
            ) : (
                <code>{row.subject}</code>
            );
        },
    },
    {
        id: "outcome",
        title: "Outcome",
        cell: (row) => <span class={`state ${row.outcome === "ok" ? "good" : "bad"}`}>{row.outcome}</span>,
    },
    { id: "actor", title: "Actor", cell: (row) => <code>{row.actor}</code>, secondary: true },
    { id: "remote", title: "From", cell: (row) => <code class="muted">{row.remote}</code>, secondary: true },
    {
        id: "detail",
        title: "Detail",
        cell: (row) => <code class="muted">{row.detail === "{}" ? "" : row.detail}</code>,
        secondary: true,
    },
    { id: "ts", title: "When", cell: (row) => <Time at={row.ts} />, right: true },
];

/** The trail from a moment on, which goes on as it is written. */
function useTrail(range: string) {
    const entries = useSignal<readonly Entry[]>([]);
    const settled = useSignal(false);
    const error = useSignal<ApiError | undefined>(undefined);
    const turn = useSignal(0);
    useEffect(() => {
        const abort = new AbortController();
        const span = RANGES[range]?.ms ?? 0;
        let after = Number.isFinite(span) ? `${Date.now() - span}-0` : "0-0";
        let timer: ReturnType<typeof setTimeout> | undefined;
        entries.value = [];
        settled.value = false;
        error.value = undefined;
        const calm = (): void => {
            clearTimeout(timer);
            timer = setTimeout(() => (settled.value = true), QUIET_MS);
        };
        void (async () => {
            while (!abort.signal.aborted && !signedOut.value) {
                try {
                    await readEvents(
                        `/v1/admin/audit?after=${after}`,
                        {},
                        abort.signal,
                        (events) => {
                            const found = events.filter((one) => one.event === "audit").map((one) => JSON.parse(one.data) as Entry);
                            if (found.length === 0) return;
                            after = found[found.length - 1]!.id;
                            entries.value = [...found.reverse(), ...entries.value].slice(0, ENTRIES_MOST);
                            calm();
                        },
                        () => {
                            error.value = undefined;
                            calm();
                        },
                    );
                } catch (caught) {
                    if (abort.signal.aborted) return;
                    if (caught instanceof ApiError) error.value = caught;
                    if (caught instanceof ApiError && !caught.retryable) return;
                }
                await new Promise((done) => setTimeout(done, RETRY_MS));
            }
        })();
        return () => {
            abort.abort();
            clearTimeout(timer);
        };
    }, [range, turn.value]);
    return { entries: entries.value, settled: settled.value, error: error.value, reload: () => (turn.value += 1) };
}

/** Who did what, over every route that changes something for operators. */
export function AuditPage(): JSX.Element {
    const asked = place.value.query.get("range") ?? "24h";
    const range = asked in RANGES ? asked : "24h";
    const find = place.value.query.get("find") ?? "";
    const trail = useTrail(range);
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => addKeys({ "/": { about: "to the filter", run: () => input.current?.focus() } }), []);
    const wanted = find.toLowerCase();
    const rows = trail.entries.filter((entry) =>
        `${entry.event} ${entry.subject} ${entry.actor} ${entry.remote} ${entry.outcome} ${entry.detail} ${exact(entry.ts, zone.value)}`
            .toLowerCase()
            .includes(wanted),
    );
    return (
        <Page
            title="Audit"
            lead={<p class="muted">What operators and administrators did, over the console, the command line and the API.</p>}
            side={
                <>
                    <input
                        ref={input}
                        type="search"
                        aria-label="Filter"
                        placeholder="action, subject, actor"
                        value={find}
                        onInput={(event) => setQuery({ find: event.currentTarget.value || null })}
                    />
                    <label class="inline">
                        <span>Time</span>
                        <select
                            value={range}
                            onChange={(event) =>
                                setQuery({ range: event.currentTarget.value === "24h" ? null : event.currentTarget.value })
                            }
                        >
                            {Object.entries(RANGES).map(([id, { title }]) => (
                                <option key={id} value={id} selected={id === range}>
                                    {title}
                                </option>
                            ))}
                        </select>
                    </label>
                </>
            }
        >
            {trail.error && <Problem error={trail.error} retry={trail.reload} />}
            {rows.length > 0 ? (
                <>
                    <p class="muted counted" role="status">
                        {plural(rows.length, "entry", "entries")}
                        {wanted !== "" && ` of ${count(trail.entries.length)}`}
                    </p>
                    <Rows label="Audit" columns={COLUMNS} rows={rows} id={(row) => row.id} />
                </>
            ) : !trail.settled ? (
                !trail.error && <Skeleton rows={8} />
            ) : trail.entries.length > 0 ? (
                <Empty title="Nothing matches the filter" />
            ) : (
                <Empty title={`Nobody did anything in the ${RANGES[range]!.title.replace("all that is kept", "time that is kept")}`}>
                    Cancelling, approving, replaying, changing limits or lanes: each such call leaves an entry here.
                </Empty>
            )}
        </Page>
    );
}
