import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { executionPath, get, getOrNull } from "./lib/api";
import { shortId } from "./lib/format";
import { knownActions } from "./lib/keys";
import { theme } from "./lib/prefs";
import { go, href } from "./lib/router";
import type { ExecutionInfo, Flow, Lane } from "./lib/types";
import { PAGES } from "./pages";
import { StateIcon } from "./parts/state";

export const paletteOpen = signal(false);

interface Entry {
    text: string;
    hint?: string;
    icon?: JSX.Element;
    run: () => void;
}

/** An action asks in a dialog of its own, so the palette is gone first. */
const actions = (): Entry[] =>
    knownActions().map(([key, { about, run }]) => ({
        text: about.replace(/^./, (first) => first.toUpperCase()),
        hint: key,
        run: () => setTimeout(run),
    }));

const fixed = (): Entry[] => [
    ...actions(),
    ...PAGES.map((page) => ({ text: page.title, hint: `g ${page.key}`, icon: page.icon, run: () => go(href([page.id])) })),
    { text: "Failed executions", hint: "state:failed", run: () => go(href(["executions"], { q: "state:failed" })) },
    { text: "Running executions", hint: "state:active", run: () => go(href(["executions"], { q: "state:active" })) },
    { text: "Light theme", run: () => (theme.value = "light") },
    { text: "Dark theme", run: () => (theme.value = "dark") },
    { text: "Theme of the system", run: () => (theme.value = "system") },
];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** What an id that was pasted belongs to. */
async function byId(text: string): Promise<Entry[]> {
    if (!UUID.test(text)) return [];
    const id = text.trim();
    const [execution, flow, budget] = await Promise.all([
        getOrNull<ExecutionInfo>(executionPath(id)).catch(() => null),
        getOrNull<Flow>(`/v1/flows/${encodeURIComponent(id)}`).catch(() => null),
        getOrNull<{ budget_id: string }>(`/v1/budgets/${encodeURIComponent(id)}`).catch(() => null),
    ]);
    const found: Entry[] = [];
    if (execution)
        found.push({
            text: `Execution ${execution.execution_kind}`,
            hint: shortId(execution.execution_id),
            icon: <StateIcon state={execution.public_state} />,
            run: () => go(href(["executions", execution.execution_id])),
        });
    if (flow) found.push({ text: `Flow ${flow.flow_kind}`, hint: shortId(flow.flow_id), run: () => go(href(["flows", flow.flow_id])) });
    if (budget) found.push({ text: "Budget", hint: shortId(budget.budget_id), run: () => go(href(["limits"])) });
    return found;
}

export function Palette(): JSX.Element | null {
    return paletteOpen.value ? <OpenPalette /> : null;
}

function OpenPalette(): JSX.Element {
    const element = useRef<HTMLDialogElement>(null);
    const text = useSignal("");
    const at = useSignal(0);
    const lanes = useSignal<Entry[]>([]);
    const ids = useSignal<Entry[]>([]);
    useEffect(() => {
        element.current?.showModal();
        get<{ lanes: Lane[] }>("/v1/lanes")
            .then((found) => {
                lanes.value = found.lanes.map((lane) => ({
                    text: `Executions of lane ${lane.lane_id}`,
                    hint: `lane:${lane.lane_id}`,
                    run: () => go(href(["executions"], { q: `lane:${lane.lane_id}` })),
                }));
            })
            .catch(() => undefined);
    }, []);
    const wanted = text.value.toLowerCase();
    const entries = [
        ...ids.value,
        ...[...fixed(), ...lanes.value].filter((entry) => `${entry.text} ${entry.hint ?? ""}`.toLowerCase().includes(wanted)),
    ].slice(0, 12);
    const close = (): void => {
        element.current?.close();
        paletteOpen.value = false;
    };
    const choose = (entry: Entry | undefined): void => {
        if (!entry) return;
        close();
        entry.run();
    };
    return (
        <dialog
            ref={element}
            class="palette"
            aria-label="Go to"
            onClose={close}
            onClick={(event) => event.target === element.current && close()}
        >
            <input
                role="combobox"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant={`palette-${at.value}`}
                aria-label="Where to, or any id"
                placeholder="Where to, or paste any id"
                onInput={(event) => {
                    text.value = event.currentTarget.value;
                    at.value = 0;
                    ids.value = [];
                    const asked = text.value;
                    void byId(asked).then((found) => {
                        if (text.value === asked) ids.value = found;
                    });
                }}
                onKeyDown={(event) => {
                    if (event.key === "ArrowDown") at.value = Math.min(entries.length - 1, at.value + 1);
                    else if (event.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
                    else if (event.key === "Enter") choose(entries[at.value]);
                    else return;
                    event.preventDefault();
                }}
            />
            <ul id="palette-list" role="listbox" aria-label="Places">
                {entries.map((entry, index) => (
                    <li
                        key={entry.text + (entry.hint ?? "")}
                        id={`palette-${index}`}
                        role="option"
                        aria-selected={index === at.value}
                        onClick={() => choose(entry)}
                        onMouseMove={() => (at.value = index)}
                    >
                        <span class="palette-icon">{entry.icon}</span>
                        {entry.text}
                        {entry.hint && <code class="muted">{entry.hint}</code>}
                    </li>
                ))}
                {entries.length === 0 && (
                    <li class="muted" role="option" aria-selected="false">
                        Nothing is called that.
                    </li>
                )}
            </ul>
        </dialog>
    );
}
