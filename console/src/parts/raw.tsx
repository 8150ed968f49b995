import type { JSX } from "preact";
import { ask, executionPath, hasToken, url } from "../lib/api";
import { useLoad } from "../lib/load";
import { place, setQuery } from "../lib/router";
import { Copy, Problem, Skeleton } from "./ui";

const ROUTES: readonly [string, string][] = [
    ["", "execution"],
    ["/explain", "why it waits"],
    ["/attempts", "attempts"],
    ["/lease-history", "lease history"],
    ["/signals", "signals"],
    ["/suspension", "suspension"],
    ["/steps", "steps"],
    ["/children", "children"],
    ["/tags", "tags"],
];

/** What the API answers about an execution, to the letter, and the line that asks for it. */
export function Raw({ id }: { id: string }): JSX.Element {
    const wanted = place.value.query.get("route") ?? "";
    const route = ROUTES.find(([rest]) => rest === wanted)?.[0] ?? "";
    const path = executionPath(id, route);
    const load = useLoad(
        `raw ${path}`,
        async (abort) => JSON.stringify(await (await ask(path, { signal: abort })).json(), null, 2),
        (event) => event.execution_id === id,
    );
    const line = `curl -fsS${hasToken() ? ` -H "Authorization: Bearer $FF_API_TOKEN"` : ""} '${url(path)}'`;
    return (
        <div class="bytes">
            <div class="bar">
                <select aria-label="Route" value={route} onChange={(event) => setQuery({ route: event.currentTarget.value || null })}>
                    {ROUTES.map(([rest, name]) => (
                        <option key={rest} value={rest} selected={rest === route}>
                            {name}
                        </option>
                    ))}
                </select>
                <code class="grow line-code" tabIndex={0}>
                    {line}
                </code>
                <Copy text={line} what="the curl line" />
            </div>
            {load.error ? (
                <Problem error={load.error} retry={load.reload} />
            ) : load.data === undefined ? (
                <Skeleton rows={6} />
            ) : (
                <div class="bytes-box raw-box" tabIndex={0} role="region" aria-label="Raw JSON">
                    <Copy text={load.data} what="the JSON" />
                    <pre>{load.data}</pre>
                </div>
            )}
        </div>
    );
}
