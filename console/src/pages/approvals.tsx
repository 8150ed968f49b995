import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { executionPath, get } from "../lib/api";
import { type Pending, pendingApprovals, suspendedWith } from "../lib/approvals";
import { plural, shortId, words } from "../lib/format";
import { addKeys } from "../lib/keys";
import { useLoad } from "../lib/load";
import { href, place, setQuery } from "../lib/router";
import { answers, askAnswer, askAnswerLink, copyLink } from "../parts/actions";
import { Answers } from "../parts/answers";
import { BytesView } from "../parts/bytes";
import { Button, Empty, Problem, Skeleton, Time } from "../parts/ui";
import { Page } from "../shell";

const concerns = (event: { family: string; event?: string }): boolean =>
    event.family === "signal_delivery" || event.family === "completion" || event.event === "released";

interface Inbox {
    all: Pending[];
    /** Executions with the tag that is asked for; undefined without one. */
    tagged: Set<string> | undefined;
}

async function loadInbox(tag: string, abort: AbortSignal): Promise<Inbox> {
    const all = await pendingApprovals(abort);
    const tagged = tag === "" ? undefined : await suspendedWith(tag, [...new Set(all.map((one) => one.namespace))], abort);
    return { all, tagged };
}

/** What people are asked, across everything: one list, one decision beside it. */
export function ApprovalsPage(): JSX.Element {
    const namespace = place.value.query.get("ns") ?? "";
    const wantedTag = place.value.query.get("tag") ?? "";
    const tag = /^[^:]+:./.test(wantedTag) ? wantedTag : "";
    const load = useLoad(`approvals ${tag}`, (abort) => loadInbox(tag, abort), concerns);
    const chosen = place.value.query.get("id");
    const all = load.data?.all ?? [];
    const namespaces = [...new Set([...all.map((one) => one.namespace), ...(namespace === "" ? [] : [namespace])])].sort();
    const rows = all.filter(
        (one) => (namespace === "" || one.namespace === namespace) && (load.data?.tagged?.has(one.execution_id) ?? true),
    );
    const filtered = namespace !== "" || tag !== "";
    const current = rows.find((one) => one.waitpoint_id === chosen) ?? rows[0];
    const tagInput = useRef<HTMLInputElement>(null);
    useEffect(() => {
        const step = (by: number) => (): void => {
            const at = current ? rows.indexOf(current) : -1;
            const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
            if (next) setQuery({ id: next.waitpoint_id });
        };
        const answer = (which: "yes" | "no") => (): void => {
            const name = current && answers(current)[which][0];
            if (name) askAnswer(current, name, load.reload);
        };
        return addKeys({
            j: { about: "next approval", run: step(1) },
            k: { about: "approval before", run: step(-1) },
            a: { about: "approve", act: true, run: answer("yes") },
            x: { about: "reject", act: true, run: answer("no") },
            "/": { about: "to the filter", run: () => tagInput.current?.focus() },
        });
    }, [rows.length, current?.waitpoint_id]);
    return (
        <Page
            title="Approvals"
            lead={
                load.data && (
                    <p class="muted">
                        {rows.length === 0
                            ? filtered
                                ? "Nothing of what waits for an answer matches."
                                : "Nobody is waiting for an answer."
                            : `${plural(rows.length, "execution waits", "executions wait")} for an answer.`}
                    </p>
                )
            }
            side={
                <>
                    {namespaces.length > 1 && (
                        <label class="inline">
                            <span>Namespace</span>
                            <select value={namespace} onChange={(event) => setQuery({ ns: event.currentTarget.value || null })}>
                                <option value="">all</option>
                                {namespaces.map((name) => (
                                    <option key={name} selected={name === namespace}>
                                        {name}
                                    </option>
                                ))}
                            </select>
                        </label>
                    )}
                    <label class="inline">
                        <span>Tag</span>
                        <input
                            ref={tagInput}
                            class={wantedTag !== tag ? "bad-input" : ""}
                            defaultValue={wantedTag}
                            placeholder="tenant:acme"
                            title="key:value"
                            spellcheck={false}
                            autocomplete="off"
                            onChange={(event) => setQuery({ tag: event.currentTarget.value.trim() || null })}
                        />
                    </label>
                </>
            }
        >
            {load.error && <Problem error={load.error} retry={load.reload} />}
            {wantedTag !== tag && (
                <p class="bad-text" role="alert">
                    “{wantedTag}” is no tag; it takes a key and a value: tenant:acme
                </p>
            )}
            {!load.data ? (
                !load.error && <Skeleton rows={8} />
            ) : rows.length === 0 && filtered ? (
                <Empty title="Nothing matches the filter">
                    <Button onClick={() => setQuery({ ns: null, tag: null })}>Show everything</Button>
                </Empty>
            ) : rows.length === 0 ? (
                <Empty
                    title="The inbox is empty"
                    line={`"approval": {"prompt": "Publish it?", "assignees": ["group:editors"], "context": "…"}`}
                >
                    A worker asks when it suspends its execution; the body of POST …/suspend then has
                </Empty>
            ) : (
                <div class="inbox">
                    <ul class="panel inbox-list" aria-label="Open approvals">
                        {rows.map((one) => (
                            <li key={one.waitpoint_id}>
                                <a
                                    href={href(["approvals"], { ns: namespace, tag: wantedTag, id: one.waitpoint_id })}
                                    aria-current={one === current ? "true" : undefined}
                                >
                                    <span class="strong clip">{titleOf(one)}</span>
                                    <span class="inbox-meta">
                                        <span class="clip">
                                            {one.execution_kind} · {one.lane_id}
                                        </span>
                                        <Deadline one={one} />
                                    </span>
                                </a>
                            </li>
                        ))}
                    </ul>
                    {current && <Decision key={current.waitpoint_id} one={current} done={load.reload} />}
                </div>
            )}
            {chosen && load.data && !rows.some((one) => one.waitpoint_id === chosen) && rows.length > 0 && (
                <p class="muted" role="status">
                    The approval of that link is not open any more.
                </p>
            )}
        </Page>
    );
}

export function titleOf(one: Pending): string {
    return (
        one.approval?.prompt ??
        `${one.execution_kind || "An execution"} waits for ${one.required_signal_names.map(words).join(" or ") || "a signal"}`
    );
}

function Deadline({ one }: { one: Pending }): JSX.Element {
    const at = one.approval?.due_at ?? one.expires_at;
    return at ? (
        <span>
            due <Time at={at} />
        </span>
    ) : (
        <span>no deadline</span>
    );
}

/** One approval with all it takes to decide. */
export function Decision({ one, done, alone = false }: { one: Pending; done: () => void; alone?: boolean }): JSX.Element {
    const { yes, no } = answers(one);
    const tags = useLoad(`tags ${one.execution_id}`, (abort) =>
        get<Record<string, string>>(executionPath(one.execution_id, "/tags"), abort),
    );
    const approval = one.approval;
    const link = href(["approvals", one.execution_id, one.waitpoint_id]);
    return (
        <article class="panel decision" aria-label="The approval">
            <h2>{titleOf(one)}</h2>
            <dl class="facts">
                <div>
                    <dt>Execution</dt>
                    <dd>
                        <a href={href(["executions", one.execution_id])}>
                            {one.execution_kind} {shortId(one.execution_id)}
                        </a>
                    </dd>
                </div>
                <div>
                    <dt>Asked</dt>
                    <dd>
                        <Time at={one.created_at} />
                    </dd>
                </div>
                <div>
                    <dt>Expires</dt>
                    <dd>
                        <Time at={one.expires_at} />
                    </dd>
                </div>
                {approval?.assignees && approval.assignees.length > 0 && (
                    <div>
                        <dt>For</dt>
                        <dd>{approval.assignees.join(", ")}</dd>
                    </div>
                )}
                {Object.entries(tags.data ?? {}).map(([key, value]) => (
                    <div key={key}>
                        <dt>{key}</dt>
                        <dd>{value}</dd>
                    </div>
                ))}
            </dl>
            {typeof approval?.context === "string" && <pre class="context">{approval.context}</pre>}
            <Answers waitpoint={one} />
            <h3>Payload</h3>
            <BytesView path={executionPath(one.execution_id, "/payload")} name="payload" nothing="It has no payload" />
            <div class="buttons">
                {!alone && (
                    <a class="button quiet" href={link}>
                        Open alone
                    </a>
                )}
                <Button kind="quiet" onClick={() => void copyLink(new URL(link, location.href).href)}>
                    Copy link
                </Button>
                {approval && (
                    <Button kind="quiet" title="For somebody without an account" onClick={() => askAnswerLink(one)}>
                        Answer link
                    </Button>
                )}
                {no.map((name) => (
                    <Button key={name} kind="danger" onClick={() => askAnswer(one, name, done)}>
                        {name === "rejected" ? "Reject" : words(name)} <kbd>x</kbd>
                    </Button>
                ))}
                {yes.map((name) => (
                    <Button key={name} kind="main" onClick={() => askAnswer(one, name, done)}>
                        {name === "approved" ? "Approve" : words(name)} <kbd>a</kbd>
                    </Button>
                ))}
            </div>
        </article>
    );
}
