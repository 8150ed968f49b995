import { executionPath, get, getOrNull } from "./api";
import type { Lane, Listed, Waitpoint } from "./types";

export interface Pending {
    waitpoint: Waitpoint;
    execution: Listed;
}

const EXECUTIONS_MOST = 100;

/** Open waitpoints of suspended executions in all lanes, those that end soonest first. */
export async function pendingApprovals(abort: AbortSignal): Promise<Pending[]> {
    const { lanes } = await get<{ lanes: Lane[] }>("/v1/lanes", abort);
    const lists = await Promise.all(
        lanes.map((lane) => get<{ executions: Listed[] }>(`/v1/executions?lane=${encodeURIComponent(lane.lane_id)}&state=suspended&limit=${EXECUTIONS_MOST}`, abort)),
    );
    const executions = lists.flatMap((list) => list.executions).slice(0, EXECUTIONS_MOST);
    const found = await Promise.all(
        executions.map(async (execution) => {
            const answer = await getOrNull<{ waitpoints: Waitpoint[] }>(executionPath(execution.execution_id, "/pending-waitpoints?tokens=omit"), abort);
            return (answer?.waitpoints ?? []).map((waitpoint) => ({ waitpoint, execution }));
        }),
    );
    const end = (one: Pending): number => one.waitpoint.approval?.due_at ?? one.waitpoint.expires_at ?? Number.MAX_SAFE_INTEGER;
    return found.flat().sort((a, b) => end(a) - end(b));
}
