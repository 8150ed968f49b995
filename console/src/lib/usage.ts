import type { Attempt } from "./types";

const REPORTS = "usage.last_usage_report_seq";

/** What an attempt has reported, by dimension. */
export function usageOf(attempt: Attempt): Record<string, number> {
    const found: Record<string, number> = {};
    for (const [name, value] of Object.entries(attempt))
        if (name.startsWith("usage.") && name !== REPORTS) found[name.slice("usage.".length)] = Number(value);
    return found;
}

export function totalUsage(attempts: readonly Attempt[]): Record<string, number> {
    const total: Record<string, number> = {};
    for (const attempt of attempts) for (const [name, value] of Object.entries(usageOf(attempt))) total[name] = (total[name] ?? 0) + value;
    return total;
}
