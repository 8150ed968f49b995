import { get } from "./api";
import type { Listed, Signal, Waitpoint } from "./types";

/** What somebody is asked, with the execution that asks. */
export interface Pending extends Waitpoint {
    namespace: string;
    lane_id: string;
    execution_kind: string;
}

const PAGE = 200;
const PAGES_MOST = 5;

/** Everything that waits for a person, soonest due first; beyond a thousand the rest follows when these are answered. */
export async function pendingApprovals(abort: AbortSignal): Promise<Pending[]> {
    const found: Pending[] = [];
    let cursor: string | null = "";
    for (let read = 0; read < PAGES_MOST && cursor !== null; read += 1) {
        const page: { approvals: Pending[]; next_cursor: string | null } = await get(
            `/v1/approvals?limit=${PAGE}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
            abort,
        );
        found.push(...page.approvals);
        cursor = page.next_cursor;
    }
    return found;
}

const TAGGED_PAGE = 1_000;

/** The suspended executions that have a tag, over the namespaces that wait for somebody. */
export async function suspendedWith(tag: string, namespaces: readonly string[], abort: AbortSignal): Promise<Set<string>> {
    const found = new Set<string>();
    for (const namespace of namespaces) {
        const query = new URLSearchParams({ namespace, tag, state: "suspended", limit: String(TAGGED_PAGE) });
        for (let read = 0; read < PAGES_MOST; read += 1) {
            const page = await get<{ executions: Listed[]; next_cursor: string | null }>(`/v1/executions?${query}`, abort);
            for (const one of page.executions) found.add(one.execution_id);
            if (page.next_cursor === null) break;
            query.set("cursor", page.next_cursor);
        }
    }
    return found;
}

/** What an open suspension waits for, as the API tells it. */
export interface Condition {
    condition_type: string;
    match_mode: string;
    resume_condition_json: string;
    remaining: number | null;
    matchers: { name: string; satisfied: boolean }[];
}

/** How many answers it takes and how many are there; undefined where one answer is enough or nothing is counted. */
export function counted(condition: Condition): { have: number; need: number } | undefined {
    const { remaining, matchers } = condition;
    if (remaining === null || matchers.length === 0) return undefined;
    let need = matchers.length;
    if (condition.match_mode !== "all") {
        const asked = JSON.parse(condition.resume_condition_json) as { minimum_signal_count?: number };
        need = asked.minimum_signal_count ?? 1;
    }
    return need > 1 ? { have: Math.max(0, need - remaining), need } : undefined;
}

/** What somebody filled in, beside the comment. */
export function filledIn(signal: Signal): [string, string][] {
    if (!signal.payload) return [];
    try {
        const payload: unknown = JSON.parse(signal.payload);
        if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return [];
        return Object.entries(payload).flatMap(([name, value]): [string, string][] =>
            name === "comment" ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]],
        );
    } catch {
        return [];
    }
}

/** What somebody wrote beside an answer. */
export function commentOf(signal: Signal): string | undefined {
    if (!signal.payload) return undefined;
    try {
        const payload = JSON.parse(signal.payload) as { comment?: unknown } | null;
        return typeof payload?.comment === "string" ? payload.comment : undefined;
    } catch {
        return undefined;
    }
}
