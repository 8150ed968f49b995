import { computed, signal } from "@preact/signals";

/** Where the console is: everything a page shows by choice stands in the address, behind the `#`, so that it works below any path. */
export interface Place {
    path: string[];
    query: URLSearchParams;
}

export function parsePlace(hash: string): Place {
    const text = hash.replace(/^#\/?/, "");
    const mark = text.indexOf("?");
    const path = (mark < 0 ? text : text.slice(0, mark)).split("/").filter((part) => part !== "");
    return { path: path.map(decode), query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export type Query = Record<string, string | null | undefined>;

export function href(path: readonly string[], query: Query = {}): string {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
    const text = params.toString();
    return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

export const place = signal<Place>(parsePlace(globalThis.location?.hash ?? ""));
export const page = computed(() => place.value.path[0] ?? "overview");

export function go(to: string): void {
    location.hash = to;
}

/** Changes some parameters of the present page; null takes one away. */
export function setQuery(change: Query, keepHistory = false): void {
    const query: Query = Object.fromEntries(place.value.query);
    for (const [name, value] of Object.entries(change)) query[name] = value ?? null;
    const to = href(place.value.path, query);
    if (keepHistory) {
        location.hash = to;
        return;
    }
    history.replaceState(null, "", to);
    place.value = parsePlace(to);
}

export function followAddress(): void {
    addEventListener("hashchange", () => {
        place.value = parsePlace(location.hash);
    });
}
