import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ApiError, ask } from "../lib/api";
import { download } from "../lib/download";
import { bytes, count } from "../lib/format";
import { hexDump } from "../lib/hex";
import { useLoad } from "../lib/load";
import { Button, Empty, Problem, Skeleton, Tabs } from "./ui";

const TEXT_MOST = 200_000;
const HEX_MOST = 16_384;
const MEMBERS_MOST = 200;

/** Bytes that somebody else wrote: as JSON where they are, as text, or as hex; never as markup. */
export function BytesView({
    path,
    name,
    nothing,
    version,
}: {
    path: string;
    name: string;
    nothing: string;
    version?: string;
}): JSX.Element {
    const load = useLoad<Uint8Array | null>(`${path}#${version ?? ""}`, async (abort) => {
        try {
            return new Uint8Array(await (await ask(path, { signal: abort })).arrayBuffer());
        } catch (error) {
            if (error instanceof ApiError && error.status === 404) return null;
            throw error;
        }
    });
    const chosen = useSignal<string | undefined>(undefined);
    if (load.error) return <Problem error={load.error} retry={load.reload} />;
    if (load.data === undefined) return <Skeleton rows={3} />;
    if (load.data === null || load.data.length === 0) return <Empty title={nothing} />;
    const raw = load.data;
    const text = decodeText(raw);
    const json = text === undefined ? undefined : parseJson(text);
    const view = chosen.value ?? (json !== undefined ? "json" : text !== undefined ? "text" : "hex");
    const tabs = [
        ...(json !== undefined ? [["json", "JSON"] as const] : []),
        ...(text !== undefined ? [["text", "Text"] as const] : []),
        ["hex", "Hex"] as const,
    ];
    return (
        <div class="bytes">
            <div class="bar">
                <Tabs label={`How the ${name} is shown`} tabs={tabs} current={view} choose={(to) => (chosen.value = to)} />
                <span class="muted grow">{bytes(raw.length)}</span>
                <Button kind="quiet" onClick={() => download(new Blob([raw as BlobPart]), name)}>
                    Download
                </Button>
            </div>
            <div class="bytes-box" tabIndex={0} role="region" aria-label={name}>
                {view === "json" && json !== undefined && <Tree value={json.value} open />}
                {view === "text" && (
                    <pre>
                        {text!.slice(0, TEXT_MOST)}
                        {text!.length > TEXT_MOST && `\n… ${count(text!.length - TEXT_MOST)} more characters; download them`}
                    </pre>
                )}
                {view === "hex" && (
                    <pre>
                        {hexDump(raw.subarray(0, HEX_MOST)) + (raw.length > HEX_MOST ? `\n… ${bytes(raw.length - HEX_MOST)} more` : "")}
                    </pre>
                )}
            </div>
        </div>
    );
}

function decodeText(raw: Uint8Array): string | undefined {
    try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
        return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
    } catch {
        return undefined;
    }
}

function parseJson(text: string): { value: unknown } | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
        return { value: JSON.parse(text) as unknown };
    } catch {
        return undefined;
    }
}

export function Tree({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }): JSX.Element {
    const label = name !== undefined && <span class="json-key">{name}: </span>;
    if (value === null || typeof value !== "object")
        return (
            <div class="json-leaf">
                {label}
                <span class={`json-${value === null ? "null" : typeof value}`}>{JSON.stringify(value)}</span>
            </div>
        );
    const entries = Array.isArray(value) ? value.map((one, at): [string, unknown] => [String(at), one]) : Object.entries(value);
    const brackets = Array.isArray(value) ? "[]" : "{}";
    if (entries.length === 0)
        return (
            <div class="json-leaf">
                {label}
                {brackets}
            </div>
        );
    return (
        <details class="json" open={open}>
            <summary>
                {label}
                <span class="muted">
                    {brackets[0]}
                    {entries.length}
                    {brackets[1]}
                </span>
            </summary>
            {entries.slice(0, MEMBERS_MOST).map(([key, child]) => (
                <Tree key={key} name={key} value={child} open={open && entries.length <= 20} />
            ))}
            {entries.length > MEMBERS_MOST && <div class="json-leaf muted">… {count(entries.length - MEMBERS_MOST)} more</div>}
        </details>
    );
}
