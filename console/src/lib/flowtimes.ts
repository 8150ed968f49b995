import type { FlowEdge, FlowNode } from "./types";

export interface NodeTime {
    node: FlowNode;
    /** When all that it depends on had ended. */
    ready: number;
    /** When it ended; for what goes on, now. */
    end: number;
}

const GOING_ON = new Set(["active", "suspended", "waiting", "delayed", "rate_limited"]);

/** From when to when each node kept the flow waiting; nodes that are not their turn yet, or were skipped, did not. */
export function nodeTimes(nodes: readonly FlowNode[], edges: readonly FlowEdge[], now: number): Map<string, NodeTime> {
    const byId = new Map(nodes.map((node) => [node.execution_id, node]));
    const ready = new Map<string, number | undefined>(nodes.map((node) => [node.execution_id, node.created_at]));
    for (const edge of edges) {
        const before = byId.get(edge.upstream_execution_id);
        const known = ready.get(edge.downstream_execution_id);
        if (!before || known === undefined) continue;
        ready.set(
            edge.downstream_execution_id,
            before.completed_at === undefined && edge.edge_state !== "satisfied"
                ? undefined
                : Math.max(known, before.completed_at ?? known),
        );
    }
    const found = new Map<string, NodeTime>();
    for (const node of nodes) {
        const from = ready.get(node.execution_id);
        const end = node.completed_at ?? (GOING_ON.has(node.public_state) ? now : undefined);
        // A join may be satisfied before the last of its dependencies ends.
        if (end !== undefined && from !== undefined && node.public_state !== "skipped")
            found.set(node.execution_id, { node, ready: Math.min(from, end), end });
    }
    return found;
}
