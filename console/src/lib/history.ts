import { words } from "./format";
import type { Attempt, ExecutionInfo, LeaseEvent, Signal, Step } from "./types";

export interface Happening {
    at: number;
    what: string;
    /** Who did it or where: a worker, a person. */
    who: string;
    about: string;
    tone: "active" | "good" | "bad" | "held" | "quiet" | "linked";
}

const LOST = new Set(["expired", "revoked", "reclaimed", "expired_reclaimed"]);

function leaseTone(event: LeaseEvent): Happening["tone"] {
    if (LOST.has(event.event)) return "bad";
    if (event.event === "acquired") return "active";
    return event.reason === "suspend" ? "held" : "quiet";
}

/** Everything that is recorded of an execution as one list, the latest first. Renewals of leases say nothing and are left out. */
export function history(
    info: ExecutionInfo,
    attempts: readonly Attempt[],
    events: readonly LeaseEvent[],
    signals: readonly Signal[],
    steps: readonly Step[],
): Happening[] {
    const found: Happening[] = [{ at: info.created_at, what: "created", who: "", about: `in lane ${info.lane_id}`, tone: "quiet" }];
    for (const event of events)
        if (event.event !== "renewed")
            found.push({
                at: event.ts,
                what: `lease ${words(event.event)}`,
                who: event.worker_instance_id || event.worker_id,
                about: `attempt ${event.attempt_index + 1}${event.reason ? `, ${words(event.reason)}` : ""}`,
                tone: leaseTone(event),
            });
    for (const attempt of attempts)
        if (attempt.ended_at !== undefined && attempt.failure_reason)
            found.push({
                at: attempt.ended_at,
                what: "attempt failed",
                who: attempt.worker_instance_id ?? "",
                about: `${attempt.failure_category ? `${attempt.failure_category}: ` : ""}${attempt.failure_reason}`,
                tone: "bad",
            });
    for (const signal of signals)
        found.push({
            at: Number(signal.accepted_at ?? signal.created_at ?? 0),
            what: `signal ${signal.signal_name}`,
            who: signal.source_identity ?? "",
            about: "",
            tone: "linked",
        });
    for (const step of steps)
        found.push({
            at: step.recorded_at,
            what: `step ${step.name}`,
            who: "",
            about: `attempt ${step.attempt_index + 1}`,
            tone: "good",
        });
    if (info.completed_at !== undefined)
        found.push({
            at: info.completed_at,
            what: words(info.public_state),
            who: "",
            about: info.failure_reason ?? info.cancellation_reason ?? "",
            tone:
                info.public_state === "completed"
                    ? "good"
                    : info.public_state === "failed" || info.public_state === "expired"
                      ? "bad"
                      : "quiet",
        });
    return found
        .map((one, at) => ({ one, at }))
        .sort((a, b) => b.one.at - a.one.at || b.at - a.at)
        .map(({ one }) => one);
}
