import { get } from "./api";
import { FINAL_STATES, type Filter, INDEXED_STATES } from "./filter";
import type { Lane, Listed } from "./types";

interface Page {
    executions: Listed[];
    next_cursor: string | null;
}

interface Source {
    path: string;
    cursor: string | undefined;
    done: boolean;
    ahead: Listed[];
}

const PAGE = 100;
/** Pages read for one screenful where the rest of a filter is applied here. */
const READS_MOST = 8;

/** Whether it is read from the index of a state, lane by lane. */
function isIndexed({ state, tag }: Filter): boolean {
    return tag === undefined && (INDEXED_STATES as readonly string[]).includes(state ?? "");
}

/** What has to be asked: the newest first, or the index of a state in each lane. */
export function plan(filter: Filter, lanes: readonly string[]): { paths: string[]; keep: (one: Listed) => boolean } {
    const final = (FINAL_STATES as readonly string[]).includes(filter.state ?? "");
    const state = final ? "terminal" : filter.state;
    // Tags are looked up in one namespace.
    const namespace = filter.namespace ?? (filter.tag === undefined ? undefined : "default");
    const keep = (one: Listed): boolean =>
        (!final || one.public_state === filter.state) &&
        (filter.kind === undefined || one.execution_kind === filter.kind) &&
        (namespace === undefined || one.namespace === namespace);
    if (isIndexed(filter)) {
        const wanted = filter.lane === undefined ? lanes : [filter.lane];
        return { paths: wanted.map((lane) => query({ lane, state })), keep };
    }
    const order = namespace === undefined ? "newest" : undefined;
    return { paths: [query({ order, namespace, state, lane: filter.lane, tag: filter.tag })], keep };
}

function query(parts: Record<string, string | undefined>): string {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(parts)) if (value !== undefined) params.set(name, value);
    return `/v1/executions?${params.toString()}`;
}

/** Reads a listing piece by piece, newest first, from as many indexes as it takes. */
export class Listing {
    readonly #sources: Source[];
    readonly #keep: (one: Listed) => boolean;
    readonly #seen = new Set<string>();

    constructor(filter: Filter, lanes: readonly string[]) {
        const { paths, keep } = plan(filter, lanes);
        this.#keep = keep;
        this.#sources = paths.map((path) => ({ path, cursor: undefined, done: false, ahead: [] }));
    }

    get done(): boolean {
        return this.#sources.every((source) => source.done && source.ahead.length === 0);
    }

    async next(abort: AbortSignal): Promise<Listed[]> {
        for (let read = 0; read < READS_MOST; read += 1) {
            const open = this.#sources.filter((source) => !source.done && source.ahead.length === 0);
            await Promise.all(open.map((source) => this.#fill(source, abort)));
            const have = this.#sources.reduce((sum, source) => sum + source.ahead.length, 0);
            if (have > 0 || this.#sources.every((source) => source.done)) break;
        }
        const found = this.#sources.flatMap((source) => source.ahead.splice(0));
        return found.sort((a, b) => b.created_at - a.created_at);
    }

    async #fill(source: Source, abort: AbortSignal): Promise<void> {
        const cursor = source.cursor === undefined ? "" : `&cursor=${encodeURIComponent(source.cursor)}`;
        const page = await get<Page>(`${source.path}&limit=${PAGE}${cursor}`, abort);
        source.cursor = page.next_cursor ?? undefined;
        source.done = page.next_cursor === null;
        for (const one of page.executions) {
            if (!this.#keep(one) || this.#seen.has(one.execution_id)) continue;
            this.#seen.add(one.execution_id);
            source.ahead.push(one);
        }
    }
}

/** Asks for the names of the lanes only where they are needed: most lists are there one answer sooner. */
export async function openListing(filter: Filter, abort: AbortSignal): Promise<Listing> {
    const lanes = isIndexed(filter) && filter.lane === undefined ? (await get<{ lanes: Lane[] }>("/v1/lanes", abort)).lanes : [];
    return new Listing(
        filter,
        lanes.map((lane) => lane.lane_id),
    );
}
