import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../lib/api";
import { count, shortId } from "../lib/format";
import { useLoad } from "../lib/load";
import { href, place, setQuery } from "../lib/router";
import type { Flow } from "../lib/types";
import { type Column, Rows } from "../parts/rows";
import { State } from "../parts/state";
import { Empty, Problem, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";

interface FlowPageReply {
    flows: Flow[];
    next_cursor: string | null;
}

const PAGE = 100;

const COLUMNS: readonly Column<Flow>[] = [
    { id: "kind", title: "Kind", cell: (flow) => <span class="strong">{flow.flow_kind || "(no kind)"}</span>, wide: true },
    { id: "state", title: "State", cell: (flow) => <State state={flow.public_flow_state} /> },
    { id: "progress", title: "Nodes ended", cell: (flow) => <Ended flow={flow} />, secondary: true },
    { id: "namespace", title: "Namespace", cell: (flow) => flow.namespace, secondary: true },
    { id: "created", title: "Created", cell: (flow) => <Time at={flow.created_at} />, right: true },
    { id: "id", title: "Id", cell: (flow) => <code class="muted">{shortId(flow.flow_id)}</code>, right: true, secondary: true },
];

export function endedCount(flow: Flow): number {
    return Object.values(flow.ended).reduce((sum, value) => sum + value, 0);
}

/** How the nodes ended, as a bar of their shares and as figures. */
export function Ended({ flow }: { flow: Flow }): JSX.Element {
    const share = (value: number): string => `${(value / Math.max(1, flow.node_count)) * 100}%`;
    const ended = flow.ended;
    return (
        <span class="ended">
            <span class="ended-bar" aria-hidden="true">
                <i class="good" style={{ width: share(ended.success ?? 0) }} />
                <i class="bad" style={{ width: share((ended.failed ?? 0) + (ended.expired ?? 0)) }} />
                <i class="quiet" style={{ width: share((ended.skipped ?? 0) + (ended.cancelled ?? 0) + (ended.benign ?? 0)) }} />
            </span>
            {count(endedCount(flow))} of {count(flow.node_count)}
        </span>
    );
}

export function FlowsPage(): JSX.Element {
    const namespace = place.value.query.get("ns") ?? "";
    const query = `/v1/flows?limit=${PAGE}${namespace === "" ? "" : `&namespace=${encodeURIComponent(namespace)}`}`;
    const load = useLoad(
        query,
        (abort) => get<FlowPageReply>(query, abort),
        (event) => event.flow_id !== "",
    );
    const older = useSignal<{ flows: Flow[]; cursor: string | null | undefined }>({ flows: [], cursor: undefined });
    const busy = useRef(false);
    useEffect(() => {
        older.value = { flows: [], cursor: undefined };
    }, [query]);
    const cursor = older.value.cursor === undefined ? load.data?.next_cursor : older.value.cursor;
    const more = async (): Promise<void> => {
        if (busy.current || !cursor) return;
        busy.current = true;
        try {
            const page = await get<FlowPageReply>(`${query}&cursor=${encodeURIComponent(cursor)}`);
            older.value = { flows: [...older.value.flows, ...page.flows], cursor: page.next_cursor };
        } finally {
            busy.current = false;
        }
    };
    const first = load.data?.flows ?? [];
    const known = new Set(first.map((flow) => flow.flow_id));
    const rows = [...first, ...older.value.flows.filter((flow) => !known.has(flow.flow_id))];
    return (
        <Page
            title="Flows"
            side={
                <label class="inline">
                    <span>Namespace</span>
                    <input
                        defaultValue={namespace}
                        placeholder="all"
                        onChange={(event) => setQuery({ ns: event.currentTarget.value.trim() || null })}
                    />
                </label>
            }
        >
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {!load.data ? (
                !load.error && <Skeleton rows={10} />
            ) : rows.length === 0 ? (
                <Empty title="There is no flow yet" line="flowfabric demo --yes">
                    A flow is a graph of executions: each starts when those it depends on have ended. Submit one to POST /v1/flows/submit,
                    or watch one:
                </Empty>
            ) : (
                <Rows
                    label="Flows"
                    columns={COLUMNS}
                    rows={rows}
                    id={(flow) => flow.flow_id}
                    link={(flow) => href(["flows", flow.flow_id])}
                    more={cursor ? () => void more() : undefined}
                />
            )}
        </Page>
    );
}
