import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { hasToken, signOut } from "./lib/api";
import { knownKeys } from "./lib/keys";
import { liveLagMs, liveState, stopLive } from "./lib/live";
import { theme, zone } from "./lib/prefs";
import { href, page } from "./lib/router";
import { duration } from "./lib/time";
import { PAGES } from "./pages";
import { Palette, paletteOpen } from "./palette";
import { DialogHost, ToastHost } from "./parts/ui";

const LAG_WORTH_TELLING_MS = 2_000;

/** The frame that every page stands in. */
export function Shell({ children }: { children: ComponentChildren }): JSX.Element {
    return (
        <div class="shell">
            <a
                class="skip"
                href="#main"
                onClick={(event) => {
                    event.preventDefault();
                    document.getElementById("main")?.focus();
                }}
            >
                Skip to content
            </a>
            <Nav />
            <main id="main" tabIndex={-1}>
                {children}
            </main>
            <Palette />
            <KeySheet />
            <DialogHost />
            <ToastHost />
        </div>
    );
}

export function Page({
    title,
    side,
    children,
    lead,
}: {
    title: ComponentChildren;
    side?: ComponentChildren;
    children: ComponentChildren;
    lead?: ComponentChildren;
}): JSX.Element {
    const text = typeof title === "string" ? title : undefined;
    useEffect(() => {
        if (text) document.title = `${text} · FlowFabric`;
    }, [text]);
    return (
        <>
            <header class="page-head">
                <div>
                    <h1>{title}</h1>
                    {lead}
                </div>
                {side && <div class="side">{side}</div>}
            </header>
            {children}
        </>
    );
}

function Nav(): JSX.Element {
    const open = useSignal(false);
    useEffect(() => page.subscribe(() => (open.value = false)), []);
    return (
        <nav class={open.value ? "open" : ""} aria-label="Pages">
            <div class="brand">
                <a href={href(["overview"])}>
                    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
                        <rect width="32" height="32" rx="7" fill="var(--accent)" />
                        <path
                            d="M7 10h9m0 0v12h9M7 22h5m9-12h4"
                            fill="none"
                            stroke="var(--on-accent)"
                            stroke-width="3"
                            stroke-linecap="round"
                            stroke-linejoin="round"
                        />
                    </svg>
                    FlowFabric
                </a>
                <button
                    type="button"
                    class="nav-toggle"
                    aria-expanded={open.value}
                    aria-label="Menu"
                    onClick={() => (open.value = !open.value)}
                >
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                        <path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.5" />
                    </svg>
                </button>
            </div>
            <button type="button" class="find" onClick={() => (paletteOpen.value = true)}>
                <span>Go to…</span>
                <kbd>Ctrl K</kbd>
            </button>
            <ul>
                {PAGES.map((one) => (
                    <li key={one.id}>
                        <a
                            href={href([one.id])}
                            aria-current={page.value === one.id || one.parts?.includes(page.value) ? "page" : undefined}
                        >
                            {one.icon}
                            {one.title}
                        </a>
                    </li>
                ))}
            </ul>
            <div class="nav-foot">
                <LiveBadge />
                <Preferences />
            </div>
        </nav>
    );
}

function LiveBadge(): JSX.Element {
    const state = liveState.value;
    const behind = state === "live" && liveLagMs.value > LAG_WORTH_TELLING_MS;
    const text =
        state === "live"
            ? behind
                ? `${duration(liveLagMs.value)} behind`
                : "live"
            : state === "connecting"
              ? "connecting"
              : "reconnecting";
    return (
        <span
            class={`live ${state === "live" && !behind ? "good" : "held"}`}
            role="status"
            title="The connection that keeps this page up to date"
        >
            <i aria-hidden="true" />
            {text}
        </span>
    );
}

function Preferences(): JSX.Element {
    return (
        <details class="menu up">
            <summary class="button quiet" aria-label="Preferences">
                <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
                    <path d="M2 4.5h6m4 0h2M2 11.5h2m4 0h6" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
                    <circle cx="10" cy="4.5" r="1.8" fill="none" stroke="currentColor" stroke-width="1.5" />
                    <circle cx="6" cy="11.5" r="1.8" fill="none" stroke="currentColor" stroke-width="1.5" />
                </svg>
            </summary>
            <div>
                <label class="inline">
                    <span>Theme</span>
                    <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as typeof theme.value)}>
                        {["system", "light", "dark"].map((name) => (
                            <option key={name} value={name} selected={theme.value === name}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
                <label class="inline">
                    <span>Times</span>
                    <select value={zone.value} onChange={(event) => (zone.value = event.currentTarget.value as typeof zone.value)}>
                        <option value="local" selected={zone.value === "local"}>
                            local
                        </option>
                        <option value="utc" selected={zone.value === "utc"}>
                            UTC
                        </option>
                    </select>
                </label>
                {hasToken() && (
                    <button
                        type="button"
                        class="button plain"
                        onClick={() => {
                            stopLive();
                            signOut();
                        }}
                    >
                        Sign out
                    </button>
                )}
            </div>
        </details>
    );
}

export const keysOpen = signal(false);

function KeySheet(): JSX.Element | null {
    if (!keysOpen.value) return null;
    return (
        <dialog
            ref={(element) => {
                if (element && !element.open) element.showModal();
            }}
            aria-labelledby="keys-title"
            onClose={() => (keysOpen.value = false)}
        >
            <form method="dialog">
                <h2 id="keys-title">Keys</h2>
                <dl class="keys">
                    {knownKeys().map(([key, about]) => (
                        <div key={key + about}>
                            <dt>
                                <kbd>{key.replace("ctrl+", "Ctrl ").replace("enter", "Enter")}</kbd>
                            </dt>
                            <dd>{about}</dd>
                        </div>
                    ))}
                </dl>
                <div class="buttons">
                    <button class="button main">Close</button>
                </div>
            </form>
        </dialog>
    );
}
