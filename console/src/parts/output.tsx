import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { executionPath, get, getOrNull } from "../lib/api";
import { count, plural } from "../lib/format";
import { readEvents } from "../lib/live";
import { useLoad } from "../lib/load";
import { zone } from "../lib/prefs";
import { place, setQuery } from "../lib/router";
import { clockTime } from "../lib/time";
import { Tree } from "./bytes";
import { Button, Empty, Problem, Skeleton, Tabs, Time } from "./ui";

interface Frame {
    id: string;
    attempt: number;
    type: string;
    at: number;
    text: string;
}

interface SentFrame {
    id: string;
    attempt_index: number;
    fields: Record<string, unknown>;
}

const PAGE = 1_000;
/** Beyond this the oldest are let go, so that a page that stays open does not grow for ever. */
const FRAMES_MOST = 100_000;
const ROWS_MOST = 400;
const MARKS_MOST = 500;
const SPEEDS = [1, 4, 16, 64];

function decode(fields: Record<string, unknown>): string {
    if (typeof fields.payload === "string") return fields.payload;
    if (typeof fields.payload_base64 !== "string") return "";
    return `⟨${count(Math.floor((fields.payload_base64.length * 3) / 4))} bytes⟩`;
}

function useFrames(id: string) {
    const frames = useRef<Frame[]>([]);
    const version = useSignal(0);
    const ended = useSignal(false);
    const problem = useSignal<string | undefined>(undefined);
    useEffect(() => {
        const abort = new AbortController();
        let cursor: string | undefined;
        let drawn: number | undefined;
        frames.current = [];
        ended.value = false;
        const draw = (): void => {
            drawn ??= requestAnimationFrame(() => {
                drawn = undefined;
                version.value += 1;
            });
        };
        const add = (sent: SentFrame[]): void => {
            for (const frame of sent)
                frames.current.push({
                    id: frame.id,
                    attempt: frame.attempt_index,
                    type: String(frame.fields.frame_type ?? ""),
                    at: Number(frame.fields.ts ?? frame.id.split("-")[0]),
                    text: decode(frame.fields),
                });
            if (frames.current.length > FRAMES_MOST) frames.current.splice(0, frames.current.length - FRAMES_MOST);
            draw();
        };
        /** What is there already comes in pages, many frames at a time; what is written from then on comes as events. */
        const readPages = async (): Promise<void> => {
            for (let more = true; more; ) {
                const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
                const path = executionPath(id, `/stream?mode=all_attempts&limit=${PAGE}${from}`);
                const page = await get<{ frames: SentFrame[]; next: string; more: boolean }>(path, abort.signal);
                cursor = page.next;
                more = page.more;
                add(page.frames);
            }
        };
        void (async () => {
            while (!abort.signal.aborted && !ended.value) {
                try {
                    await readPages();
                    const headers: Record<string, string> = cursor === undefined ? {} : { "Last-Event-ID": cursor };
                    const status = await readEvents(executionPath(id, "/stream?mode=all_attempts"), headers, abort.signal, (events) => {
                        for (const one of events) {
                            // The id of the end is no place to read on from.
                            if (one.event === "end") ended.value = true;
                            else if (one.id !== undefined) cursor = one.id;
                        }
                        add(events.filter((one) => one.event === "frame").map((one) => JSON.parse(one.data) as SentFrame));
                    });
                    problem.value = undefined;
                    if (status === 204) return;
                } catch (error) {
                    if (abort.signal.aborted) return;
                    problem.value = error instanceof Error ? error.message : String(error);
                }
                await new Promise((done) => setTimeout(done, 1_500));
            }
        })();
        return () => {
            abort.abort();
            if (drawn !== undefined) cancelAnimationFrame(drawn);
        };
    }, [id]);
    return { frames: frames.current, version: version.value, ended: ended.value, problem: problem.value };
}

function Marked({ text, find }: { text: string; find: string }): JSX.Element {
    if (find === "") return <>{text}</>;
    const parts: JSX.Element[] = [];
    const lower = text.toLowerCase();
    const wanted = find.toLowerCase();
    let at = 0;
    for (let hit = lower.indexOf(wanted); hit >= 0 && parts.length < 2 * MARKS_MOST; hit = lower.indexOf(wanted, at)) {
        parts.push(<span key={at}>{text.slice(at, hit)}</span>, <mark key={`m${at}`}>{text.slice(hit, hit + wanted.length)}</mark>);
        at = hit + wanted.length;
    }
    return (
        <>
            {parts}
            {text.slice(at)}
        </>
    );
}

/** What the execution says, while it says it. */
export function Output({ id, attempts }: { id: string; attempts: number }): JSX.Element {
    const { frames, ended, problem } = useFrames(id);
    const view = place.value.query.get("view") ?? "text";
    const find = place.value.query.get("find") ?? "";
    const attempt = place.value.query.get("attempt");
    const follow = useSignal(true);
    const replay = useSignal<{ shown: number; speed: number } | undefined>(undefined);
    const box = useRef<HTMLDivElement>(null);
    const mine = attempt === null ? frames : frames.filter((frame) => String(frame.attempt) === attempt);
    const shown = replay.value ? mine.slice(0, replay.value.shown) : mine;

    useEffect(() => {
        if (follow.value && box.current) box.current.scrollTop = box.current.scrollHeight;
    });
    useEffect(() => {
        const speed = replay.value?.speed;
        if (speed === undefined) return;
        const begun = Date.now();
        const first = mine[replay.value?.shown ?? 0]?.at ?? 0;
        const timer = setInterval(() => {
            const present = replay.peek();
            if (!present) return;
            const until = first + (Date.now() - begun) * speed;
            let at = present.shown;
            while (at < mine.length && mine[at]!.at <= until) at += 1;
            if (at >= mine.length) replay.value = undefined;
            else if (at !== present.shown) replay.value = { ...present, shown: at };
        }, 40);
        return () => clearInterval(timer);
    }, [replay.value?.speed]);

    if (frames.length === 0)
        return (
            <Empty title={ended ? "It said nothing" : "No output yet"}>
                {problem ?? "Frames that a worker appends to the stream of its attempt appear here as they come."}
            </Empty>
        );
    return (
        <div class="output" data-frames={shown.length}>
            <div class="bar">
                <Tabs
                    label="How output is shown"
                    current={view}
                    tabs={[
                        ["text", "Text"],
                        ["frames", "Frames"],
                        ["summary", "Summary"],
                    ]}
                    choose={(to) => setQuery({ view: to === "text" ? null : to })}
                />
                {attempts > 1 && (
                    <select
                        aria-label="Attempt"
                        value={attempt ?? ""}
                        onChange={(event) => setQuery({ attempt: event.currentTarget.value || null })}
                    >
                        <option value="">all attempts</option>
                        {Array.from({ length: attempts }, (_, index) => (
                            <option key={index} value={String(index)} selected={attempt === String(index)}>
                                attempt {index + 1}
                            </option>
                        ))}
                    </select>
                )}
                <input
                    class="small"
                    type="search"
                    aria-label="Search the output"
                    placeholder="Search"
                    value={find}
                    onInput={(event) => setQuery({ find: event.currentTarget.value || null })}
                />
                <span class="muted grow" role="status">
                    {plural(shown.length, "frame")}
                    {!ended && " so far"}
                </span>
                <Button kind="quiet" pressed={follow.value} onClick={() => (follow.value = !follow.value)}>
                    Follow
                </Button>
                {replay.value ? (
                    <>
                        <select
                            aria-label="Speed"
                            onChange={(event) => (replay.value = { shown: replay.value!.shown, speed: Number(event.currentTarget.value) })}
                        >
                            {SPEEDS.map((speed) => (
                                <option key={speed} value={speed} selected={speed === replay.value?.speed}>
                                    {speed}×
                                </option>
                            ))}
                        </select>
                        <Button kind="quiet" onClick={() => (replay.value = undefined)}>
                            Stop
                        </Button>
                    </>
                ) : (
                    <Button kind="quiet" onClick={() => (replay.value = { shown: 0, speed: 1 })}>
                        Replay
                    </Button>
                )}
            </div>
            <div class="output-box" ref={box} tabIndex={0} role="log" aria-label="Output" aria-live="off">
                {view === "text" ? (
                    <TextView frames={shown} length={shown.length} find={find} />
                ) : view === "summary" ? (
                    <Summaries
                        id={id}
                        attempts={attempt === null ? Array.from({ length: attempts }, (_, at) => at) : [Number(attempt)]}
                        ended={ended}
                    />
                ) : (
                    <FrameRows frames={shown} length={shown.length} find={find} />
                )}
            </div>
        </div>
    );
}

interface Summary {
    document: unknown;
    version: number;
    last_updated_ms: number;
}

const SUMMARIES_MOST = 20;
/** Summaries change without an event of their own. */
const SUMMARY_AGAIN_MS = 2_000;

/** The document that a worker keeps up to date beside its frames, of each attempt that has one. */
function Summaries({ id, attempts, ended }: { id: string; attempts: readonly number[]; ended: boolean }): JSX.Element {
    const load = useLoad(
        `summaries ${id} ${attempts.join()}`,
        (abort) =>
            Promise.all(
                attempts.slice(-SUMMARIES_MOST).map(async (attempt) => ({
                    attempt,
                    summary: await getOrNull<Summary>(executionPath(id, `/attempts/${attempt}/summary`), abort),
                })),
            ),
        (event) => event.execution_id === id,
        () => (ended ? undefined : SUMMARY_AGAIN_MS),
    );
    if (load.error) return <Problem error={load.error} retry={load.reload} />;
    if (!load.data) return <Skeleton rows={3} />;
    const found = load.data.filter((one) => one.summary && one.summary.document !== null);
    if (found.length === 0)
        return <Empty title="No summary">A worker that appends frames with “summary” as their mode keeps a document here.</Empty>;
    return (
        <>
            {found.map(({ attempt, summary }) => (
                <div key={attempt} class="summary">
                    <p class="attempt-line">
                        attempt {attempt + 1}, version {count(summary!.version)}, <Time at={summary!.last_updated_ms} />
                    </p>
                    <Tree value={summary!.document} open />
                </div>
            ))}
        </>
    );
}

/** A page that lays out more takes long to open; what is older is shown when it is asked for. */
const TEXT_MOST = 100_000;

/** `length` tells that the list has grown, which stays the same list. */
function TextView({ frames, find }: { frames: readonly Frame[]; length: number; find: string }): JSX.Element {
    const all = useSignal(false);
    let start = 0;
    if (!all.value && find === "")
        for (let room = TEXT_MOST, at = frames.length; at > 0 && room > 0; at -= 1) {
            room -= frames[at - 1]!.text.length;
            start = at - 1;
        }
    const groups: { attempt: number; text: string }[] = [];
    let pieces: string[] = [];
    let current = frames[start]?.attempt ?? 0;
    for (let at = start; at < frames.length; at += 1) {
        const frame = frames[at]!;
        if (frame.attempt !== current) {
            groups.push({ attempt: current, text: pieces.join("") });
            pieces = [];
            current = frame.attempt;
        }
        pieces.push(frame.type === "token" || frame.type === "delta" ? frame.text : `${frame.text}\n`);
    }
    groups.push({ attempt: current, text: pieces.join("") });
    return (
        <>
            {start > 0 && (
                <p class="attempt-line">
                    <Button kind="quiet" onClick={() => (all.value = true)}>
                        Show {plural(start, "frame")} before these
                    </Button>
                </p>
            )}
            {groups.map((group) => (
                <div key={group.attempt}>
                    {groups.length > 1 && <p class="attempt-line">attempt {group.attempt + 1}</p>}
                    <pre>
                        <Marked text={group.text} find={find} />
                    </pre>
                </div>
            ))}
        </>
    );
}

function FrameRows({ frames, find }: { frames: readonly Frame[]; length: number; find: string }): JSX.Element {
    const rows = find === "" ? frames : frames.filter((frame) => frame.text.toLowerCase().includes(find.toLowerCase()));
    return (
        <table class="frames">
            <tbody>
                {rows.length > ROWS_MOST && (
                    <tr>
                        <td class="muted" colSpan={3}>
                            {count(rows.length - ROWS_MOST)} frames before these; search narrows them down
                        </td>
                    </tr>
                )}
                {rows.slice(-ROWS_MOST).map((frame) => (
                    <tr key={`${frame.attempt}:${frame.id}`}>
                        <td class="muted">{clockTime(frame.at, zone.value)}</td>
                        <td class="muted">{frame.type}</td>
                        <td class="frame-text">
                            <Marked text={frame.text} find={find} />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
