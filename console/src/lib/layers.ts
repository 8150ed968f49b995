/** Places the nodes of a graph without cycles in layers, from left to right. */
export interface GraphNode {
    id: string;
}
export interface GraphEdge {
    from: string;
    to: string;
}
export interface Placed {
    id: string;
    x: number;
    y: number;
    layer: number;
}
export interface Layout {
    nodes: Map<string, Placed>;
    width: number;
    height: number;
}

export const NODE_WIDTH = 172;
export const NODE_HEIGHT = 36;
const GAP_X = 56;
const GAP_Y = 14;
const SWEEPS = 6;

function neighbours(
    nodes: readonly GraphNode[],
    edges: readonly GraphEdge[],
): { before: Map<string, string[]>; after: Map<string, string[]> } {
    const before = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
    const after = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
    for (const { from, to } of edges) {
        if (!before.has(from) || !before.has(to)) continue;
        before.get(to)!.push(from);
        after.get(from)!.push(to);
    }
    return { before, after };
}

/** The length of the longest way to a node. What lies on a cycle, which a flow never has, stays in layer 0. */
function layersOf(nodes: readonly GraphNode[], before: Map<string, string[]>, after: Map<string, string[]>): Map<string, number> {
    const open = new Map(nodes.map((node) => [node.id, before.get(node.id)!.length]));
    const layer = new Map(nodes.map((node) => [node.id, 0]));
    const ready = nodes.filter((node) => open.get(node.id) === 0).map((node) => node.id);
    for (let at = 0; at < ready.length; at += 1) {
        const id = ready[at]!;
        for (const next of after.get(id)!) {
            layer.set(next, Math.max(layer.get(next)!, layer.get(id)! + 1));
            open.set(next, open.get(next)! - 1);
            if (open.get(next) === 0) ready.push(next);
        }
    }
    return layer;
}

/** Orders each layer by the middle of its neighbours, to and fro, so that few edges cross. */
function order(layers: string[][], before: Map<string, string[]>, after: Map<string, string[]>): void {
    const place = new Map<string, number>();
    const note = (): void => {
        for (const layer of layers) for (const [at, id] of layer.entries()) place.set(id, (at + 0.5) / layer.length);
    };
    note();
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
        const near = sweep % 2 === 0 ? before : after;
        const middle = (id: string): number => {
            const around = near.get(id)!;
            return around.length === 0 ? place.get(id)! : around.reduce((sum, one) => sum + place.get(one)!, 0) / around.length;
        };
        for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
            const wanted = new Map(layer.map((id) => [id, middle(id)]));
            layer.sort((a, b) => wanted.get(a)! - wanted.get(b)!);
            for (const [at, id] of layer.entries()) place.set(id, (at + 0.5) / layer.length);
        }
    }
}

export function layout(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
    const { before, after } = neighbours(nodes, edges);
    const layerOf = layersOf(nodes, before, after);
    const layers: string[][] = [];
    for (const node of nodes) (layers[layerOf.get(node.id)!] ??= []).push(node.id);
    order(layers, before, after);
    const tallest = Math.max(1, ...layers.map((layer) => layer.length));
    const height = tallest * (NODE_HEIGHT + GAP_Y) - GAP_Y;
    const placed = new Map<string, Placed>();
    for (const [at, layer] of layers.entries()) {
        const own = layer.length * (NODE_HEIGHT + GAP_Y) - GAP_Y;
        for (const [row, id] of layer.entries())
            placed.set(id, { id, layer: at, x: at * (NODE_WIDTH + GAP_X), y: (height - own) / 2 + row * (NODE_HEIGHT + GAP_Y) });
    }
    return { nodes: placed, width: Math.max(NODE_WIDTH, layers.length * (NODE_WIDTH + GAP_X) - GAP_X), height };
}

/** The chain of nodes that ended last: what the whole flow waited for. */
export function criticalPath(nodes: readonly { id: string; end: number }[], edges: readonly GraphEdge[]): Set<string> {
    const { before } = neighbours(nodes, edges);
    const end = new Map(nodes.map((node) => [node.id, node.end]));
    const found = new Set<string>();
    let current = [...nodes].sort((a, b) => b.end - a.end)[0]?.id;
    while (current !== undefined && !found.has(current)) {
        found.add(current);
        current = [...before.get(current)!].sort((a, b) => end.get(b)! - end.get(a)!)[0];
    }
    return found;
}
