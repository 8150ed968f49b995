import type { JSX } from "preact";
import { executionPath, get, getOrNull } from "../lib/api";
import { groupFailures, trend } from "../lib/failures";
import { plural, shortId } from "../lib/format";
import { Listing } from "../lib/listing";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place, setQuery } from "../lib/router";
import type { ExecutionInfo, Lane } from "../lib/types";
import { BulkHost, bulk } from "../parts/bulk";
import { Button, Empty, Problem, Skeleton, Spark, Time } from "../parts/ui";
import { Page } from "../shell";

const LOOKED_AT_MOST = 150;
const AT_ONCE = 25;
const TREND_PARTS = 24;

async function loadFailed(
    namespace: string,
    lane: string,
    abort: AbortSignal,
): Promise<{ failed: ExecutionInfo[]; more: boolean; lanes: string[] }> {
    const { lanes } = await get<{ lanes: Lane[] }>("/v1/lanes", abort);
    const listing = new Listing({ state: "failed", ...(namespace === "" ? {} : { namespace }), ...(lane === "" ? {} : { lane }) }, []);
    const ids: string[] = [];
    while (!listing.done && ids.length < LOOKED_AT_MOST) {
        const found = await listing.next(abort);
        ids.push(...found.map((one) => one.execution_id));
        if (found.length === 0) break;
    }
    const failed: ExecutionInfo[] = [];
    const wanted = ids.slice(0, LOOKED_AT_MOST);
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
        const some = await Promise.all(wanted.slice(at, at + AT_ONCE).map((id) => getOrNull<ExecutionInfo>(executionPath(id), abort)));
        failed.push(...some.filter((one) => one !== null));
    }
    return { failed, more: !listing.done || ids.length > LOOKED_AT_MOST, lanes: lanes.map((one) => one.lane_id) };
}

export function FailuresPage(): JSX.Element {
    const namespace = place.value.query.get("ns") ?? "";
    const lane = place.value.query.get("lane") ?? "";
    const load = useLoad(
        `failures ${namespace} ${lane}`,
        (abort) => loadFailed(namespace, lane, abort),
        (event) => event.family === "completion" && event.outcome === "failed",
    );
    const groups = groupFailures(load.data?.failed ?? []);
    const first = Math.min(...groups.map((group) => group.firstAt));
    const lead = load.data && groups.length > 0 && (
        <p class="muted">
            The {load.data.more ? "latest " : ""}
            {plural(load.data.failed.length, "failed execution")}
            {namespace === "" ? "" : ` of namespace ${namespace}`}, grouped by what failed.
        </p>
    );
    return (
        <Page
            title="Failures"
            lead={lead}
            side={
                <label class="inline">
                    <span>Lane</span>
                    <select value={lane} onChange={(event) => setQuery({ lane: event.currentTarget.value || null })}>
                        <option value="">all</option>
                        {load.data?.lanes.map((name) => (
                            <option key={name} selected={name === lane}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
            }
        >
            <BulkHost />
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {!load.data ? (
                !load.error && <Skeleton rows={8} />
            ) : groups.length === 0 ? (
                <Empty title="Nothing has failed">
                    Executions that have failed for good, after all their retries, appear here while they are kept.
                </Empty>
            ) : (
                <div class="scroll-x">
                    <table class="rows tall" aria-label="Failures">
                        <thead>
                            <tr>
                                <th scope="col" class="right">
                                    Count
                                </th>
                                <th scope="col" class="wide">
                                    Reason
                                </th>
                                <th scope="col">Category</th>
                                <th scope="col">Kinds</th>
                                <th scope="col" class="right">
                                    First
                                </th>
                                <th scope="col" class="right">
                                    Last
                                </th>
                                <th scope="col" class="spark-cell">
                                    Trend
                                </th>
                                <th scope="col">Samples</th>
                                <th scope="col">
                                    <span class="hidden">Actions</span>
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {groups.map((group) => (
                                <tr key={`${group.category} ${group.fingerprint}`}>
                                    <td class="right strong">{group.count}</td>
                                    <td class="wide wrap" title={group.fingerprint}>
                                        {group.reason || <span class="muted">no reason given</span>}
                                    </td>
                                    <td>
                                        <code>{group.category}</code>
                                    </td>
                                    <td>
                                        {group.kinds.map((kind) => (
                                            <a key={kind} class="lease" href={href(["executions"], { q: `state:failed kind:${kind}` })}>
                                                {kind}
                                            </a>
                                        ))}
                                    </td>
                                    <td class="right">
                                        <Time at={group.firstAt} />
                                    </td>
                                    <td class="right">
                                        <Time at={group.lastAt} />
                                    </td>
                                    <td class="spark-cell">
                                        <Spark
                                            values={trend(group, first, now.value, TREND_PARTS)}
                                            tone="bad"
                                            label="How often it happened over time"
                                        />
                                    </td>
                                    <td>
                                        {group.members.slice(0, 3).map((one) => (
                                            <a
                                                key={one.execution_id}
                                                class="lease"
                                                href={href(["executions", one.execution_id], { tab: "attempts" })}
                                            >
                                                <code>{shortId(one.execution_id).slice(-6)}</code>
                                            </a>
                                        ))}
                                    </td>
                                    <td class="right">
                                        <Button
                                            label={`Run again: ${group.reason}`}
                                            onClick={() => (bulk.value = { action: "replay", rows: group.members, done: load.reload })}
                                        >
                                            Run again
                                        </Button>
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </Page>
    );
}
