import { words } from "./format";
import type { Explanation, Waitpoint } from "./types";

export interface Why {
    sentence: string;
    /** What the sentence rests on. */
    evidence: string[];
    tone: "good" | "bad" | "held" | "active" | "quiet" | "linked";
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function waiting(info: Explanation): Why {
    const serving = info.workers.filter((worker) => worker.serves_lane);
    const able = serving.filter((worker) => worker.missing_capabilities.length === 0);
    const evidence = serving.map(
        (worker) =>
            `${worker.worker_instance_id}: ${worker.missing_capabilities.length === 0 ? "could take it" : `lacks ${worker.missing_capabilities.join(", ")}`}`,
    );
    if (info.lane_state !== "active")
        return { sentence: `Waits because lane ${info.lane_id} is ${info.lane_state}.`, evidence, tone: "held" };
    const spent = info.policies.filter((policy) => policy.exhausted);
    if (spent.length > 0)
        return {
            sentence: `Waits because ${spent.map((policy) => policy.detail).join("; ")}.`,
            evidence: info.policies.map((policy) => policy.detail),
            tone: "held",
        };
    if (info.workers.length === 0)
        return {
            sentence: "Waits because no worker is registered in its namespace. Workers that claim without registering are not counted.",
            evidence: [],
            tone: "held",
        };
    if (serving.length === 0)
        return {
            sentence: `Waits because no registered worker serves lane ${info.lane_id}.`,
            evidence: info.workers.map((worker) => `${worker.worker_instance_id} serves other lanes`),
            tone: "held",
        };
    if (able.length === 0) {
        const missing = [...new Set(serving.flatMap((worker) => worker.missing_capabilities))];
        return { sentence: `Waits because no worker of lane ${info.lane_id} has ${missing.join(", ")}.`, evidence, tone: "held" };
    }
    return {
        sentence: `Waits for its turn: ${able.length} of ${serving.length} workers on lane ${info.lane_id} can take it.`,
        evidence,
        tone: "quiet",
    };
}

/** Why it is where it is, as one sentence, from what the server explains. */
export function why(info: Explanation, waitpoints: readonly Waitpoint[]): Why {
    switch (info.public_state) {
        case "completed":
            return {
                sentence: `Completed after ${info.total_attempt_count === 1 ? "one attempt" : `${info.total_attempt_count} attempts`}.`,
                evidence: [],
                tone: "good",
            };
        case "failed":
            return {
                sentence: `Failed: ${info.failure_reason || words(info.failure_category ?? "") || "no reason was given"}${info.failure_reason?.endsWith(".") ? "" : "."}`,
                evidence: info.failure_category ? [`category ${info.failure_category}`, `${info.total_attempt_count} attempts`] : [],
                tone: "bad",
            };
        case "cancelled":
            return {
                sentence: `Cancelled${info.cancellation_reason ? `: ${info.cancellation_reason}` : ""}.`,
                evidence: [],
                tone: "quiet",
            };
        case "expired":
            return { sentence: "Expired: its deadline passed before it ended.", evidence: [], tone: "bad" };
        case "skipped":
            return {
                sentence: `Skipped${info.blocking_detail ? `: ${info.blocking_detail}` : " because what it depends on cannot be met"}.`,
                evidence: [],
                tone: "quiet",
            };
        case "active":
            return {
                sentence: info.worker_instance_id
                    ? `Runs on ${info.worker_instance_id}${info.progress_message ? `: ${info.progress_message}` : ""}.`
                    : "Runs.",
                evidence: info.progress_pct === undefined ? [] : [`${info.progress_pct} % done`],
                tone: "active",
            };
        case "suspended": {
            const asked = waitpoints.find((one) => one.approval?.prompt);
            const names = [...new Set(waitpoints.flatMap((one) => one.required_signal_names))];
            if (asked)
                return {
                    sentence: `Waits for an answer: ${asked.approval!.prompt}`,
                    evidence: names.map((name) => `signal ${name}`),
                    tone: "held",
                };
            return {
                sentence: names.length > 0 ? `Suspended until ${names.join(" or ")} arrives.` : `${upper(info.summary)}.`,
                evidence: [info.blocking_detail].filter(Boolean),
                tone: "held",
            };
        }
        case "delayed":
            return { sentence: "Delayed: it is not due yet.", evidence: [info.blocking_detail].filter(Boolean), tone: "quiet" };
        case "waiting_children":
            return { sentence: `${upper(info.summary)}.`, evidence: [info.blocking_detail].filter(Boolean), tone: "linked" };
        case "rate_limited":
            return {
                sentence: `Held back: ${info.blocking_detail || info.summary}.`,
                evidence: info.policies.map((policy) => policy.detail),
                tone: "held",
            };
        case "waiting":
            return waiting(info);
        default:
            return { sentence: `${upper(info.summary)}.`, evidence: [], tone: "quiet" };
    }
}
