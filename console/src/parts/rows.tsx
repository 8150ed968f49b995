import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { addKeys } from "../lib/keys";
import { go } from "../lib/router";

export interface Column<T> {
    id: string;
    title: string;
    cell: (row: T) => ComponentChildren;
    /** For figures. */
    right?: boolean;
    /** Goes first where there is little room. */
    secondary?: boolean;
    /** Takes what is left of the width. */
    wide?: boolean;
}

interface RowsProps<T> {
    label: string;
    columns: readonly Column<T>[];
    rows: readonly T[];
    id: (row: T) => string;
    link?: (row: T) => string;
    more?: (() => void) | undefined;
    /** Rows can be picked, one by one, as a stretch with Shift, or all that are there. */
    picked?: Picked<T>;
}

export interface Picked<T> {
    ids: ReadonlySet<string>;
    name: (row: T) => string;
    set: (ids: ReadonlySet<string>) => void;
}

const ROW_PX = 36;
const SPARE_ROWS = 12;

/** A table of any length: only the rows on the screen are there. j and k move, Enter opens, x picks. */
export function Rows<T>({ label, columns, rows, id, link, more, picked }: RowsProps<T>): JSX.Element {
    const body = useRef<HTMLTableSectionElement>(null);
    const first = useSignal(0);
    const fit = useSignal(60);
    const focus = useRef(-1);
    const latest = useRef({ rows, link, more, picked });
    latest.current = { rows, link, more, picked };
    const pickedLast = useRef(-1);
    const pick = (at: number, stretch: boolean): void => {
        const { rows: have, picked: now } = latest.current;
        if (!now || !have[at]) return;
        const ids = new Set(now.ids);
        const on = !ids.has(id(have[at]));
        const from = stretch && pickedLast.current >= 0 ? pickedLast.current : at;
        for (let one = Math.min(from, at); one <= Math.max(from, at); one += 1) {
            const row = have[one];
            if (row && on) ids.add(id(row));
            else if (row) ids.delete(id(row));
        }
        pickedLast.current = at;
        now.set(ids);
    };

    useEffect(() => {
        const look = (): void => {
            const top = body.current?.getBoundingClientRect().top ?? 0;
            const at = Math.max(0, Math.floor(-top / ROW_PX) - SPARE_ROWS);
            if (at !== first.value) first.value = at;
            const room = Math.ceil(innerHeight / ROW_PX) + 2 * SPARE_ROWS;
            if (room !== fit.value) fit.value = room;
            const { rows: have, more: ask } = latest.current;
            if (ask && at + room >= have.length - 4) ask();
        };
        look();
        addEventListener("scroll", look, { passive: true });
        addEventListener("resize", look);
        return () => {
            removeEventListener("scroll", look);
            removeEventListener("resize", look);
        };
    }, [rows.length]);

    useEffect(() => {
        const move = (by: number) => (): void => {
            const { rows: have } = latest.current;
            if (have.length === 0) return;
            focus.current = Math.min(have.length - 1, Math.max(0, focus.current + by));
            const top = (body.current?.getBoundingClientRect().top ?? 0) + scrollY + focus.current * ROW_PX;
            if (top < scrollY + 96 || top > scrollY + innerHeight - 80) scrollTo({ top: top - innerHeight / 2 });
            requestAnimationFrame(() => {
                body.current?.querySelector<HTMLElement>(`tr[data-at="${focus.current}"] a`)?.focus({ preventScroll: true });
            });
        };
        return addKeys({
            j: { about: "next row", run: move(1) },
            k: { about: "row before", run: move(-1) },
            ...(picked ? { x: { about: "pick the row", run: () => pick(focus.current, false) } } : {}),
            enter: {
                about: "open the row",
                run: () => {
                    const { rows: have, link: to } = latest.current;
                    const row = have[focus.current];
                    if (row && to) go(to(row));
                },
            },
        });
    }, []);

    const from = Math.min(first.value, Math.max(0, rows.length - fit.value));
    const to = Math.min(rows.length, from + fit.value);
    return (
        <div class="scroll-x">
            <table class="rows" aria-label={label} aria-rowcount={rows.length}>
                <thead>
                    <tr>
                        {picked && (
                            <th class="pick" scope="col">
                                <input
                                    type="checkbox"
                                    aria-label="Pick all rows that are shown"
                                    checked={rows.length > 0 && rows.every((row) => picked.ids.has(id(row)))}
                                    onChange={(event) => picked.set(event.currentTarget.checked ? new Set(rows.map(id)) : new Set())}
                                />
                            </th>
                        )}
                        {columns.map((column) => (
                            <th key={column.id} class={cellClass(column)} scope="col">
                                {column.title}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody ref={body}>
                    {from > 0 && <tr class="spacer" style={{ height: `${from * ROW_PX}px` }} aria-hidden="true" />}
                    {rows.slice(from, to).map((row, offset) => {
                        const key = id(row);
                        return (
                            <tr
                                key={key}
                                data-at={from + offset}
                                data-id={key}
                                class={picked?.ids.has(key) ? "picked" : undefined}
                                onFocusCapture={() => (focus.current = from + offset)}
                            >
                                {picked && (
                                    <td class="pick">
                                        <input
                                            type="checkbox"
                                            aria-label={`Pick ${picked.name(row)}`}
                                            checked={picked.ids.has(key)}
                                            onClick={(event) => pick(from + offset, event.shiftKey)}
                                        />
                                    </td>
                                )}
                                {columns.map((column, at) => (
                                    <td key={column.id} class={`${cellClass(column)}${at === 0 && link ? " linked-cell" : ""}`}>
                                        {at === 0 && link ? <a href={link(row)}>{column.cell(row)}</a> : column.cell(row)}
                                    </td>
                                ))}
                            </tr>
                        );
                    })}
                    {to < rows.length && <tr class="spacer" style={{ height: `${(rows.length - to) * ROW_PX}px` }} aria-hidden="true" />}
                </tbody>
            </table>
        </div>
    );
}

function cellClass<T>(column: Column<T>): string {
    return [column.right ? "right" : "", column.secondary ? "secondary" : "", column.wide ? "wide" : ""].filter(Boolean).join(" ");
}
