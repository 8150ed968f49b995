import { effect, signal } from "@preact/signals";
import type { Zone } from "./time";

export type Theme = "system" | "light" | "dark";

function stored(name: string, otherwise: string): string {
    try {
        return localStorage.getItem(`flowfabric.${name}`) ?? otherwise;
    } catch {
        return otherwise;
    }
}

function store(name: string, value: string): void {
    try {
        localStorage.setItem(`flowfabric.${name}`, value);
    } catch {
        // A browser that keeps nothing asks again next time.
    }
}

export const theme = signal(stored("theme", "system") as Theme);
export const zone = signal(stored("zone", "local") as Zone);
/** Who answers approvals, as their record will say. */
export const actor = signal(stored("actor", ""));
export const columns = signal(stored("columns", "kind,state,lane,priority,created,id"));

export function keepPrefs(): void {
    effect(() => {
        store("theme", theme.value);
        if (theme.value === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = theme.value;
    });
    effect(() => store("zone", zone.value));
    effect(() => store("actor", actor.value));
    effect(() => store("columns", columns.value));
}

/** One clock for every relative time on the page. */
export const now = signal(Date.now());

export function runClock(): void {
    setInterval(() => {
        if (!document.hidden) now.value = Date.now();
    }, 1_000);
}
