import type { JSX } from "preact";
import { executionPath, getOrNull } from "../lib/api";
import { type Condition, commentOf, counted, filledIn } from "../lib/approvals";
import { plural, words } from "../lib/format";
import { useLoad } from "../lib/load";
import type { Signal, Waitpoint } from "../lib/types";
import { Time } from "./ui";

const SIGNALS_MOST = 50;

/** Who has answered a waitpoint, and of how many. */
export function Answers({ waitpoint }: { waitpoint: Waitpoint }): JSX.Element | null {
    const { execution_id, waitpoint_id } = waitpoint;
    const path = (rest: string): string => executionPath(execution_id, rest);
    const load = useLoad(
        `answers ${waitpoint_id}`,
        async (abort) => {
            const [condition, given] = await Promise.all([
                getOrNull<Condition>(path("/suspension/condition"), abort),
                getOrNull<{ signals: Signal[] }>(
                    path(`/waitpoints/${encodeURIComponent(waitpoint_id)}/signals?limit=${SIGNALS_MOST}`),
                    abort,
                ),
            ]);
            return { condition, signals: given?.signals ?? [] };
        },
        (event) => event.execution_id === execution_id,
    );
    if (!load.data) return null;
    const { condition, signals } = load.data;
    const progress = condition ? counted(condition) : undefined;
    if (!progress && signals.length === 0) return null;
    return (
        <div class="answers">
            <p class="strong">
                {progress ? `${progress.have} of ${plural(progress.need, "answer")}` : plural(signals.length, "answer")}
                {progress && progress.have < progress.need && <span class="muted">, {progress.need - progress.have} more needed</span>}
            </p>
            <AnswerList signals={signals} />
        </div>
    );
}

export function AnswerList({ signals }: { signals: readonly Signal[] }): JSX.Element | null {
    if (signals.length === 0) return null;
    return (
        <ul aria-label="Answers">
            {signals.map((signal) => (
                <li key={signal.signal_id}>
                    <span class="strong">{signal.source_identity || "without a name"}</span> {words(signal.signal_name)}{" "}
                    <span class="muted">
                        <Time at={signal.accepted_at ?? signal.created_at} />
                    </span>
                    {filledIn(signal).map(([name, value]) => (
                        <span key={name}>
                            {" "}
                            <span class="muted">{words(name)}</span> {value}
                        </span>
                    ))}
                    {commentOf(signal) && <q>{commentOf(signal)}</q>}
                </li>
            ))}
        </ul>
    );
}
