import type { JSX } from "preact";
import { words } from "../lib/format";

export type Tone = "active" | "good" | "bad" | "held" | "quiet" | "linked";

/** A stroke of that width, or a filled area without one. All of its path is relative, so that it can begin anywhere. */
interface Part {
    d: string;
    width?: number;
    stroke?: string;
}

interface Look {
    tone: Tone;
    /** Drawn in a square of 12; told apart without colour. */
    shape: readonly Part[];
}

const ring: Part = { d: "m1.75 6a4.25 4.25 0 1 0 8.5 0a4.25 4.25 0 1 0-8.5 0", width: 1.5 };
const clock: Part[] = [ring, { d: "m6 3.8v2.2l1.6 1", width: 1.3 }];
const check: Part[] = [{ d: "m2.2 6.4l2.6 2.6l5-6", width: 2 }];
const cross: Part[] = [{ d: "m2.8 2.8l6.4 6.4m0-6.4l-6.4 6.4", width: 2 }];
const bars: Part[] = [{ d: "m3.8 2.5v7m4.4-7v7", width: 2.2 }];
const play: Part[] = [{ d: "m3 1.8v8.4l7.2-4.2z" }];
const slash: Part[] = [ring, { d: "m3.2 8.8l5.6-5.6", width: 1.5 }];
const skip: Part[] = [{ d: "m2 2.5l3.5 3.5l-3.5 3.5m4.5-7l3.5 3.5l-3.5 3.5", width: 1.6 }];
const diamond: Part[] = [{ d: "m6 1.4l4.6 4.6l-4.6 4.6l-4.6-4.6z", width: 1.5 }];
const half: Part[] = [ring, { d: "m6 1.8a4.2 4.2 0 0 1 0 8.4z" }];
const timeout: Part[] = [{ d: "m1 6a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" }, { d: "m6 3.4v2.6l1.7 1.1", width: 1.3, stroke: "var(--surface)" }];

/** Without a transform, which would make every mark of a large graph a layer of its own. */
export function drawShape(shape: readonly Part[], x = 0, y = 0): JSX.Element[] {
    return shape.map(({ d, width, stroke }) =>
        width === undefined ? (
            <path key={d} d={`M${x} ${y}${d}`} fill="currentColor" />
        ) : (
            <path
                key={d}
                d={`M${x} ${y}${d}`}
                fill="none"
                stroke={stroke ?? "currentColor"}
                stroke-width={width}
                stroke-linecap="round"
                stroke-linejoin="round"
            />
        ),
    );
}

const LOOKS: Record<string, Look> = {
    waiting: { tone: "quiet", shape: [ring] },
    delayed: { tone: "quiet", shape: clock },
    rate_limited: { tone: "held", shape: half },
    waiting_children: { tone: "linked", shape: diamond },
    active: { tone: "active", shape: play },
    suspended: { tone: "held", shape: bars },
    completed: { tone: "good", shape: check },
    failed: { tone: "bad", shape: cross },
    cancelled: { tone: "quiet", shape: slash },
    expired: { tone: "bad", shape: timeout },
    skipped: { tone: "quiet", shape: skip },
    // Of flows, lanes and attempts.
    open: { tone: "active", shape: play },
    running: { tone: "active", shape: play },
    blocked: { tone: "held", shape: half },
    paused: { tone: "held", shape: bars },
    draining: { tone: "held", shape: half },
    disabled: { tone: "quiet", shape: slash },
    enabled: { tone: "good", shape: check },
    started: { tone: "active", shape: play },
    interrupted: { tone: "held", shape: bars },
    success: { tone: "good", shape: check },
    ended_success: { tone: "good", shape: check },
    ended_failure: { tone: "bad", shape: cross },
    ended_cancelled: { tone: "quiet", shape: slash },
    interrupted_reclaimed: { tone: "held", shape: half },
};

export function lookOf(state: string): Look {
    return LOOKS[state] ?? { tone: "quiet", shape: [ring] };
}

export function StateIcon({ state }: { state: string }): JSX.Element {
    const look = lookOf(state);
    return (
        <svg class={`mark ${look.tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            {drawShape(look.shape)}
        </svg>
    );
}

/** Shape, colour and the word of the API. */
export function State({ state, pill = false }: { state: string; pill?: boolean }): JSX.Element {
    return (
        <span class={`state ${lookOf(state).tone}${pill ? " pill" : ""}`}>
            <StateIcon state={state} />
            {words(state)}
        </span>
    );
}
