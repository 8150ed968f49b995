import type { JSX } from "preact";
import { executionPath, get, getOrNull, send } from "../lib/api";
import { count, short, shortId, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { now } from "../lib/prefs";
import { href, place } from "../lib/router";
import { duration } from "../lib/time";
import type { Budget, Explanation, Lane, Listed, Quota } from "../lib/types";
import { Button, Copy, Empty, Meter, Panel, Problem, question, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";

const PAGE = 200;
const BLOCKED_LOOKED_AT_MOST = 40;
const BLOCKED_STATES = ["blocked_budget", "blocked_quota"] as const;

/** What waits for a budget or a quota: how many, by its id, and one of them. */
type Blocked = ReadonlyMap<string, { count: number; example: string }>;

async function loadBlocked(abort: AbortSignal): Promise<Blocked> {
    const { lanes } = await get<{ lanes: Lane[] }>("/v1/lanes?counts=now", abort);
    const wanted = lanes.flatMap((lane) =>
        BLOCKED_STATES.filter((state) => (lane.counts[state.replace("blocked", "blocked_by")] ?? 0) > 0).map(
            (state) =>
                `/v1/executions?lane=${encodeURIComponent(lane.lane_id)}&state=${state}&limit=${Math.ceil(BLOCKED_LOOKED_AT_MOST / 2)}`,
        ),
    );
    const listed = (await Promise.all(wanted.map((path) => get<{ executions: Listed[] }>(path, abort)))).flatMap((page) => page.executions);
    const explained = await Promise.all(
        listed.slice(0, BLOCKED_LOOKED_AT_MOST).map((one) => getOrNull<Explanation>(executionPath(one.execution_id, "/explain"), abort)),
    );
    const found = new Map<string, { count: number; example: string }>();
    for (const info of explained)
        for (const policy of info?.policies ?? []) {
            if (!policy.exhausted) continue;
            const id = policy.ref.replace(/^[a-z_]+:/, "");
            const before = found.get(id);
            found.set(id, { count: (before?.count ?? 0) + 1, example: before?.example ?? info!.execution_id });
        }
    return found;
}

export function LimitsPage(): JSX.Element {
    const budgets = useLoad(
        "budgets",
        (abort) => get<{ budgets: Budget[] }>(`/v1/budgets?limit=${PAGE}`, abort),
        (event) => event.family === "completion",
    );
    const quotas = useLoad(
        "quotas",
        (abort) => get<{ quotas: Quota[] }>(`/v1/quotas?limit=${PAGE}`, abort),
        (event) => event.family === "lease_history",
    );
    const blocked = useLoad("blocked", loadBlocked, (event) => event.family === "completion" || event.family === "lease_history");
    return (
        <Page title="Budgets and quotas">
            {budgets.error && <Problem error={budgets.error} retry={budgets.reload} />}
            <h2 class="section">Budgets</h2>
            {!budgets.data ? (
                <Skeleton rows={4} />
            ) : budgets.data.budgets.length === 0 ? (
                <Empty title="There is no budget" line="flowfabric budget create --hard tokens=100000 --scope lane:agents --attach">
                    A budget limits what executions may spend together: tokens, money, calls, anything you count.
                </Empty>
            ) : (
                <div class="cards">
                    {[...budgets.data.budgets]
                        .sort((a, b) => share(b) - share(a))
                        .map((budget) => (
                            <BudgetCard
                                key={budget.budget_id}
                                budget={budget}
                                blocked={blocked.data?.get(budget.budget_id)}
                                done={budgets.reload}
                            />
                        ))}
                </div>
            )}
            <h2 class="section">Quotas</h2>
            {quotas.error && <Problem error={quotas.error} retry={quotas.reload} />}
            {!quotas.data ? (
                <Skeleton rows={3} />
            ) : quotas.data.quotas.length === 0 ? (
                <Empty
                    title="There is no quota"
                    line="flowfabric quota create --rate 60 --window-s 60 --concurrent 4 --scope lane:email --attach"
                >
                    A quota limits how many executions start in a window, and how many run at a time.
                </Empty>
            ) : (
                <QuotaTable quotas={quotas.data.quotas} blocked={blocked.data} done={quotas.reload} />
            )}
        </Page>
    );
}

/** The dimension that is closest to its limit. */
function share(budget: Budget): number {
    return Math.max(0, ...Object.entries(budget.hard_limits).map(([name, limit]) => (limit > 0 ? (budget.usage[name] ?? 0) / limit : 1)));
}

/** When it would be used up, if it goes on as since the last reset. */
function exhaustion(budget: Budget, name: string): number | undefined {
    const used = budget.usage[name] ?? 0;
    const limit = budget.hard_limits[name] ?? 0;
    const begun =
        budget.next_reset_at && budget.reset_interval_ms > 0
            ? Math.max(budget.created_at, budget.next_reset_at - budget.reset_interval_ms)
            : budget.created_at;
    const passed = now.value - begun;
    if (used <= 0 || used >= limit || passed < 10_000) return undefined;
    const left = ((limit - used) * passed) / used;
    return budget.next_reset_at && now.value + left > budget.next_reset_at ? undefined : left;
}

function askLimits(budget: Budget, done: () => void): void {
    const names = Object.keys(budget.hard_limits);
    const before = (): Promise<unknown> =>
        send("PUT", `/v1/budgets/${budget.budget_id}`, {
            dimensions: names,
            hard_limits: names.map((name) => budget.hard_limits[name]),
            soft_limits: names.map((name) => budget.soft_limits[name] ?? 0),
            reason: "undone in the console",
        });
    question.value = {
        title: "Change the limits",
        about: "A higher limit lets what is blocked go on. Usage stays as it is.",
        action: "Change them",
        fields: Object.entries(budget.hard_limits).map(([name, limit]) => ({
            name,
            label: words(name),
            kind: "number" as const,
            value: String(limit),
        })),
        run: (values) => {
            const dimensions = Object.keys(budget.hard_limits);
            return send("PUT", `/v1/budgets/${budget.budget_id}`, {
                dimensions,
                hard_limits: dimensions.map((name) => Number(values[name])),
                soft_limits: dimensions.map((name) => Math.min(budget.soft_limits[name] ?? 0, Number(values[name]))),
                reason: "changed in the console",
            });
        },
        done: () => {
            done();
            return { text: "Limits changed.", undo: () => before().then(done) };
        },
    };
}

function askReset(budget: Budget, done: () => void): void {
    question.value = {
        title: "Start this budget anew?",
        about: "Its usage becomes zero, and what it blocks goes on. What was spent stays in the ledgers of the executions.",
        action: "Start anew",
        danger: true,
        run: () => send("POST", `/v1/budgets/${budget.budget_id}/reset`),
        done: () => {
            done();
            return { text: "The budget starts anew." };
        },
    };
}

function Waiting({ blocked }: { blocked: { count: number; example: string } | undefined }): JSX.Element | null {
    if (!blocked) return null;
    const { count: many, example } = blocked;
    return <a href={href(["executions", example])}>{many === 1 ? "1 execution waits for it" : `${count(many)} executions wait for it`}</a>;
}

/** From the start of the period to its reset: what is left, and where it leads at this rate. */
function BurnDown({ budget, name }: { budget: Budget; name: string }): JSX.Element | null {
    const limit = budget.hard_limits[name] ?? 0;
    const used = budget.usage[name] ?? 0;
    const end = budget.next_reset_at;
    if (!end || budget.reset_interval_ms <= 0 || limit <= 0) return null;
    const begun = Math.max(budget.created_at, end - budget.reset_interval_ms);
    const x = (at: number): number => Math.min(WIDE, Math.max(0, ((at - begun) / (end - begun)) * WIDE));
    const y = (left: number): number => HIGH - 1 - (Math.max(0, left) / limit) * (HIGH - 2);
    const left = limit - used;
    const gone = exhaustion(budget, name);
    const here = { x: x(now.value), y: y(left) };
    const rest = now.value > begun ? left - (used / (now.value - begun)) * (end - now.value) : left;
    const there = gone === undefined ? { x: WIDE, y: y(used >= limit ? 0 : rest) } : { x: x(now.value + gone), y: y(0) };
    return (
        <svg
            class={`burn ${used >= limit ? "bad" : gone === undefined ? "good" : "held"}`}
            viewBox={`0 0 ${WIDE} ${HIGH}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`What is left of ${words(name)}, from the start of the period to its reset`}
        >
            <line class="burn-reset" x1={WIDE - 0.5} x2={WIDE - 0.5} y1="0" y2={HIGH} />
            <line class="burn-past" x1="0" y1={y(limit)} x2={here.x} y2={here.y} />
            <line class="burn-ahead" x1={here.x} y1={here.y} x2={there.x} y2={there.y} />
        </svg>
    );
}

const WIDE = 240;
const HIGH = 36;

interface CardProps {
    budget: Budget;
    blocked: { count: number; example: string } | undefined;
    done: () => void;
}

function BudgetCard({ budget, blocked, done }: CardProps): JSX.Element {
    const marked = place.value.query.get("id") === budget.budget_id;
    return (
        <section class={`panel card${marked ? " marked" : ""}`} aria-label={`Budget of ${budget.scope_type} ${budget.scope_id}`}>
            <header>
                <div>
                    <h3>
                        {budget.scope_type} {budget.scope_id}
                    </h3>
                    <p class="muted">
                        <code>{shortId(budget.budget_id)}</code>
                        <Copy text={budget.budget_id} what="the id" />
                    </p>
                </div>
                <div class="side">
                    <Button kind="quiet" onClick={() => askLimits(budget, done)}>
                        Limits
                    </Button>
                    <Button kind="quiet" onClick={() => askReset(budget, done)}>
                        Reset
                    </Button>
                </div>
            </header>
            <ul class="dims">
                {Object.entries(budget.hard_limits).map(([name, limit]) => {
                    const used = budget.usage[name] ?? 0;
                    const left = exhaustion(budget, name);
                    return (
                        <li key={name}>
                            <div class="dim-line">
                                <span class="strong">{words(name)}</span>
                                <span>
                                    {short(used)} <span class="muted">of {short(limit)}</span>
                                </span>
                            </div>
                            <Meter used={used} limit={limit} soft={budget.soft_limits[name]} label={`${words(name)} used`} />
                            <BurnDown budget={budget} name={name} />
                            <p class="muted small">
                                {used >= limit
                                    ? "exhausted"
                                    : left === undefined
                                      ? `${count(limit - used)} left`
                                      : `used up in ${duration(left)} at this rate`}
                            </p>
                        </li>
                    );
                })}
            </ul>
            {blocked && (
                <p class="small card-foot">
                    <Waiting blocked={blocked} />
                </p>
            )}
            <p class="muted small card-foot">
                {budget.next_reset_at ? (
                    <>
                        Resets <Time at={budget.next_reset_at} />
                    </>
                ) : (
                    "Never resets"
                )}
                {budget.breach_count > 0 && `, ${count(budget.breach_count)} refusals`}, then {words(budget.on_hard_limit)}
            </p>
        </section>
    );
}

function askQuota(quota: Quota, done: () => void): void {
    question.value = {
        title: `Change ${quota.name || "the quota"}`,
        about: "Executions that wait for it go on as soon as it has room.",
        action: "Change it",
        fields: [
            {
                name: "max_requests_per_window",
                label: `Starts in ${quota.window_seconds} s`,
                kind: "number",
                value: String(quota.max_requests_per_window),
            },
            { name: "max_concurrent", label: "At a time (0: any number)", kind: "number", value: String(quota.max_concurrent) },
        ],
        run: (values) =>
            send("PUT", `/v1/quotas/${quota.quota_policy_id}`, {
                max_requests_per_window: Number(values.max_requests_per_window),
                max_concurrent: Number(values.max_concurrent),
                reason: "changed in the console",
            }),
        done: () => {
            done();
            const { max_requests_per_window, max_concurrent } = quota;
            const before = { max_requests_per_window, max_concurrent, reason: "undone in the console" };
            return { text: "The quota is changed.", undo: () => send("PUT", `/v1/quotas/${quota.quota_policy_id}`, before).then(done) };
        },
    };
}

function QuotaTable(props: { quotas: readonly Quota[]; blocked: Blocked | undefined; done: () => void }): JSX.Element {
    const { quotas, blocked, done } = props;
    return (
        <Panel title="Quotas">
            <div class="scroll-x">
                <table class="rows" aria-label="Quotas">
                    <thead>
                        <tr>
                            <th scope="col">Name</th>
                            <th scope="col">For</th>
                            <th scope="col" class="wide">
                                Starts in the window
                            </th>
                            <th scope="col" class="wide">
                                At a time
                            </th>
                            <th scope="col" class="right">
                                Next start
                            </th>
                            <th scope="col">
                                <span class="hidden">Actions</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {quotas.map((quota) => (
                            <tr key={quota.quota_policy_id}>
                                <td class="strong">{quota.name || shortId(quota.quota_policy_id)}</td>
                                <td>
                                    {quota.scope_type === "lane" ? (
                                        <a href={href(["executions"], { q: `lane:${quota.scope_id}` })}>lane {quota.scope_id}</a>
                                    ) : (
                                        `${quota.scope_type} ${quota.scope_id}`
                                    )}
                                </td>
                                <td class="wide">
                                    <Gauge
                                        used={quota.window_entries}
                                        limit={quota.max_requests_per_window}
                                        what={`in ${quota.window_seconds} s`}
                                    />
                                </td>
                                <td class="wide">
                                    {quota.max_concurrent > 0 ? (
                                        <Gauge used={quota.held_slots} limit={quota.max_concurrent} what="running" />
                                    ) : (
                                        <span class="muted">any number</span>
                                    )}
                                </td>
                                <td class="right">
                                    {quota.next_slot_in_ms > 0 ? `in ${duration(quota.next_slot_in_ms)}` : "now"}{" "}
                                    <Waiting blocked={blocked?.get(quota.quota_policy_id)} />
                                </td>
                                <td class="right">
                                    <Button kind="quiet" label={`Change ${quota.name}`} onClick={() => askQuota(quota, done)}>
                                        Change
                                    </Button>
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </Panel>
    );
}

function Gauge({ used, limit, what }: { used: number; limit: number; what: string }): JSX.Element {
    return (
        <div class="gauge">
            <span>
                {count(used)}{" "}
                <span class="muted">
                    of {count(limit)} {what}
                </span>
            </span>
            <Meter used={used} limit={limit} soft={limit * 0.8} label={what} />
        </div>
    );
}
