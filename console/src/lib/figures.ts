import { get } from "./api";
import type { FeedEvent } from "./types";

/** Endings over time, in buckets of the same width, for each lane and outcome. */
export interface Figures {
    from: number;
    bucketMs: number;
    buckets: Bucket[];
}

export interface Bucket {
    ended: number;
    failed: number;
    lanes: Record<string, { ended: number; failed: number }>;
}

export const BUCKETS = 60;
/** Windows that are tried, the longest first: a busy feed holds less than an hour. */
const WINDOWS_MS = [3_600_000, 600_000, 60_000];
const PAGES_MOST = 12;
const PAGE = 1_000;

export function emptyFigures(now: number, windowMs: number): Figures {
    const bucketMs = windowMs / BUCKETS;
    return { from: now - windowMs, bucketMs, buckets: Array.from({ length: BUCKETS }, () => ({ ended: 0, failed: 0, lanes: {} })) };
}

/** Moves the window on to `now`, and counts what came. */
export function advance(figures: Figures, events: readonly FeedEvent[], now: number): Figures {
    const { bucketMs } = figures;
    const shift = Math.max(0, Math.ceil((now - figures.from - BUCKETS * bucketMs) / bucketMs));
    const from = figures.from + shift * bucketMs;
    const kept = figures.buckets.slice(shift).map((bucket) => ({ ...bucket, lanes: { ...bucket.lanes } }));
    while (kept.length < BUCKETS) kept.push({ ended: 0, failed: 0, lanes: {} });
    for (const event of events) {
        if (event.family !== "completion" || event.kind === "flow") continue;
        const bucket = kept[Math.floor((event.at - from) / bucketMs)];
        if (!bucket) continue;
        const failed = event.outcome === "failed" || event.outcome === "expired" ? 1 : 0;
        const lane = bucket.lanes[event.lane_id] ?? { ended: 0, failed: 0 };
        bucket.ended += 1;
        bucket.failed += failed;
        bucket.lanes[event.lane_id] = { ended: lane.ended + 1, failed: lane.failed + failed };
    }
    return { from, bucketMs, buckets: kept };
}

/** What the feed still holds of the last hour, or of less where it is busy. */
export async function readFigures(abort: AbortSignal): Promise<Figures> {
    for (const windowMs of WINDOWS_MS) {
        const now = Date.now();
        const events: FeedEvent[] = [];
        let cursor: string | undefined;
        for (let read = 0; read < PAGES_MOST; read += 1) {
            const start = cursor === undefined ? `since=${now - windowMs}` : `cursor=${encodeURIComponent(cursor)}`;
            const page = await get<{ events: FeedEvent[]; cursor: string }>(`/v1/streams/completion?${start}&limit=${PAGE}`, abort);
            events.push(...page.events);
            cursor = page.cursor;
            if (page.events.length < PAGE) return advance(emptyFigures(now, windowMs), events, now);
        }
    }
    return emptyFigures(Date.now(), WINDOWS_MS[WINDOWS_MS.length - 1]!);
}
