import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { executionPath, send } from "../lib/api";
import { BULK_MOST, type BulkAction, type BulkProgress, runBulk, split, stateCounts } from "../lib/bulk";
import { count, plural, shortId, words } from "../lib/format";
import { actor } from "../lib/prefs";
import { href } from "../lib/router";
import type { Listed } from "../lib/types";
import { Button } from "./ui";

export interface Bulk {
    action: BulkAction;
    /** What is to be looked through: rows that are known, or a way to read them. */
    rows: readonly Listed[] | ((abort: AbortSignal, tell: (read: number) => void) => Promise<{ rows: Listed[]; more: boolean }>);
    done?: () => void;
}

export const bulk = signal<Bulk | undefined>(undefined);

const TEXTS = {
    cancel: {
        ask: (n: number) => `Cancel ${plural(n, "execution")}?`,
        about: "They end as cancelled. A worker that holds one learns so at its next call. What is done already stays done.",
        left: (n: number) => `${plural(n, "has", "have")} ended already and ${n === 1 ? "is" : "are"} left out.`,
        act: "Cancel them",
        doing: "Cancelling",
        done: (n: number) => `${plural(n, "execution")} cancelled.`,
        none: "All of them have ended: there is nothing to cancel.",
        reason: "cancelled in the console, with others",
    },
    replay: {
        ask: (n: number) => `Run ${plural(n, "execution")} again?`,
        about: "Each gets a new attempt with the same payload. The attempts it had stay in its history.",
        left: (n: number) => `${plural(n, "has", "have")} not ended yet and ${n === 1 ? "is" : "are"} left out.`,
        act: "Run them again",
        doing: "Queueing",
        done: (n: number) => `${plural(n, "execution")} queued again.`,
        none: "None of them has ended: there is nothing to run again.",
        reason: "replayed in the console, with others",
    },
} as const;

const route = (action: BulkAction, reason: string) => (id: string) =>
    send("POST", executionPath(id, action === "cancel" ? "/cancel" : "/replay"), {
        reason: reason || TEXTS[action].reason,
        ...(action === "replay" && actor.value ? { requested_by: actor.value } : {}),
    });

export function BulkHost(): JSX.Element | null {
    const asked = bulk.value;
    return asked ? <BulkDialog asked={asked} /> : null;
}

/** Preview, confirmation, progress with a way to stop, and what was refused. */
function BulkDialog({ asked }: { asked: Bulk }): JSX.Element {
    const element = useRef<HTMLDialogElement>(null);
    const abort = useRef(new AbortController());
    const reason = useRef("");
    const found = useSignal<{ rows: readonly Listed[]; more: boolean } | undefined>(undefined);
    const read = useSignal(0);
    const problem = useSignal<string | undefined>(undefined);
    const progress = useSignal<BulkProgress | undefined>(undefined);
    const running = useSignal(false);
    const text = TEXTS[asked.action];
    useEffect(() => {
        element.current?.showModal();
        if (typeof asked.rows !== "function") {
            found.value = { rows: asked.rows.slice(0, BULK_MOST), more: asked.rows.length > BULK_MOST };
        } else {
            asked
                .rows(abort.current.signal, (so_far) => (read.value = so_far))
                .then((all) => (found.value = all))
                .catch((error: unknown) => {
                    if (!abort.current.signal.aborted) problem.value = error instanceof Error ? error.message : String(error);
                });
        }
        // The page may go while the dialog is there; what was begun stops with it.
        return () => {
            abort.current.abort();
            bulk.value = undefined;
        };
    }, []);
    const close = (): void => {
        abort.current.abort();
        element.current?.close();
        bulk.value = undefined;
    };
    const parts = found.value && split(found.value.rows, asked.action);
    const start = async (): Promise<void> => {
        if (!parts) return;
        running.value = true;
        progress.value = { total: parts.fit.length, done: 0, refused: [], refusedCount: 0 };
        progress.value = await runBulk(
            parts.fit,
            route(asked.action, reason.current),
            abort.current.signal,
            (now) => (progress.value = now),
        );
        running.value = false;
        asked.done?.();
    };
    const told = progress.value;
    const title = told
        ? running.value
            ? `${text.doing}…`
            : "Done"
        : !parts
          ? "Looking…"
          : parts.fit.length > 0
            ? text.ask(parts.fit.length)
            : "Nothing to do";
    return (
        <dialog
            ref={element}
            class="bulk"
            aria-labelledby="bulk-title"
            onCancel={(event) => {
                if (!running.value) return;
                event.preventDefault();
                abort.current.abort();
            }}
            onClose={close}
        >
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    void start();
                }}
            >
                <h2 id="bulk-title">{abort.current.signal.aborted && told && !running.value ? "Stopped" : title}</h2>
                {problem.value && (
                    <p class="problem" role="alert">
                        {problem.value}
                    </p>
                )}
                {!parts && !problem.value && <p class="muted">{count(read.value)} read so far</p>}
                {parts && !told && <Preview parts={parts} more={found.value!.more} text={text} setReason={(to) => (reason.current = to)} />}
                {told && <Told progress={told} running={running.value} done={text.done} />}
                <div class="buttons">
                    {running.value ? (
                        <Button kind="danger" onClick={() => abort.current.abort()}>
                            Stop
                        </Button>
                    ) : told ? (
                        <Button kind="main" onClick={close}>
                            Close
                        </Button>
                    ) : (
                        <>
                            <Button kind="quiet" onClick={close}>
                                Keep as it is
                            </Button>
                            <Button kind={asked.action === "cancel" ? "danger" : "main"} submit disabled={!parts || parts.fit.length === 0}>
                                {text.act}
                            </Button>
                        </>
                    )}
                </div>
            </form>
        </dialog>
    );
}

function Preview({
    parts,
    more,
    text,
    setReason,
}: {
    parts: { fit: Listed[]; left: Listed[] };
    more: boolean;
    text: (typeof TEXTS)[BulkAction];
    setReason: (to: string) => void;
}): JSX.Element {
    if (parts.fit.length === 0) return <p class="muted">{text.none}</p>;
    const kinds = [...new Set(parts.fit.map((one) => one.execution_kind || "(no kind)"))];
    return (
        <>
            <p class="muted">{text.about}</p>
            <ul class="bulk-counts" aria-label="What it concerns">
                {stateCounts(parts.fit).map(([state, n]) => (
                    <li key={state}>
                        {count(n)} {words(state)}
                    </li>
                ))}
                <li class="muted">
                    of {kinds.length > 4 ? `${kinds.slice(0, 4).join(", ")} and ${kinds.length - 4} more kinds` : kinds.join(", ")}
                </li>
            </ul>
            {parts.left.length > 0 && <p class="muted">{text.left(parts.left.length)}</p>}
            {more && <p class="bad-text">More than {count(BULK_MOST)} match. These are the newest; do it again for the rest.</p>}
            <label class="field">
                <span>Reason</span>
                <input onInput={(event) => setReason(event.currentTarget.value)} />
                <small class="muted">Kept with each of them.</small>
            </label>
        </>
    );
}

function Told({ progress, running, done }: { progress: BulkProgress; running: boolean; done: (n: number) => string }): JSX.Element {
    const { total, refused, refusedCount } = progress;
    const passed = progress.done + refusedCount;
    return (
        <>
            <div class="progress" role="progressbar" aria-label="Progress" aria-valuenow={passed} aria-valuemin={0} aria-valuemax={total}>
                <div style={{ width: `${total === 0 ? 100 : (passed / total) * 100}%` }} />
            </div>
            <p role="status">
                {running
                    ? `${count(passed)} of ${count(total)}`
                    : `${done(progress.done)}${passed < total ? ` ${count(total - passed)} were not tried.` : ""}`}
                {refusedCount > 0 && ` ${count(refusedCount)} refused.`}
            </p>
            {refused.length > 0 && (
                <ul class="bulk-refused" aria-label="Refused">
                    {refused.map((one) => (
                        <li key={one.id}>
                            <a href={href(["executions", one.id])}>
                                {one.kind} {shortId(one.id)}
                            </a>{" "}
                            <span class="muted">{one.message}</span>
                        </li>
                    ))}
                </ul>
            )}
        </>
    );
}
