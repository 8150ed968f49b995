import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { words } from "../lib/format";
import { href, place, setQuery } from "../lib/router";
import { duration } from "../lib/time";
import { ticks, type Waterfall } from "../lib/waterfall";
import { StateIcon } from "./state";
import { Button } from "./ui";

const BRUSH_LEAST = 0.01;

/** Drag over it to look closer; the part that is looked at stands in the address. */
export function WaterfallView({ data, now }: { data: Waterfall; now: number }): JSX.Element {
    const whole = { from: data.from, to: data.running ? Math.max(data.to, now) : data.to };
    const asked = place.value.query.get("t")?.split("-").map(Number);
    const view = asked?.length === 2 && asked.every(Number.isFinite) ? { from: data.from + asked[0]!, to: data.from + asked[1]! } : whole;
    const span = Math.max(1, view.to - view.from);
    const track = useRef<HTMLDivElement>(null);
    const brush = useSignal<{ a: number; b: number } | undefined>(undefined);
    const at = (time: number): number => ((time - view.from) / span) * 100;
    const share = (event: PointerEvent): number => {
        const box = track.current!.getBoundingClientRect();
        return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    };
    const kinds = new Set(data.rows.flatMap((row) => row.bars.map((bar) => bar.kind)));
    return (
        <div class="waterfall">
            <div class="wf-labels">
                <div class="wf-axis">
                    {view !== whole && (
                        <Button kind="quiet" onClick={() => setQuery({ t: null })}>
                            All
                        </Button>
                    )}
                </div>
                {data.rows.map((row, index) => (
                    <div key={index} class={row.inner ? "wf-label inner" : "wf-label"} title={`${row.label}: ${words(row.state)}`}>
                        <StateIcon state={row.state} />
                        {row.child ? <a href={href(["executions", row.child])}>{row.label}</a> : <span>{row.label}</span>}
                        <small class="muted">{row.detail}</small>
                    </div>
                ))}
            </div>
            <div
                class="wf-track"
                ref={track}
                onPointerDown={(event) => {
                    track.current!.setPointerCapture(event.pointerId);
                    brush.value = { a: share(event), b: share(event) };
                }}
                onPointerMove={(event) => {
                    if (brush.value) brush.value = { ...brush.value, b: share(event) };
                }}
                onPointerUp={() => {
                    const drawn = brush.value;
                    brush.value = undefined;
                    if (!drawn || Math.abs(drawn.a - drawn.b) < BRUSH_LEAST) return;
                    const [from, to] = [Math.min(drawn.a, drawn.b), Math.max(drawn.a, drawn.b)];
                    const start = view.from - data.from;
                    setQuery({ t: `${Math.round(start + from * span)}-${Math.round(start + to * span)}` });
                }}
                onDblClick={() => setQuery({ t: null })}
            >
                <div class="wf-axis">
                    {ticks(span).map((offset) => (
                        <span key={offset} style={{ left: `${(offset / span) * 100}%` }}>
                            {offset === 0 && view.from === data.from ? "0" : `+${duration(view.from - data.from + offset)}`}
                        </span>
                    ))}
                </div>
                {data.rows.map((row, at_row) => (
                    <div key={at_row} class="wf-row">
                        {row.bars.map((bar, index) => {
                            const end = bar.to ?? Math.max(now, bar.from);
                            const left = Math.max(0, at(bar.from));
                            const right = Math.min(100, at(end));
                            if (right < 0 || left > 100) return null;
                            const text = `${bar.label}: ${duration(end - bar.from)}${bar.to === undefined && data.running ? " so far" : ""}`;
                            return (
                                <div
                                    key={index}
                                    class={`wf-bar ${bar.kind}${bar.to === undefined && data.running ? " open" : ""}`}
                                    title={text}
                                    style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
                                >
                                    <span>{duration(end - bar.from)}</span>
                                </div>
                            );
                        })}
                        {row.marks.map((mark, index) => (
                            <i key={index} class="wf-mark" title={mark.label} style={{ left: `${at(mark.at)}%` }} />
                        ))}
                    </div>
                ))}
                {brush.value && (
                    <div
                        class="wf-brush"
                        style={{
                            left: `${Math.min(brush.value.a, brush.value.b) * 100}%`,
                            width: `${Math.abs(brush.value.a - brush.value.b) * 100}%`,
                        }}
                    />
                )}
            </div>
            <ul class="wf-legend" aria-label="Legend">
                {(["queued", "leased", "suspended", "delayed", "lost", "step"] as const)
                    .filter((kind) => kind !== "step" || kinds.has(kind))
                    .map((kind) => (
                        <li key={kind}>
                            <i class={`wf-bar ${kind}`} aria-hidden="true" />
                            {kind === "lost" ? "lease lost" : kind}
                        </li>
                    ))}
            </ul>
        </div>
    );
}
