import { executionPath, get, send } from "../lib/api";
import { formAnswer, formFields } from "../lib/form";
import { actor } from "../lib/prefs";
import type { ExecutionInfo, Waitpoint } from "../lib/types";
import { question, toast } from "./ui";

/** What can be done to an execution; each says first what it will do. */

const named = (info: ExecutionInfo): string => info.execution_kind || info.execution_id;

export function askCancel(info: ExecutionInfo): void {
    question.value = {
        title: `Cancel ${named(info)}?`,
        about: "It ends as cancelled. A worker that holds it learns so at its next call. What it has done already stays done.",
        action: "Cancel it",
        danger: true,
        fields: [{ name: "reason", label: "Reason", value: "", hint: "Kept with the execution." }],
        run: (values) => send("POST", executionPath(info.execution_id, "/cancel"), { reason: values.reason || "cancelled in the console" }),
        done: () => ({ text: "Cancelled." }),
    };
}

export function askReplay(info: ExecutionInfo): void {
    question.value = {
        title: `Run ${named(info)} again?`,
        about: "A new attempt starts with the same payload. The attempts it had stay in its history.",
        action: "Run it again",
        fields: [
            { name: "reason", label: "Reason", value: "" },
            ...(info.flow_id
                ? [
                      {
                          name: "scope",
                          label: "What",
                          kind: "choice" as const,
                          value: "only this",
                          choices: ["only this", "this and what depended on it"],
                      },
                  ]
                : []),
        ],
        run: (values) =>
            send("POST", executionPath(info.execution_id, `/replay${values.scope?.startsWith("this and") ? "?subgraph=true" : ""}`), {
                reason: values.reason || "replayed in the console",
                ...(actor.value ? { requested_by: actor.value } : {}),
            }),
        done: () => ({ text: "It is queued again." }),
    };
}

export function askResume(info: ExecutionInfo): void {
    question.value = {
        title: `Resume ${named(info)}?`,
        about: "It goes on although what it waits for has not happened. No signal is recorded.",
        action: "Resume it",
        run: () => send("POST", executionPath(info.execution_id, "/resume"), actor.value ? { actor: actor.value } : {}),
        done: () => ({ text: "It goes on." }),
    };
}

export function askRevoke(info: ExecutionInfo): void {
    question.value = {
        title: "Take the lease away?",
        about: "The worker that has it can no longer end it, and another one takes it over. Use it when a worker hangs.",
        action: "Revoke the lease",
        danger: true,
        fields: [{ name: "reason", label: "Reason", value: "" }],
        run: (values) =>
            send("POST", executionPath(info.execution_id, "/revoke-lease"), { reason: values.reason || "revoked in the console" }),
        done: () => ({ text: "The lease is revoked." }),
    };
}

export function askPriority(info: ExecutionInfo): void {
    const path = executionPath(info.execution_id, "/priority");
    const before = info.priority;
    question.value = {
        title: "Change the priority",
        about: `It is ${before} now. Larger goes first; 0 to 9000.`,
        action: "Change it",
        fields: [{ name: "priority", label: "Priority", kind: "number", value: String(before) }],
        run: (values) => send("PUT", path, { new_priority: Number(values.priority) }),
        done: (values) => ({ text: `Priority ${values.priority}.`, undo: () => send("PUT", path, { new_priority: before }) }),
    };
}

export function askTags(info: ExecutionInfo, tags: Record<string, string>): void {
    let changed = new Set<string>();
    question.value = {
        title: "Tags",
        about: "One key=value a line, new keys as word.name. A line that is taken away leaves its tag as it is.",
        action: "Save",
        fields: [
            {
                name: "tags",
                label: "Tags",
                kind: "area",
                value: Object.entries(tags)
                    .map(([key, value]) => `${key}=${value}`)
                    .join("\n"),
            },
        ],
        run: (values) => {
            const wanted: Record<string, string> = {};
            for (const line of (values.tags ?? "").split("\n")) {
                const mark = line.indexOf("=");
                if (line.trim() === "") continue;
                if (mark < 1) return Promise.reject(new Error(`“${line}” is not key=value.`));
                const [key, value] = [line.slice(0, mark).trim(), line.slice(mark + 1)];
                if (tags[key] !== value) wanted[key] = value;
            }
            changed = new Set(Object.keys(wanted));
            return send("PUT", executionPath(info.execution_id, "/tags"), wanted);
        },
        done: () => {
            // A tag cannot be taken away, so only changed values have a way back.
            const before = Object.fromEntries([...changed].flatMap((key) => (tags[key] === undefined ? [] : [[key, tags[key]]])));
            if (Object.keys(before).length === 0) return { text: "Tags saved." };
            return { text: "Tags saved.", undo: () => send("PUT", executionPath(info.execution_id, "/tags"), before) };
        },
    };
}

const REFUSING = /^(reject|rejected|deny|denied|decline|declined|no)$/i;

/** The signals of a waitpoint that say yes, and those that say no. */
export function answers(waitpoint: Waitpoint): { yes: string[]; no: string[] } {
    const names = waitpoint.required_signal_names.length > 0 ? waitpoint.required_signal_names : ["approved"];
    return { yes: names.filter((name) => !REFUSING.test(name)), no: names.filter((name) => REFUSING.test(name)) };
}

const SUFFIX_MOST = 100;

interface Receipt {
    status: "accepted" | "duplicate";
}

/**
 * Each person answers once, so the name is part of the idempotency key. The operators' route takes no payload: an answer with
 * a comment or a form is sent as a signal with the waitpoint's token.
 */
async function sendAnswer(waitpoint: Waitpoint, signalName: string, actorName: string, payload: Record<string, unknown>): Promise<Receipt> {
    const suffix = actorName.slice(0, SUFFIX_MOST);
    const path = (rest: string): string => executionPath(waitpoint.execution_id, rest);
    if (Object.keys(payload).length === 0)
        return send<Receipt>("POST", path("/approve"), {
            waitpoint_id: waitpoint.waitpoint_id,
            signal_name: signalName,
            ...(actorName ? { actor: actorName, idempotency_suffix: suffix } : {}),
        });
    const { token } = await get<{ token: string }>(path(`/waitpoints/${encodeURIComponent(waitpoint.waitpoint_id)}/token`));
    return send<Receipt>("POST", path("/signal"), {
        waitpoint_id: waitpoint.waitpoint_id,
        waitpoint_token: token,
        signal_name: signalName,
        signal_category: "approval",
        source_type: "operator",
        source_identity: actorName,
        idempotency_key: `approval:${signalName}:${suffix}`,
        payload: JSON.stringify(payload),
        payload_encoding: "json",
    });
}

export function askAnswer(waitpoint: Waitpoint, signalName: string, done?: () => void): void {
    const refuses = REFUSING.test(signalName);
    const form = refuses ? undefined : waitpoint.approval?.form;
    let receipt: Receipt | undefined;
    question.value = {
        title: refuses ? "Reject?" : "Approve?",
        about: `The execution gets the signal “${signalName}” and goes on with it. This cannot be taken back.`,
        action: refuses ? "Reject" : "Approve",
        danger: refuses,
        fields: [
            ...formFields(form).map((field) => ({ ...field, name: `form.${field.name}` })),
            { name: "actor", label: "Your name", value: actor.value, hint: "Kept with the answer." },
            { name: "comment", label: "Comment", kind: "area", hint: "The execution gets it as the signal's payload." },
        ],
        run: async (values) => {
            actor.value = values.actor ?? "";
            const given = Object.entries(values).flatMap(([name, text]) => (name.startsWith("form.") ? [[name.slice(5), text]] : []));
            const comment = (values.comment ?? "").trim();
            receipt = await sendAnswer(waitpoint, signalName, actor.value, {
                ...formAnswer(form, Object.fromEntries(given) as Record<string, string>),
                ...(comment === "" ? {} : { comment }),
            });
        },
        done: () => {
            done?.();
            if (receipt?.status === "duplicate")
                return { text: `${actor.value || "Somebody without a name"} has given this answer before; it counts once.` };
            return { text: refuses ? "Rejected." : "Approved." };
        },
    };
}

const DAY_MS = 86_400_000;

/** For somebody who has no account here: the link itself is the permission to answer once. */
export function askAnswerLink(waitpoint: Waitpoint): void {
    const path = executionPath(waitpoint.execution_id, `/waitpoints/${encodeURIComponent(waitpoint.waitpoint_id)}/link`);
    let made: { link_id: string; url: string } | undefined;
    question.value = {
        title: "A link to answer by",
        about: "Whoever has it may approve or reject this once, on a page of the server, without an account.",
        action: "Make the link",
        fields: [
            { name: "label", label: "For whom", value: "", hint: "Kept with the answer." },
            { name: "days", label: "Good for days", kind: "number", value: "7" },
        ],
        run: async (values) => {
            const label = (values.label ?? "").trim();
            const expires_in_ms = Math.round(Number(values.days) * DAY_MS);
            made = await send<{ link_id: string; url: string }>("POST", path, { expires_in_ms, ...(label === "" ? {} : { label }) });
            // A browser that asks first must not keep the dialog waiting; the toast has the link too.
            void navigator.clipboard?.writeText(made.url).catch(() => undefined);
        },
        done: () => ({ text: `The link is copied: ${made!.url}`, undo: () => send("DELETE", `${path}?link_id=${made!.link_id}`) }),
    };
}

export async function copyLink(to?: string): Promise<void> {
    await navigator.clipboard?.writeText(to ?? location.href);
    toast({ text: to === undefined ? "The link to this page is copied." : "The link is copied." });
}
