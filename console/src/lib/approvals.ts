import { get } from "./api";
import type { Waitpoint } from "./types";

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
