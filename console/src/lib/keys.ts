import { signal } from "@preact/signals";

/** What a page does on a key; those of the page that was opened last are asked first. */
export interface Key {
    about: string;
    /** Changes something; the palette offers it too. */
    act?: boolean;
    run: (event?: KeyboardEvent) => void;
}
export type KeyMap = Record<string, Key>;

const maps: KeyMap[] = [];
export const activeKeys = signal(0);

export function addKeys(map: KeyMap): () => void {
    maps.push(map);
    activeKeys.value += 1;
    return () => {
        maps.splice(maps.indexOf(map), 1);
        activeKeys.value += 1;
    };
}

export function knownKeys(): [string, string][] {
    return maps.flatMap((map) => Object.entries(map).map(([key, what]): [string, string] => [key, what.about]));
}

/** What the page can do now. */
export function knownActions(): [string, Key][] {
    return maps.flatMap((map) => Object.entries(map).filter(([, key]) => key.act));
}

function typing(target: EventTarget | null): boolean {
    return (
        target instanceof HTMLElement &&
        (target.matches("input:not([type=checkbox]), textarea, select, dialog *") || target.isContentEditable)
    );
}

export function listenForKeys(): void {
    let before = "";
    let beforeAt = 0;
    addEventListener("keydown", (event) => {
        const name = `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.key.length === 1 ? event.key : event.key.toLowerCase()}`;
        if (typing(event.target) && !name.startsWith("ctrl+")) return;
        if (event.altKey) return;
        if (name === "enter" && event.target instanceof Element && event.target.closest("button, summary, a, [role=tab]")) return;
        const pair = Date.now() - beforeAt < 900 ? `${before} ${name}` : "";
        for (const wanted of [pair, name]) {
            const found = [...maps].reverse().find((map) => wanted in map)?.[wanted];
            if (!found) continue;
            event.preventDefault();
            before = "";
            found.run(event);
            return;
        }
        before = name;
        beforeAt = Date.now();
    });
}
