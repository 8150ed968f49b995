import { batch, type Signal, signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { get, send } from "../lib/api";
import { type NodeTime, nodeTimes } from "../lib/flowtimes";
import { stateAfter } from "../lib/follow";
import { count, words } from "../lib/format";
import { criticalPath, layout, NODE_HEIGHT, NODE_WIDTH, type Placed } from "../lib/layers";
import { onEvents } from "../lib/live";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place } from "../lib/router";
import { duration } from "../lib/time";
import type { Flow, FlowEdge, FlowGroup, FlowNode, PublicState } from "../lib/types";
import { NodeBox } from "../parts/node";
import { drawShape, lookOf, State } from "../parts/state";
import { CriticalPath, Slowest } from "../parts/timing";
import { Button, Copy, Empty, Problem, question, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";
import { Ended } from "./flows";

interface Graph extends Flow {
    nodes: FlowNode[];
    edges: FlowEdge[];
    groups: FlowGroup[];
    next_cursor: string | null;
}

const PAGE = 500;
const NODES_MOST = 5_000;
const MARGIN = 20;
/** Smaller is no longer read; then the graph is moved instead. */
const READABLE = 0.4;
const FINAL_FLOW = new Set(["completed", "failed", "cancelled"]);

async function loadGraph(id: string, abort: AbortSignal): Promise<Graph> {
    const path = `/v1/flows/${encodeURIComponent(id)}/graph?limit=${PAGE}`;
    const graph = await get<Graph>(path, abort);
    while (graph.next_cursor && graph.nodes.length < NODES_MOST) {
        const page = await get<Graph>(`${path}&cursor=${encodeURIComponent(graph.next_cursor)}`, abort);
        graph.nodes.push(...page.nodes);
        graph.edges.push(...page.edges);
        graph.groups.push(...page.groups);
        graph.next_cursor = page.next_cursor;
    }
    return graph;
}

export function FlowPage(): JSX.Element {
    const id = place.value.path[1] ?? "";
    const load = useLoad(
        id,
        (abort) => loadGraph(id, abort),
        (event) => event.flow_id === id && (event.kind === "flow" || event.family === "completion"),
    );
    const graph = load.data;
    if (!graph)
        return (
            <Page title="Flow">
                {load.error ? (
                    load.error.status === 404 ? (
                        <Empty title="There is no such flow" />
                    ) : (
                        <Problem error={load.error} retry={load.reload} />
                    )
                ) : (
                    <Skeleton rows={12} />
                )}
            </Page>
        );
    return <Loaded graph={graph} reload={load.reload} />;
}

/** How nodes and edges look now: one signal each, so that a change draws what has changed and nothing else. */
interface Looks {
    nodes: Map<string, Signal<PublicState>>;
    edges: Map<string, Signal<string>>;
}

function show<T>(looks: Map<string, Signal<T>>, id: string, look: T): void {
    const known = looks.get(id);
    if (known) known.value = look;
    else looks.set(id, signal(look));
}

function useLooks(graph: Graph, critical: ReadonlySet<string>): Looks {
    const looks = useRef<Looks>({ nodes: new Map(), edges: new Map() });
    const update = (): void => {
        const { nodes, edges } = looks.current;
        for (const node of graph.nodes) show(nodes, node.execution_id, node.public_state);
        for (const { edge_id, edge_state, upstream_execution_id: from, downstream_execution_id: to } of graph.edges)
            show(edges, edge_id, `edge ${edge_state}${critical.has(from) && critical.has(to) ? " critical" : ""}`);
    };
    // What is drawn for the first time needs them at once; what is there already hears of it afterwards.
    if (looks.current.nodes.size < graph.nodes.length || looks.current.edges.size < graph.edges.length) update();
    useEffect(() => {
        batch(update);
        return onEvents((events) =>
            batch(() => {
                for (const event of events) {
                    const state = event.flow_id === graph.flow_id ? stateAfter(event) : undefined;
                    const known = state && looks.current.nodes.get(event.execution_id);
                    if (known) known.value = state;
                }
            }),
        );
    }, [graph]);
    return looks.current;
}

function Loaded({ graph, reload }: { graph: Graph; reload: () => void }): JSX.Element {
    const chosen = place.value.query.get("node");
    const node = graph.nodes.find((one) => one.execution_id === chosen);
    const looks = useLooks(
        graph,
        useMemo(() => new Set(pathOf(graph, nodeTimes(graph.nodes, graph.edges, now.peek())).map((one) => one.node.execution_id)), [graph]),
    );
    const shape = `${graph.flow_id} ${graph.nodes.length} ${graph.edges.length}`;
    const drawn = useMemo(() => graph, [shape]);
    return (
        <Page
            title={
                <>
                    <span class="crumb">
                        <a href={href(["flows"])}>Flows</a>
                    </span>
                    {graph.flow_kind || "(no kind)"}
                </>
            }
            lead={
                <p class="lead">
                    <State state={graph.public_flow_state} pill />
                    <code class="id">{graph.flow_id}</code>
                    <Copy text={graph.flow_id} what="the id" />
                    <Ended flow={graph} />
                    <span class="muted">
                        created <Time at={graph.created_at} />
                        {graph.finished_at ? `, took ${duration(graph.finished_at - graph.created_at)}` : ""}
                    </span>
                </p>
            }
            side={
                !FINAL_FLOW.has(graph.public_flow_state) && (
                    <Button kind="danger" onClick={() => askCancelFlow(graph, reload)}>
                        Cancel flow
                    </Button>
                )
            }
        >
            <div class={node ? "split flow-split" : ""}>
                <div>
                    <section class="panel graph-panel" aria-label="Graph">
                        <GraphView graph={drawn} chosen={chosen} looks={looks} />
                    </section>
                    <Timing graph={graph} />
                </div>
                {node && (
                    <NodeBox
                        key={node.execution_id}
                        node={node}
                        group={graph.groups.find((one) => one.downstream_execution_id === node.execution_id)}
                        changed={reload}
                    />
                )}
            </div>
        </Page>
    );
}

/** The nodes that the flow waited for, the first of them first. */
function pathOf(graph: Graph, times: ReadonlyMap<string, NodeTime>): NodeTime[] {
    const ids = criticalPath(
        graph.nodes.map((node) => ({ id: node.execution_id, end: times.get(node.execution_id)?.end ?? 0 })),
        graph.edges.map((edge) => ({ from: edge.upstream_execution_id, to: edge.downstream_execution_id })),
    );
    return [...ids].reverse().flatMap((id) => times.get(id) ?? []);
}

/** Beside the graph, so that a running clock draws these lists alone. */
function Timing({ graph }: { graph: Graph }): JSX.Element {
    const times = nodeTimes(graph.nodes, graph.edges, graph.finished_at ?? now.value);
    const link = (one: FlowNode): string => href(["flows", graph.flow_id], { node: one.execution_id });
    return (
        <>
            <CriticalPath times={pathOf(graph, times)} link={link} />
            <Slowest times={[...times.values()]} link={link} />
        </>
    );
}

function askCancelFlow(flow: Flow, done: () => void): void {
    question.value = {
        title: `Cancel ${flow.flow_kind}?`,
        about: `Its ${count(flow.node_count)} nodes that have not ended are cancelled. What has ended stays.`,
        action: "Cancel the flow",
        danger: true,
        fields: [{ name: "reason", label: "Reason" }],
        run: (values) =>
            send("POST", `/v1/flows/${encodeURIComponent(flow.flow_id)}/cancel`, {
                reason: values.reason || "cancelled in the console",
                cancellation_policy: "cancel_all",
            }),
        done: () => {
            done();
            return { text: "The flow is being cancelled." };
        },
    };
}

interface View {
    x: number;
    y: number;
    scale: number;
}

/** The graph in layers; what is on the screen is drawn, dragging moves, the wheel with Ctrl zooms. */
function GraphView({ graph, chosen, looks }: { graph: Graph; chosen: string | null; looks: Looks }): JSX.Element {
    const view = useSignal<View | undefined>(undefined);
    const size = useSignal({ width: 900, height: 420 });
    const box = useRef<HTMLDivElement>(null);
    const drag = useRef<{ x: number; y: number; view: View } | undefined>(undefined);
    const shape = `${graph.flow_id} ${graph.nodes.length} ${graph.edges.length}`;
    const placed = useMemo(
        () =>
            layout(
                graph.nodes.map((node) => ({ id: node.execution_id })),
                graph.edges.map((edge) => ({ from: edge.upstream_execution_id, to: edge.downstream_execution_id })),
            ),
        [shape],
    );
    useEffect(() => {
        const element = box.current!;
        const measure = (): void => {
            size.value = { width: element.clientWidth, height: element.clientHeight };
        };
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        const wheel = (event: WheelEvent): void => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            const here = current();
            const area = element.getBoundingClientRect();
            const scale = Math.min(2, Math.max(0.1, here.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15)));
            const [px, py] = [event.clientX - area.left, event.clientY - area.top];
            view.value = { scale, x: px - ((px - here.x) / here.scale) * scale, y: py - ((py - here.y) / here.scale) * scale };
        };
        element.addEventListener("wheel", wheel, { passive: false });
        return () => {
            observer.disconnect();
            element.removeEventListener("wheel", wheel);
        };
    }, [shape]);
    const fit = (): View => {
        const scale = Math.min(1, (size.value.width - 2 * MARGIN) / placed.width, (size.value.height - 2 * MARGIN) / placed.height);
        const readable = Math.max(scale, READABLE);
        return {
            scale: readable,
            x: Math.max(MARGIN, (size.value.width - placed.width * readable) / 2),
            y: Math.max(MARGIN, (size.value.height - placed.height * readable) / 2),
        };
    };
    const current = (): View => view.value ?? fit();
    const { x, y, scale } = current();
    const seen = (left: number, top: number): boolean => {
        const sx = left * scale + x;
        const sy = top * scale + y;
        return sx > -NODE_WIDTH * scale - 60 && sx < size.value.width + 60 && sy > -NODE_HEIGHT * scale - 40 && sy < size.value.height + 40;
    };
    const tall = Math.min(560, Math.max(220, placed.height + 3 * MARGIN));
    const groups = new Map(graph.groups.map((group) => [group.downstream_execution_id, group]));
    return (
        <div
            class="graph"
            ref={box}
            style={{ height: `${tall}px` }}
            onPointerDown={(event) => {
                if ((event.target as Element).closest("a, button")) return;
                drag.current = { x: event.clientX, y: event.clientY, view: current() };
                box.current!.setPointerCapture(event.pointerId);
            }}
            onPointerMove={(event) => {
                const start = drag.current;
                if (start)
                    view.value = {
                        scale: start.view.scale,
                        x: start.view.x + event.clientX - start.x,
                        y: start.view.y + event.clientY - start.y,
                    };
            }}
            onPointerUp={() => (drag.current = undefined)}
        >
            <svg width={size.value.width} height={size.value.height} role="group" aria-label={`Graph of ${graph.nodes.length} nodes`}>
                <g data-nodes={graph.nodes.length} transform={`translate(${x} ${y}) scale(${scale})`}>
                    {graph.edges.map((edge) => {
                        const from = placed.nodes.get(edge.upstream_execution_id);
                        const to = placed.nodes.get(edge.downstream_execution_id);
                        if (!from || !to || (!seen(from.x, from.y) && !seen(to.x, to.y))) return null;
                        return <DrawnEdge key={edge.edge_id} from={from} to={to} look={looks.edges.get(edge.edge_id)!} />;
                    })}
                    {graph.nodes.map((node) => {
                        const at = placed.nodes.get(node.execution_id);
                        if (!at || !seen(at.x, at.y)) return null;
                        const group = groups.get(node.execution_id);
                        return (
                            <DrawnNode
                                key={node.execution_id}
                                at={at}
                                flow={graph.flow_id}
                                name={node.name || node.execution_kind}
                                look={looks.nodes.get(node.execution_id)!}
                                chosen={node.execution_id === chosen}
                                join={
                                    group && group.policy !== "all_of"
                                        ? `${words(group.policy)}${group.k ? ` ${group.k}` : ""} of ${group.n}`
                                        : undefined
                                }
                            />
                        );
                    })}
                </g>
            </svg>
            <div class="graph-tools">
                <Button kind="quiet" label="Zoom in" onClick={() => (view.value = zoomed(current(), 1.25, size.value))}>
                    +
                </Button>
                <Button kind="quiet" label="Zoom out" onClick={() => (view.value = zoomed(current(), 0.8, size.value))}>
                    −
                </Button>
                <Button kind="quiet" onClick={() => (view.value = undefined)}>
                    Fit
                </Button>
            </div>
        </div>
    );
}

interface NodeProps {
    at: Placed;
    flow: string;
    name: string;
    look: Signal<PublicState>;
    chosen: boolean;
    join: string | undefined;
}

function DrawnNode({ at, flow, name, look, chosen, join }: NodeProps): JSX.Element {
    const state = look.value;
    const { tone, shape } = lookOf(state);
    return (
        <a href={href(["flows", flow], { node: at.id })} aria-label={`${name}, ${words(state)}`}>
            <g class={`node ${tone}${chosen ? " chosen" : ""}`}>
                <title>
                    {name}: {words(state)}
                </title>
                <rect x={at.x} y={at.y} width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
                <g class={`mark ${tone}`}>{drawShape(shape, at.x + 12, at.y + 12)}</g>
                <text x={at.x + 32} y={at.y + 22}>
                    {clip(name, 20)}
                </text>
                {join && (
                    <text class="join" x={at.x} y={at.y - 5}>
                        {join}
                    </text>
                )}
            </g>
        </a>
    );
}

function DrawnEdge({ from, to, look }: { from: Placed; to: Placed; look: Signal<string> }): JSX.Element {
    const [x1, y1, x2, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2];
    const bend = (x2 - x1) / 2;
    return <path class={look.value} d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} />;
}

function zoomed(view: View, by: number, size: { width: number; height: number }): View {
    const scale = Math.min(2, Math.max(0.1, view.scale * by));
    const [px, py] = [size.width / 2, size.height / 2];
    return { scale, x: px - ((px - view.x) / view.scale) * scale, y: py - ((py - view.y) / view.scale) * scale };
}

function clip(text: string, most: number): string {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
