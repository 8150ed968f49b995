import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, signedOut } from "./api";
import { onEvents, onGap } from "./live";
import type { FeedEvent } from "./types";

export interface Load<T> {
    data: T | undefined;
    error: ApiError | undefined;
    loading: boolean;
    reload: () => void;
}

const CALM_MS = 300;
const CALM_MS_MOST = 1_500;
const RETRY_MS = 4_000;

/**
 * What the API says about `key`, asked for again when an event of the feed concerns it. Events that come together cost one
 * request, and a busy feed costs one every CALM_MS_MOST. Old data stays on the page until the new is there.
 * `again` gives a pause for what no event tells of (progress, steps, usage); nothing is asked while the page is hidden.
 */
export function useLoad<T>(
    key: string,
    load: (abort: AbortSignal) => Promise<T>,
    concerns?: (event: FeedEvent) => boolean,
    again?: (data: T) => number | undefined,
): Load<T> {
    const data = useSignal<{ key: string; value: T } | undefined>(undefined);
    const error = useSignal<ApiError | undefined>(undefined);
    const loading = useSignal(true);
    const latest = useRef({ load, concerns, again });
    latest.current = { load, concerns, again };
    const reload = useRef<() => void>(() => undefined);

    useEffect(() => {
        let abort = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        let due = 0;
        let gone = false;
        let running = false;
        const run = async (): Promise<void> => {
            clearTimeout(timer);
            timer = undefined;
            due = 0;
            // A slow answer is waited for: on a busy feed a fresh question would otherwise always cut the last one off.
            running = true;
            abort = new AbortController();
            const mine = abort;
            loading.value = true;
            try {
                const value = await latest.current.load(mine.signal);
                if (mine.signal.aborted || gone) return;
                data.value = { key, value };
                error.value = undefined;
                const pause = latest.current.again?.(value);
                if (pause !== undefined) beat(pause);
            } catch (caught) {
                if (mine.signal.aborted || gone) return;
                error.value = caught instanceof ApiError ? caught : new ApiError(0, "console", String(caught), false);
                if (error.value.retryable) timer = setTimeout(() => void run(), RETRY_MS);
            } finally {
                running = false;
                if (!mine.signal.aborted && !gone) {
                    loading.value = false;
                    if (due !== 0) soon();
                }
            }
        };
        const beat = (pause: number): void => {
            timer = setTimeout(() => (document.hidden ? beat(pause) : void run()), pause);
        };
        const soon = (): void => {
            const now = Date.now();
            if (due === 0) due = now + CALM_MS_MOST;
            if (running) return;
            clearTimeout(timer);
            timer = setTimeout(() => void run(), Math.max(0, Math.min(CALM_MS, due - now)));
        };
        reload.current = () => {
            abort.abort();
            void run();
        };
        const unsubscribe = onEvents((events) => {
            const wanted = latest.current.concerns;
            if (wanted && events.some(wanted)) soon();
        });
        const unsubscribeGap = onGap(soon);
        const unsubscribeSignIn = signedOut.subscribe((out) => {
            if (!out && error.value?.status === 401) void run();
        });
        void run();
        return () => {
            gone = true;
            abort.abort();
            clearTimeout(timer);
            unsubscribe();
            unsubscribeGap();
            unsubscribeSignIn();
        };
    }, [key]);

    const current = data.value?.key === key ? data.value.value : undefined;
    return { data: current, error: error.value, loading: loading.value, reload: () => reload.current() };
}
