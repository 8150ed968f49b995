import type { JSX } from "preact";
import { words } from "../lib/format";

export type Tone = "active" | "good" | "bad" | "held" | "quiet" | "linked";

interface Look {
    tone: Tone;
    /** Drawn in a square of 12; told apart without colour. */
    shape: JSX.Element;
}

const ring = <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" stroke-width="1.5" />;
const clock = (
    <>
        {ring}
        <path d="M6 3.8V6l1.6 1" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" />
    </>
);
const check = (
    <path d="M2.2 6.4 4.8 9l5-6" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
);
const cross = <path d="m2.8 2.8 6.4 6.4m0-6.4L2.8 9.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" />;
const bars = <path d="M3.8 2.5v7m4.4-7v7" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />;
const play = <path d="M3 1.8v8.4L10.2 6z" fill="currentColor" />;
const slash = (
    <>
        {ring}
        <path d="m3.2 8.8 5.6-5.6" stroke="currentColor" stroke-width="1.5" />
    </>
);
const skip = (
    <path
        d="m2 2.5 3.5 3.5L2 9.5m4.5-7L10 6 6.5 9.5"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
    />
);
const diamond = <path d="M6 1.4 10.6 6 6 10.6 1.4 6z" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />;
const half = (
    <>
        {ring}
        <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4z" fill="currentColor" />
    </>
);
const timeout = (
    <>
        <circle cx="6" cy="6" r="5" fill="currentColor" />
        <path d="M6 3.4V6l1.7 1.1" fill="none" stroke="var(--surface)" stroke-width="1.3" stroke-linecap="round" />
    </>
);

const LOOKS: Record<string, Look> = {
    waiting: { tone: "quiet", shape: ring },
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
    return LOOKS[state] ?? { tone: "quiet", shape: ring };
}

export function StateIcon({ state }: { state: string }): JSX.Element {
    const look = lookOf(state);
    return (
        <svg class={`mark ${look.tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            {look.shape}
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
