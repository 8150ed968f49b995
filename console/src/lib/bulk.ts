import { ApiError } from "./api";
import { FINAL_STATES } from "./filter";
import type { Listed } from "./types";

/** The same done to many executions, one request each. */
export type BulkAction = "cancel" | "replay";

export const BULK_MOST = 1_000;
const AT_ONCE = 4;
const TRIES = 4;
const PAUSE_MS = 750;
const REFUSALS_MOST = 50;

const ended = (one: Listed): boolean => (FINAL_STATES as readonly string[]).includes(one.public_state);

/** Whom it concerns: what has ended is run again, anything else can be cancelled. */
export function split<T extends Listed>(rows: readonly T[], action: BulkAction): { fit: T[]; left: T[] } {
    const fits = (one: T): boolean => ended(one) === (action === "replay");
    return { fit: rows.filter(fits), left: rows.filter((one) => !fits(one)) };
}

/** `8 waiting, 3 active`: the most frequent first. */
export function stateCounts(rows: readonly Listed[]): [string, number][] {
    const found = new Map<string, number>();
    for (const one of rows) found.set(one.public_state, (found.get(one.public_state) ?? 0) + 1);
    return [...found].sort((a, b) => b[1] - a[1]);
}

export interface BulkProgress {
    total: number;
    done: number;
    refused: { id: string; kind: string; message: string }[];
    refusedCount: number;
}

async function patiently(act: () => Promise<unknown>, abort: AbortSignal): Promise<void> {
    for (let tried = 1; ; tried += 1) {
        try {
            await act();
            return;
        } catch (error) {
            const again = error instanceof ApiError && error.retryable && tried < TRIES && !abort.aborted;
            if (!again) throw error;
            await new Promise((done) => setTimeout(done, PAUSE_MS * tried));
        }
    }
}

/** Goes through all of them, a few at a time, until it is aborted; a refusal is noted and stops nothing. */
export async function runBulk(
    rows: readonly Listed[],
    act: (id: string) => Promise<unknown>,
    abort: AbortSignal,
    tell: (progress: BulkProgress) => void,
): Promise<BulkProgress> {
    const progress: BulkProgress = { total: rows.length, done: 0, refused: [], refusedCount: 0 };
    let next = 0;
    const walk = async (): Promise<void> => {
        while (next < rows.length && !abort.aborted) {
            const row = rows[next]!;
            next += 1;
            try {
                await patiently(() => act(row.execution_id), abort);
                progress.done += 1;
            } catch (error) {
                progress.refusedCount += 1;
                const message = error instanceof Error ? error.message : String(error);
                if (progress.refused.length < REFUSALS_MOST)
                    progress.refused.push({ id: row.execution_id, kind: row.execution_kind, message });
            }
            tell({ ...progress });
        }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows.length) }, walk));
    return progress;
}
