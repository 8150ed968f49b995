import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ApiError } from "../lib/api";
import { now, zone } from "../lib/prefs";
import { exact, relative } from "../lib/time";

export function Time({ at }: { at: number | null | undefined }): JSX.Element {
    if (at === null || at === undefined || at === 0) return <span class="muted">–</span>;
    return (
        <time dateTime={new Date(at).toISOString()} title={exact(at, zone.value)}>
            {relative(at, now.value)}
        </time>
    );
}

interface ButtonProps {
    children: ComponentChildren;
    onClick?: () => void;
    kind?: "plain" | "main" | "danger" | "quiet";
    disabled?: boolean;
    title?: string;
    label?: string;
    submit?: boolean;
    pressed?: boolean;
}

export function Button({ children, onClick, kind = "plain", disabled, title, label, submit, pressed }: ButtonProps): JSX.Element {
    return (
        <button
            type={submit ? "submit" : "button"}
            class={`button ${kind}`}
            disabled={disabled ?? false}
            title={title}
            aria-label={label}
            aria-pressed={pressed}
            onClick={onClick}
        >
            {children}
        </button>
    );
}

export function Copy({ text, what }: { text: string; what: string }): JSX.Element {
    const done = useSignal(false);
    return (
        <button
            type="button"
            class="copy"
            title={`Copy ${what}`}
            aria-label={`Copy ${what}`}
            onClick={() => {
                void navigator.clipboard?.writeText(text).then(() => {
                    done.value = true;
                    setTimeout(() => (done.value = false), 1_200);
                });
            }}
        >
            <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                {done.value ? (
                    <path d="m3 8.5 3.2 3.2L13 5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
                ) : (
                    <path
                        d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z"
                        fill="none"
                        stroke="currentColor"
                        stroke-width="1.3"
                        stroke-linejoin="round"
                    />
                )}
            </svg>
        </button>
    );
}

export function Empty({ title, children, line }: { title: string; children?: ComponentChildren; line?: string }): JSX.Element {
    return (
        <div class="empty">
            <p class="empty-title">{title}</p>
            {children && <p class="muted">{children}</p>}
            {line && (
                <div class="line">
                    <code tabIndex={0}>{line}</code>
                    <Copy text={line} what="the line" />
                </div>
            )}
        </div>
    );
}

export function Problem({ error, retry }: { error: ApiError; retry?: () => void }): JSX.Element {
    return (
        <div class="problem" role="alert">
            <span>{error.message}</span>
            <code>{error.code}</code>
            {retry && <Button onClick={retry}>Try again</Button>}
        </div>
    );
}

export function Skeleton({ rows = 6 }: { rows?: number }): JSX.Element {
    return (
        <div class="skeleton" aria-hidden="true">
            {Array.from({ length: rows }, (_, at) => (
                <div key={at} style={{ width: `${92 - ((at * 17) % 40)}%` }} />
            ))}
        </div>
    );
}

export function Panel({
    title,
    side,
    children,
    id,
}: {
    title: ComponentChildren;
    side?: ComponentChildren;
    children: ComponentChildren;
    id?: string;
}): JSX.Element {
    return (
        <section class="panel" id={id}>
            <header>
                <h2>{title}</h2>
                {side && <div class="side">{side}</div>}
            </header>
            {children}
        </section>
    );
}

export function Tabs({
    tabs,
    current,
    choose,
    label,
}: {
    tabs: readonly (readonly [string, ComponentChildren])[];
    current: string;
    choose: (id: string) => void;
    label: string;
}): JSX.Element {
    return (
        <div class="tabs" role="tablist" aria-label={label}>
            {tabs.map(([id, text]) => (
                <button
                    key={id}
                    type="button"
                    role="tab"
                    aria-selected={id === current}
                    class={id === current ? "on" : ""}
                    onClick={() => choose(id)}
                >
                    {text}
                </button>
            ))}
        </div>
    );
}

// Dialogs: one at a time, on the browser's own element, which keeps focus inside and gives it back.

interface Question {
    title: string;
    /** What will happen, as a sentence. */
    about: ComponentChildren;
    action: string;
    danger?: boolean;
    fields?: readonly Field[];
    run: (values: Record<string, string>) => Promise<unknown>;
    done?: (values: Record<string, string>) => Toast | undefined;
}

export interface Field {
    name: string;
    label: string;
    value?: string;
    kind?: "text" | "number" | "area" | "choice";
    choices?: readonly string[];
    hint?: string;
}

export const question: Signal<Question | undefined> = signal(undefined);

export function DialogHost(): JSX.Element | null {
    const asked = question.value;
    return asked ? <Dialog key={asked.title} asked={asked} /> : null;
}

function FieldInput({ field, values }: { field: Field; values: Record<string, string> }): JSX.Element {
    const set = (event: Event): void => {
        values[field.name] = (event.currentTarget as HTMLInputElement).value;
    };
    return (
        <label class="field">
            <span>{field.label}</span>
            {field.kind === "area" ? (
                <textarea rows={4} onInput={set} defaultValue={field.value ?? ""} />
            ) : field.kind === "choice" ? (
                <select onChange={set} defaultValue={field.value ?? ""}>
                    {field.choices?.map((choice) => (
                        <option key={choice} value={choice} selected={choice === field.value}>
                            {choice}
                        </option>
                    ))}
                </select>
            ) : (
                <input type={field.kind ?? "text"} step="any" onInput={set} defaultValue={field.value ?? ""} />
            )}
            {field.hint && <small class="muted">{field.hint}</small>}
        </label>
    );
}

function Dialog({ asked }: { asked: Question }): JSX.Element {
    const element = useRef<HTMLDialogElement>(null);
    const values = useRef<Record<string, string>>(Object.fromEntries((asked.fields ?? []).map((field) => [field.name, field.value ?? ""])));
    const busy = useSignal(false);
    const error = useSignal<string | undefined>(undefined);
    useEffect(() => element.current?.showModal(), []);
    const close = (): void => {
        element.current?.close();
        question.value = undefined;
    };
    const submit = async (event: Event): Promise<void> => {
        event.preventDefault();
        busy.value = true;
        error.value = undefined;
        try {
            await asked.run(values.current);
            close();
            const told = asked.done?.(values.current);
            if (told) toast(told);
        } catch (caught) {
            error.value = caught instanceof Error ? caught.message : String(caught);
            busy.value = false;
        }
    };
    return (
        <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
            <form onSubmit={(event) => void submit(event)}>
                <h2 id="dialog-title">{asked.title}</h2>
                <p class="muted">{asked.about}</p>
                {asked.fields?.map((field) => (
                    <FieldInput key={field.name} field={field} values={values.current} />
                ))}
                {error.value && (
                    <p class="problem" role="alert">
                        {error.value}
                    </p>
                )}
                <div class="buttons">
                    <Button kind="quiet" onClick={close}>
                        Keep as it is
                    </Button>
                    <Button kind={asked.danger ? "danger" : "main"} submit disabled={busy.value}>
                        {asked.action}
                    </Button>
                </div>
            </form>
        </dialog>
    );
}

// Toasts: what was done, and the way back where the API has one.

export interface Toast {
    text: string;
    bad?: boolean;
    undo?: () => Promise<unknown>;
}

const toasts: Signal<(Toast & { id: number })[]> = signal([]);
let nextToast = 0;
const TOASTS_MOST = 4;
const TOAST_MS = 8_000;

export function toast(told: Toast): void {
    const id = (nextToast += 1);
    toasts.value = [...toasts.value.slice(1 - TOASTS_MOST), { ...told, id }];
    setTimeout(() => drop(id), TOAST_MS);
}

function drop(id: number): void {
    toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** Runs what needs no question, and says how it went. */
export async function perform(run: () => Promise<unknown>, told: Toast): Promise<void> {
    try {
        await run();
        toast(told);
    } catch (error) {
        toast({ text: error instanceof Error ? error.message : String(error), bad: true });
    }
}

export function ToastHost(): JSX.Element {
    return (
        <div class="toasts" role="status" aria-live="polite">
            {toasts.value.map((one) => (
                <div key={one.id} class={`toast${one.bad ? " bad" : ""}`}>
                    <span>{one.text}</span>
                    {one.undo && (
                        <Button
                            kind="quiet"
                            onClick={() => {
                                drop(one.id);
                                void perform(one.undo!, { text: "Undone." });
                            }}
                        >
                            Undo
                        </Button>
                    )}
                    <button type="button" class="copy" aria-label="Dismiss" onClick={() => drop(one.id)}>
                        ×
                    </button>
                </div>
            ))}
        </div>
    );
}

/** A line of figures, drawn in the ink of its text. */
export function Spark({ values, tone = "quiet", label }: { values: readonly number[]; tone?: string; label: string }): JSX.Element {
    const width = 120;
    const height = 28;
    const top = Math.max(1, ...values);
    const step = values.length > 1 ? width / (values.length - 1) : width;
    const points = values.map((value, at) => `${(at * step).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`);
    return (
        <svg class={`spark ${tone}`} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
            {values.length > 1 && (
                <>
                    <polygon points={`0,${height} ${points.join(" ")} ${width},${height}`} class="spark-fill" />
                    <polyline
                        points={points.join(" ")}
                        fill="none"
                        stroke="currentColor"
                        stroke-width="1.5"
                        vector-effect="non-scaling-stroke"
                        stroke-linejoin="round"
                    />
                </>
            )}
        </svg>
    );
}

/** How much of a limit is used; above `soft` it warns, at the limit it says so. */
export function Meter({
    used,
    limit,
    soft,
    label,
}: {
    used: number;
    limit: number;
    soft?: number | undefined;
    label: string;
}): JSX.Element {
    const share = limit > 0 ? Math.min(1, used / limit) : 1;
    const tone = share >= 1 ? "bad" : soft !== undefined && used >= soft ? "held" : "good";
    return (
        <div
            class={`meter ${tone}`}
            role="meter"
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={limit}
            aria-valuenow={Math.min(used, limit)}
        >
            <div style={{ width: `${share * 100}%` }} />
            {soft !== undefined && limit > 0 && soft < limit && <i style={{ left: `${(soft / limit) * 100}%` }} title="soft limit" />}
        </div>
    );
}
