import type { FeedEvent, PublicState } from "./types";

const OUTCOMES: Record<string, PublicState> = {
    success: "completed",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired",
    skipped: "skipped",
};

/** What an event alone says about the state; undefined where the execution has to be asked for. */
export function stateAfter(event: FeedEvent): PublicState | undefined {
    if (event.kind === "flow") return undefined;
    if (event.family === "completion") return OUTCOMES[event.outcome ?? ""];
    if (event.family !== "lease_history" || event.outcome) return undefined;
    if (event.event === "acquired" || event.event === "renewed") return "active";
    if (event.event === "released" && event.reason === "suspend") return "suspended";
    return undefined;
}

/** Whether it changes what a row shows. */
export function changesState(event: FeedEvent): boolean {
    return event.execution_id !== "" && event.family !== "instance_tags" && event.event !== "renewed";
}
