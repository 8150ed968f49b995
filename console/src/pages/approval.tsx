import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { executionPath, get, getOrNull } from "../lib/api";
import type { Pending } from "../lib/approvals";
import { addKeys } from "../lib/keys";
import { useLoad } from "../lib/load";
import { href, place } from "../lib/router";
import type { ExecutionInfo, Signal, Waitpoint } from "../lib/types";
import { answers, askAnswer } from "../parts/actions";
import { AnswerList } from "../parts/answers";
import { Empty, Problem, Skeleton } from "../parts/ui";
import { Page } from "../shell";
import { Decision } from "./approvals";

interface One {
    info: ExecutionInfo;
    /** Undefined once it is closed. */
    open: Pending | undefined;
    given: Signal[];
}

async function loadOne(id: string, waitpoint: string, abort: AbortSignal): Promise<One> {
    const path = (rest: string): string => executionPath(id, rest);
    const [info, pending, given] = await Promise.all([
        get<ExecutionInfo>(path(""), abort),
        get<{ waitpoints: Waitpoint[] }>(path("/pending-waitpoints?tokens=omit"), abort),
        getOrNull<{ signals: Signal[] }>(path(`/waitpoints/${encodeURIComponent(waitpoint)}/signals`), abort),
    ]);
    const found = pending.waitpoints.find((one) => one.waitpoint_id === waitpoint);
    return { info, open: found && { ...info, ...found }, given: given?.signals ?? [] };
}

/** One approval and nothing else: what a link leads to that somebody was sent. */
export function ApprovalPage(): JSX.Element {
    const [, id = "", waitpoint = ""] = place.value.path;
    const load = useLoad(
        `${id} ${waitpoint}`,
        (abort) => loadOne(id, waitpoint, abort),
        (event) => event.execution_id === id,
    );
    const open = load.data?.open;
    useEffect(() => {
        if (!open) return;
        const answer = (which: "yes" | "no") => (): void => {
            const name = answers(open)[which][0];
            if (name) askAnswer(open, name, load.reload);
        };
        return addKeys({ a: { about: "approve", act: true, run: answer("yes") }, x: { about: "reject", act: true, run: answer("no") } });
    }, [open?.waitpoint_id]);
    return (
        <Page
            title={
                <>
                    <span class="crumb">
                        <a href={href(["approvals"])}>Approvals</a>
                    </span>
                    {load.data?.info.execution_kind || "Approval"}
                </>
            }
        >
            {load.error && load.error.status !== 404 && <Problem error={load.error} retry={load.reload} />}
            {load.error?.status === 404 ? (
                <Empty title="There is no such approval">Its execution has been purged, or the link is cut off.</Empty>
            ) : !load.data ? (
                !load.error && <Skeleton rows={8} />
            ) : open ? (
                <Decision one={open} done={load.reload} alone />
            ) : (
                <Closed data={load.data} />
            )}
        </Page>
    );
}

function Closed({ data }: { data: One }): JSX.Element {
    return (
        <section class="panel decision">
            <h2>{data.given.length > 0 ? "It has been answered" : "It is not open any more"}</h2>
            {data.given.length === 0 && <p class="muted">Nobody answered it in time, or the execution ended before.</p>}
            <div class="answers">
                <AnswerList signals={data.given} />
            </div>
            <div class="buttons">
                <a class="button" href={href(["executions", data.info.execution_id], { tab: "signals" })}>
                    Open the execution
                </a>
            </div>
        </section>
    );
}
