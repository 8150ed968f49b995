import type { JSX } from "preact";
import { getOrNull } from "../lib/api";
import { count, shortId, words } from "../lib/format";
import { useLoad } from "../lib/load";
import { href } from "../lib/router";
import type { Attempt, Budget, Explanation } from "../lib/types";
import { totalUsage, usageOf } from "../lib/usage";
import { Empty, Meter, Problem, Skeleton, Time } from "./ui";

const BUDGETS_MOST = 8;

/** What the execution has used, attempt by attempt, and how its budgets stand. */
export function Usage({ info, attempts }: { info: Explanation; attempts: readonly Attempt[] }): JSX.Element {
    const refs = info.policies.map((policy) => policy.ref).filter((ref) => ref.startsWith("budget:"));
    const load = useLoad(
        `usage ${info.execution_id} ${refs.join(" ")}`,
        async (abort) => {
            const asked = refs.slice(0, BUDGETS_MOST).map((ref) => ref.slice("budget:".length));
            const found = await Promise.all(asked.map((id) => getOrNull<Budget>(`/v1/budgets/${encodeURIComponent(id)}`, abort)));
            return found.filter((one) => one !== null);
        },
        (event) => event.execution_id === info.execution_id,
    );
    const total = totalUsage(attempts);
    const names = Object.keys(total).sort();
    return (
        <div>
            {names.length === 0 ? (
                <Empty title="It has reported no usage">A worker reports tokens, money or calls with POST …/usage.</Empty>
            ) : (
                <div class="scroll-x" tabIndex={0} role="group" aria-label="Usage by attempt">
                    <table class="rows">
                        <thead>
                            <tr>
                                <th scope="col" class="wide">
                                    Dimension
                                </th>
                                {attempts.length > 1 &&
                                    attempts.map((attempt) => (
                                        <th key={attempt.attempt_index} scope="col" class="right">
                                            attempt {attempt.attempt_index + 1}
                                        </th>
                                    ))}
                                <th scope="col" class="right">
                                    in all
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {names.map((name) => (
                                <tr key={name}>
                                    <td class="wide">{words(name)}</td>
                                    {attempts.length > 1 &&
                                        attempts.map((attempt) => (
                                            <td key={attempt.attempt_index} class="right">
                                                {count(usageOf(attempt)[name] ?? 0)}
                                            </td>
                                        ))}
                                    <td class="right strong">{count(total[name] ?? 0)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {refs.length > 0 && !load.data && !load.error && <Skeleton rows={2} />}
            {load.data?.map((budget) => (
                <BudgetLines key={budget.budget_id} budget={budget} own={total} />
            ))}
            {refs.length === 0 && <p class="muted padded">No budget governs it.</p>}
        </div>
    );
}

function BudgetLines({ budget, own }: { budget: Budget; own: Record<string, number> }): JSX.Element {
    return (
        <section class="budget-lines" aria-label={`Budget of ${budget.scope_type} ${budget.scope_id}`}>
            <h3>
                <a href={href(["limits"], { id: budget.budget_id })}>
                    Budget of {budget.scope_type} {budget.scope_id}
                </a>{" "}
                <code class="muted">{shortId(budget.budget_id)}</code>
            </h3>
            {Object.entries(budget.hard_limits).map(([name, limit]) => {
                const used = budget.usage[name] ?? 0;
                return (
                    <div key={name} class="budget-line">
                        <span>{words(name)}</span>
                        <Meter used={used} limit={limit} soft={budget.soft_limits[name]} label={`${words(name)} used of the budget`} />
                        <span class="right">
                            {count(used)} <span class="muted">of {count(limit)}</span>
                        </span>
                        <span class="muted small">
                            {used >= limit ? "exhausted" : `${count(limit - used)} left`}
                            {own[name] ? `; ${count(own[name])} by this execution` : ""}
                        </span>
                    </div>
                );
            })}
            <p class="muted small">
                {budget.next_reset_at ? (
                    <>
                        Resets <Time at={budget.next_reset_at} />
                    </>
                ) : (
                    "Never resets"
                )}
                , then {words(budget.on_hard_limit)} at the limit
            </p>
        </section>
    );
}
