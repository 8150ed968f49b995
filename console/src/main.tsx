import "./tokens.css";
import "./style.css";
import { signal } from "@preact/signals";
import { type ComponentType, type JSX, render } from "preact";
import { useEffect } from "preact/hooks";
import { signedOut } from "./lib/api";
import { addKeys, listenForKeys } from "./lib/keys";
import { startLive } from "./lib/live";
import { keepPrefs, runClock } from "./lib/prefs";
import { followAddress, go, href, page, place } from "./lib/router";
import { PAGES } from "./pages";
import { ExecutionsPage } from "./pages/executions";
import { LoginPage } from "./pages/login";
import { paletteOpen } from "./palette";
import { Button, Empty, question, Skeleton } from "./parts/ui";
import { keysOpen, Page, Shell } from "./shell";

type Loader = () => Promise<ComponentType>;

/** Rarely used pages come when they are opened. */
const LATER: Record<string, Loader> = {
    execution: async () => (await import("./pages/execution")).ExecutionPage,
    overview: async () => (await import("./pages/overview")).OverviewPage,
    approval: async () => (await import("./pages/approval")).ApprovalPage,
    approvals: async () => (await import("./pages/approvals")).ApprovalsPage,
    flows: async () => (await import("./pages/flows")).FlowsPage,
    flow: async () => (await import("./pages/flow")).FlowPage,
    limits: async () => (await import("./pages/limits")).LimitsPage,
    lanes: async () => (await import("./pages/lanes")).LanesPage,
    workers: async () => (await import("./pages/workers")).WorkersPage,
    failures: async () => (await import("./pages/failures")).FailuresPage,
    audit: async () => (await import("./pages/audit")).AuditPage,
    server: async () => (await import("./pages/server")).ServerPage,
};

const loaded = signal<Record<string, ComponentType>>({ executions: ExecutionsPage });

/** The page whose file could not be had, as after an update of the server. */
const missing = signal<string | undefined>(undefined);

function wantedPage(): string {
    const [first = "overview", second] = place.value.path;
    if (second !== undefined && first === "executions") return "execution";
    if (second !== undefined && first === "flows") return "flow";
    if (second !== undefined && first === "approvals") return "approval";
    return first;
}

function Current(): JSX.Element {
    const name = wantedPage();
    const Component = loaded.value[name];
    useEffect(() => {
        if (loaded.value[name] || !LATER[name]) return;
        LATER[name]().then(
            (component) => (loaded.value = { ...loaded.value, [name]: component }),
            () => (missing.value = name),
        );
    }, [name]);
    if (Component) return <Component key={place.value.path.join("/")} />;
    if (missing.value === name)
        return (
            <Page title="FlowFabric">
                <Empty title="This part of the console cannot be loaded">
                    The server does not answer, or it has another version by now.{" "}
                    <Button onClick={() => location.reload()}>Load it anew</Button>
                </Empty>
            </Page>
        );
    if (LATER[name]) return <Skeleton rows={10} />;
    return (
        <Page title="No such page">
            <Empty title={`The console has no page “${name}”.`}>
                <a href={href(["overview"])}>To the overview</a>
            </Empty>
        </Page>
    );
}

function App(): JSX.Element {
    useEffect(() => {
        const goTo = Object.fromEntries(PAGES.map((one) => [`g ${one.key}`, { about: `to ${one.title}`, run: () => go(href([one.id])) }]));
        return addKeys({
            ...goTo,
            "ctrl+k": { about: "go to anything", run: () => (paletteOpen.value = true) },
            "?": { about: "these keys", run: () => (keysOpen.value = true) },
        });
    }, []);
    useEffect(() => {
        question.value = undefined;
        document.getElementById("main")?.scrollTo?.(0, 0);
        scrollTo(0, 0);
    }, [page.value, place.value.path[1]]);
    if (signedOut.value) return <LoginPage />;
    return (
        <Shell>
            <Current />
        </Shell>
    );
}

keepPrefs();
runClock();
followAddress();
listenForKeys();
startLive();
render(<App />, document.getElementById("app")!);
