import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, executionPath, getOrNull } from "../lib/api";
import { BULK_MOST, type BulkAction } from "../lib/bulk";
import { download } from "../lib/download";
import { ALL_STATES, chips, type Filter, filterText, parseFilter } from "../lib/filter";
import { changesState, stateAfter } from "../lib/follow";
import { count, shortId } from "../lib/format";
import { addKeys } from "../lib/keys";
import { type Listing, openListing } from "../lib/listing";
import { onEvents } from "../lib/live";
import { columns as shown } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import type { ExecutionInfo, Listed } from "../lib/types";
import { BulkHost, bulk } from "../parts/bulk";
import { type Column, Rows } from "../parts/rows";
import { State } from "../parts/state";
import { Button, Empty, Problem, Skeleton, Time, toast } from "../parts/ui";
import { Page } from "../shell";

const COLUMNS: readonly Column<Listed>[] = [
    {
        id: "kind",
        title: "Kind",
        cell: (row) => <span class="strong">{row.execution_kind === "" ? "(no kind)" : row.execution_kind}</span>,
        wide: true,
    },
    { id: "state", title: "State", cell: (row) => <State state={row.public_state} /> },
    { id: "lane", title: "Lane", cell: (row) => row.lane_id, secondary: true },
    { id: "namespace", title: "Namespace", cell: (row) => row.namespace, secondary: true },
    { id: "priority", title: "Priority", cell: (row) => count(row.priority), right: true, secondary: true },
    { id: "created", title: "Created", cell: (row) => <Time at={row.created_at} />, right: true },
    { id: "id", title: "Id", cell: (row) => <code class="muted">{shortId(row.execution_id)}</code>, right: true, secondary: true },
];

const SORTS = ["created", "priority", "kind", "state", "lane"] as const;
const ROWS_ASKED_AGAIN_MOST = 40;
/** New ones are told apart up to here; a page that stays open beside a busy server must not remember all of them. */
const FRESH_MOST = 1_000;

function sorted(rows: readonly Listed[], by: string): readonly Listed[] {
    const text = (pick: (row: Listed) => string) => [...rows].sort((a, b) => pick(a).localeCompare(pick(b)));
    if (by === "priority") return [...rows].sort((a, b) => b.priority - a.priority);
    if (by === "kind") return text((row) => row.execution_kind);
    if (by === "state") return text((row) => row.public_state);
    if (by === "lane") return text((row) => row.lane_id);
    return rows;
}

/** The rows of one filter: read page by page, changed by events, and told of what is new. */
function useRows(line: string, filter: Filter) {
    const rows = useSignal<readonly Listed[]>([]);
    const loading = useSignal(true);
    const done = useSignal(false);
    const fresh = useSignal(0);
    const error = useSignal<ApiError | undefined>(undefined);
    const turn = useSignal(0);
    const more = useRef<() => void>(() => undefined);

    useEffect(() => {
        const abort = new AbortController();
        const place_of = new Map<string, number>();
        const freshIds = new Set<string>();
        let busy = false;
        let listing: Listing | undefined;
        rows.value = [];
        done.value = false;
        fresh.value = 0;
        error.value = undefined;
        loading.value = true;

        const read = async (): Promise<void> => {
            if (busy || done.value) return;
            busy = true;
            loading.value = true;
            try {
                listing ??= await openListing(filter, abort.signal);
                const found = await listing.next(abort.signal);
                if (abort.signal.aborted) return;
                const all = [...rows.value, ...found];
                for (let at = rows.value.length; at < all.length; at += 1) place_of.set(all[at]!.execution_id, at);
                rows.value = all;
                done.value = listing.done;
            } catch (caught) {
                if (abort.signal.aborted) return;
                error.value = caught instanceof ApiError ? caught : new ApiError(0, "console", String(caught), true);
                done.value = true;
            } finally {
                busy = false;
                if (!abort.signal.aborted) loading.value = false;
            }
        };
        more.current = () => void read();
        void read();

        const stale = new Set<string>();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const askAgain = async (): Promise<void> => {
            timer = undefined;
            const ids = [...stale].slice(0, ROWS_ASKED_AGAIN_MOST);
            stale.clear();
            const found = await Promise.all(ids.map((id) => getOrNull<ExecutionInfo>(executionPath(id), abort.signal).catch(() => null)));
            if (abort.signal.aborted) return;
            change(new Map(found.filter((one) => one !== null).map((one) => [one.execution_id, one.public_state])));
        };
        const change = (states: Map<string, Listed["public_state"]>): void => {
            let copy: Listed[] | undefined;
            for (const [id, state] of states) {
                const at = place_of.get(id);
                const row = at === undefined ? undefined : rows.value[at];
                if (at === undefined || row === undefined || row.public_state === state) continue;
                copy ??= [...rows.value];
                copy[at] = { ...row, public_state: state };
            }
            if (copy) rows.value = copy;
        };
        const forget = onEvents((events) => {
            const states = new Map<string, Listed["public_state"]>();
            for (const event of events) {
                if (event.execution_id === "") continue;
                if (!place_of.has(event.execution_id)) {
                    const mine =
                        (filter.namespace === undefined || event.namespace === filter.namespace) &&
                        (filter.lane === undefined || event.lane_id === filter.lane);
                    const plain = filter.state === undefined && filter.tag === undefined && filter.kind === undefined;
                    const told = (event.event === "acquired" && rows.value.length > 0) || event.family === "instance_tags";
                    if (mine && plain && told && freshIds.size < FRESH_MOST) freshIds.add(event.execution_id);
                    continue;
                }
                if (!changesState(event)) continue;
                const state = stateAfter(event);
                if (state) {
                    states.set(event.execution_id, state);
                    stale.delete(event.execution_id);
                } else {
                    stale.add(event.execution_id);
                }
            }
            change(states);
            if (freshIds.size !== fresh.value) fresh.value = freshIds.size;
            if (stale.size > 0) timer ??= setTimeout(() => void askAgain(), 400);
        });
        return () => {
            abort.abort();
            clearTimeout(timer);
            forget();
        };
    }, [line, turn.value]);

    return { rows, loading, done, fresh, error, more: () => more.current(), reload: () => (turn.value += 1) };
}

export function ExecutionsPage(): JSX.Element {
    const line = place.value.query.get("q") ?? "";
    const sort = place.value.query.get("sort") ?? "created";
    const { filter, problems } = parseFilter(line);
    const list = useRows(line, filter);
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => addKeys({ "/": { about: "to the filter", run: () => input.current?.focus() } }), []);
    useEffect(() => {
        if (input.current && input.current.value !== line) input.current.value = line;
    }, [line]);
    const wanted = new Set(shown.value.split(","));
    const columns = COLUMNS.filter((column) => column.id === "kind" || wanted.has(column.id));
    const rows = sorted(list.rows.value, sort);
    const picked = useSignal<ReadonlySet<string>>(new Set());
    useEffect(() => {
        picked.value = new Set();
    }, [line]);
    const apply = (change: Filter): void => setQuery({ q: filterText({ ...filter, ...change }) || null });

    return (
        <Page
            title="Executions"
            side={
                <>
                    <ExportButton filter={filter} />
                    <ColumnPicker />
                </>
            }
        >
            <form
                class="filters"
                role="search"
                onSubmit={(event) => {
                    event.preventDefault();
                    setQuery({ q: input.current?.value.trim() || null });
                    input.current?.blur();
                }}
            >
                <input
                    ref={input}
                    class="filter-line"
                    aria-label="Filter"
                    placeholder="state:failed lane:email kind:send_email tag:tenant:acme"
                    defaultValue={line}
                    spellcheck={false}
                    autocomplete="off"
                    onChange={(event) => setQuery({ q: event.currentTarget.value.trim() || null })}
                />
                <label class="inline">
                    <span>State</span>
                    <select
                        value={filter.state ?? ""}
                        onChange={(event) => apply({ state: event.currentTarget.value || undefined } as Filter)}
                    >
                        <option value="">any</option>
                        {ALL_STATES.map((state) => (
                            <option key={state} value={state} selected={state === filter.state}>
                                {state}
                            </option>
                        ))}
                    </select>
                </label>
                <label class="inline">
                    <span>Sort</span>
                    <select
                        value={sort}
                        onChange={(event) => setQuery({ sort: event.currentTarget.value === "created" ? null : event.currentTarget.value })}
                    >
                        {SORTS.map((name) => (
                            <option key={name} value={name} selected={name === sort}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
            </form>
            <div class="chips">
                {chips(filter).map((chip) => (
                    <button
                        key={chip.name}
                        type="button"
                        class="chip"
                        title="Take away"
                        onClick={() => setQuery({ q: filterText({ ...filter, [chip.name]: undefined }) || null })}
                    >
                        {chip.text} <span aria-hidden="true">×</span>
                    </button>
                ))}
                {problems.map((problem) => (
                    <span key={problem} class="bad-text" role="alert">
                        {problem}
                    </span>
                ))}
                <span class="muted counted" role="status">
                    {list.rows.value.length > 0 && `${count(list.rows.value.length)}${list.done.value ? "" : "+"} shown`}
                </span>
                {list.fresh.value > 0 && (
                    <button type="button" class="fresh" onClick={list.reload}>
                        {count(list.fresh.value)}
                        {list.fresh.value < FRESH_MOST ? "" : "+"} new
                    </button>
                )}
            </div>
            {list.error.value && <Problem error={list.error.value} retry={list.reload} />}
            {picked.value.size > 0 && (
                <PickedBar
                    filter={filter}
                    rows={list.rows.value.filter((row) => picked.value.has(row.execution_id))}
                    clear={() => (picked.value = new Set())}
                />
            )}
            <BulkHost />
            {rows.length > 0 ? (
                <Rows
                    label="Executions"
                    columns={columns}
                    rows={rows}
                    id={(row) => row.execution_id}
                    link={(row) => href(["executions", row.execution_id])}
                    more={list.done.value ? undefined : list.more}
                    picked={{
                        ids: picked.value,
                        name: (row) => `${row.execution_kind || "(no kind)"} ${shortId(row.execution_id)}`,
                        set: (ids) => (picked.value = ids),
                    }}
                />
            ) : list.loading.value ? (
                <Skeleton rows={12} />
            ) : (
                !list.error.value && <NoExecutions filtered={line !== ""} more={list.done.value ? undefined : list.more} />
            )}
        </Page>
    );
}

/** All that match, whether they are on the page or not. */
const readMatching = (filter: Filter) => async (abort: AbortSignal, tell: (read: number) => void) => {
    const listing = await openListing(filter, abort);
    const found: Listed[] = [];
    while (!listing.done && found.length < BULK_MOST && !abort.aborted) {
        found.push(...(await listing.next(abort)));
        tell(found.length);
    }
    return { rows: found.slice(0, BULK_MOST), more: !listing.done || found.length > BULK_MOST };
};

function PickedBar({ filter, rows, clear }: { filter: Filter; rows: readonly Listed[]; clear: () => void }): JSX.Element {
    const all = useSignal(false);
    const start = (action: BulkAction) => (): void => {
        bulk.value = { action, rows: all.value ? readMatching(filter) : rows, done: clear };
    };
    return (
        <section class="picked-bar" aria-label="What is picked">
            <span class="strong" role="status">
                {all.value ? "All that match" : `${count(rows.length)} picked`}
            </span>
            <Button onClick={start("replay")}>Run again</Button>
            <Button kind="danger" onClick={start("cancel")}>
                Cancel
            </Button>
            <Button kind="quiet" pressed={all.value} onClick={() => (all.value = !all.value)}>
                All that match
            </Button>
            <Button kind="quiet" onClick={clear}>
                Clear
            </Button>
        </section>
    );
}

function NoExecutions({ filtered, more }: { filtered: boolean; more: (() => void) | undefined }): JSX.Element {
    if (filtered)
        return (
            <Empty title="Nothing matches the filter">
                {more ? (
                    <Button onClick={more}>Look further back</Button>
                ) : (
                    <Button onClick={() => setQuery({ q: null })}>Show everything</Button>
                )}
            </Empty>
        );
    return (
        <Empty
            title="No executions yet"
            line={`curl -fsS ${location.origin}/v1/executions -H 'Content-Type: application/json' -d '{"execution_kind":"hello","lane_id":"default","namespace":"default","payload":"world"}'`}
        >
            Create one:
        </Empty>
    );
}

function ColumnPicker(): JSX.Element {
    const picked = new Set(shown.value.split(","));
    return (
        <details class="menu">
            <summary class="button plain">Columns</summary>
            <div>
                {COLUMNS.slice(1).map((column) => (
                    <label key={column.id}>
                        <input
                            type="checkbox"
                            checked={picked.has(column.id)}
                            onChange={() => {
                                if (picked.has(column.id)) picked.delete(column.id);
                                else picked.add(column.id);
                                shown.value = [...picked].join(",");
                            }}
                        />
                        {column.title}
                    </label>
                ))}
            </div>
        </details>
    );
}

const EXPORT_ROWS_MOST = 100_000;

function ExportButton({ filter }: { filter: Filter }): JSX.Element {
    const so_far = useSignal<number | undefined>(undefined);
    const stop = useRef<AbortController | undefined>(undefined);
    useEffect(() => () => stop.current?.abort(), []);
    const run = async (): Promise<void> => {
        const abort = new AbortController();
        stop.current = abort;
        so_far.value = 0;
        try {
            const listing = await openListing(filter, abort.signal);
            const lines: string[] = [];
            while (!listing.done && lines.length < EXPORT_ROWS_MOST) {
                for (const row of await listing.next(abort.signal)) lines.push(`${JSON.stringify(row)}\n`);
                so_far.value = lines.length;
            }
            download(new Blob(lines, { type: "application/x-ndjson" }), "executions.ndjson");
            toast({ text: `${count(lines.length)} rows exported${listing.done ? "" : ", the newest of more"}.` });
        } catch (error) {
            if (!abort.signal.aborted) toast({ text: error instanceof Error ? error.message : String(error), bad: true });
        } finally {
            so_far.value = undefined;
        }
    };
    if (so_far.value !== undefined)
        return <Button onClick={() => stop.current?.abort()}>Stop the export, {count(so_far.value)} rows so far</Button>;
    return (
        <Button onClick={() => void run()} title="All that match, one JSON object a line">
            Export
        </Button>
    );
}
