import { signal } from "@preact/signals";
import { ask, signedOut } from "./api";
import { SseParser } from "./sse";
import type { FeedEvent } from "./types";

/** The one connection over which the page learns what happens. */
export type LiveState = "connecting" | "live" | "reconnecting";
export const liveState = signal<LiveState>("connecting");
/** How far the last event lay behind when it came. */
export const liveLagMs = signal(0);

const FAMILIES = "completion,lease_history,operator,signal_delivery,instance_tags";
const RETRY_MS_MOST = 10_000;
/** The server sends at least a comment this often. */
const SILENCE_MS_MOST = 40_000;

type Listener = (events: FeedEvent[]) => void;
const listeners = new Set<Listener>();
let cursor: string | undefined;
let stop: AbortController | undefined;

export function onEvents(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** Told after a break that was too long to be made up for by the cursor. */
const gapListeners = new Set<() => void>();
export function onGap(listener: () => void): () => void {
    gapListeners.add(listener);
    return () => gapListeners.delete(listener);
}

function deliver(events: FeedEvent[]): void {
    if (events.length === 0) return;
    liveLagMs.value = Math.max(0, Date.now() - events[events.length - 1]!.at);
    for (const listener of listeners) listener(events);
}

/** Reads server-sent events until they end; `take` gets them as they come, in batches. */
export async function readEvents(
    path: string,
    headers: Record<string, string>,
    abort: AbortSignal,
    take: (events: { event: string; data: string; id: string | undefined }[]) => void,
    opened?: () => void,
): Promise<number> {
    const reply = await ask(path, { headers: { Accept: "text/event-stream", ...headers }, signal: abort });
    opened?.();
    if (reply.status === 204 || reply.body === null) return reply.status;
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new SseParser();
    for (;;) {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silence = new Promise<never>((_, refuse) => {
            timer = setTimeout(() => refuse(new Error("silent")), SILENCE_MS_MOST);
        });
        let piece: ReadableStreamReadResult<string>;
        try {
            piece = await Promise.race([reader.read(), silence]);
        } catch (error) {
            void reader.cancel().catch(() => undefined);
            throw error;
        } finally {
            clearTimeout(timer);
        }
        if (piece.done) return 200;
        const found = parser.push(piece.value);
        if (found.length > 0) take(found);
    }
}

function takeFeed(found: { event: string; data: string; id: string | undefined }[]): void {
    const events: FeedEvent[] = [];
    for (const one of found) {
        if (one.id !== undefined) cursor = one.id;
        if (one.event === "gap") for (const listener of gapListeners) listener();
        else if (FAMILIES.includes(one.event)) events.push(JSON.parse(one.data) as FeedEvent);
    }
    deliver(events);
}

export function startLive(): void {
    if (stop) return;
    const mine = new AbortController();
    stop = mine;
    void (async () => {
        let wait = 500;
        while (!mine.signal.aborted) {
            try {
                const headers: Record<string, string> = cursor === undefined ? {} : { "Last-Event-ID": cursor };
                const opened = Date.now();
                await readEvents(`/v1/streams/${FAMILIES}/subscribe`, headers, mine.signal, takeFeed, () => {
                    // What happened before the first connection nobody has heard; pages ask again.
                    if (liveState.value === "reconnecting" && cursor === undefined) for (const listener of gapListeners) listener();
                    liveState.value = "live";
                });
                if (Date.now() - opened > 5_000) wait = 500;
            } catch (error) {
                if (mine.signal.aborted) return;
                if (error instanceof Error && "code" in error && error.code === "invalid_cursor") cursor = undefined;
            }
            if (signedOut.value) {
                stop = undefined;
                return;
            }
            liveState.value = "reconnecting";
            await new Promise((done) => setTimeout(done, wait + Math.random() * 250));
            wait = Math.min(RETRY_MS_MOST, wait * 2);
        }
    })();
}

export function stopLive(): void {
    stop?.abort();
    stop = undefined;
    liveState.value = "connecting";
}
