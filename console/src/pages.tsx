import type { JSX } from "preact";

function icon(path: string): JSX.Element {
    return (
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d={path} fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" />
        </svg>
    );
}

export interface PageEntry {
    id: string;
    title: string;
    icon: JSX.Element;
    /** The key after `g` that leads there. */
    key: string;
    /** Further first words of addresses that belong to it. */
    parts?: readonly string[];
}

/** All pages in the order of the menu. A new one needs a line here and one in main.tsx. */
export const PAGES: readonly PageEntry[] = [
    { id: "overview", title: "Overview", key: "o", icon: icon("M2 13V8m4 5V3m4 10V6m4 7V9") },
    { id: "executions", title: "Executions", key: "e", icon: icon("M2.5 4h11m-11 4h11m-11 4h7") },
    { id: "approvals", title: "Approvals", key: "a", icon: icon("M2.5 8.5 6 12l7.5-8") },
    { id: "flows", title: "Flows", key: "f", icon: icon("M2 8h3m3 0h0M5 8c3 0 2-4 5-4h2M5 8c3 0 2 4 5 4h2M13.5 4h.01M13.5 12h.01") },
    { id: "limits", title: "Budgets and quotas", key: "b", icon: icon("M2.5 11a5.5 5.5 0 1 1 11 0M8 11l2.5-3.5") },
    { id: "lanes", title: "Lanes", key: "l", icon: icon("M3 3v10m5-10v3m0 2v1m0 2v2m5-10v10") },
    {
        id: "workers",
        title: "Workers",
        key: "w",
        icon: icon("M3 3h10v10H3zM6 6h4v4H6zM6 1v2m4-2v2M6 13v2m4-2v2M1 6h2m-2 4h2M13 6h2m-2 4h2"),
    },
    { id: "failures", title: "Failures", key: "x", icon: icon("M8 2.5 14.5 13.5h-13zM8 6.5v3.2m0 1.8v.2") },
    { id: "audit", title: "Audit", key: "u", icon: icon("M4 2.5h8v11H4zM6.5 5.5h3m-3 2.5h3m-3 2.5h2") },
    { id: "server", title: "Server", key: "s", icon: icon("M2.5 3h11v4h-11zm0 6h11v4h-11zM5 5h.01M5 11h.01") },
];
