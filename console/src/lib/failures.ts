import type { ExecutionInfo } from "./types";

export interface FailureGroup {
    fingerprint: string;
    reason: string;
    category: string;
    kinds: string[];
    count: number;
    firstAt: number;
    lastAt: number;
    members: ExecutionInfo[];
}

/** What stays of a reason when what differs from case to case is taken out: numbers, ids, quoted names. */
export function fingerprint(reason: string): string {
    return reason
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "‹id›")
        .replace(/0x[0-9a-f]+/gi, "‹hex›")
        .replace(/\d+(?:[.,]\d+)*/g, "‹n›")
        .replace(/(["'`])(?:(?!\1).){1,80}\1/g, "‹text›")
        .trim();
}

/** The same failure of the same category, whatever its numbers; the most frequent first. */
export function groupFailures(failed: readonly ExecutionInfo[]): FailureGroup[] {
    const groups = new Map<string, FailureGroup>();
    for (const one of failed) {
        const reason = one.failure_reason ?? "";
        const category = one.failure_category ?? "";
        const key = `${category}\n${fingerprint(reason)}`;
        const at = one.completed_at ?? one.created_at;
        const group = groups.get(key) ?? {
            fingerprint: fingerprint(reason),
            reason,
            category,
            kinds: [],
            count: 0,
            firstAt: at,
            lastAt: at,
            members: [],
        };
        group.count += 1;
        group.firstAt = Math.min(group.firstAt, at);
        if (at >= group.lastAt) {
            group.lastAt = at;
            group.reason = reason;
        }
        if (!group.kinds.includes(one.execution_kind)) group.kinds.push(one.execution_kind);
        group.members.push(one);
        groups.set(key, group);
    }
    return [...groups.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt);
}

/** How often it happened over a stretch of time, in parts of the same length. */
export function trend(group: FailureGroup, from: number, to: number, parts: number): number[] {
    const found = Array.from({ length: parts }, () => 0);
    const width = Math.max(1, (to - from) / parts);
    for (const one of group.members) {
        const at = Math.floor(((one.completed_at ?? one.created_at) - from) / width);
        if (at >= 0) found[Math.min(parts - 1, at)]! += 1;
    }
    return found;
}
