export function count(value: number): string {
    return Math.round(value).toLocaleString("en-US").replace(/,/g, "\u202f");
}

/** `12.4 k`, for places with little room. */
export function short(value: number): string {
    if (value < 10_000) return count(value);
    if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)} k`;
    return `${(value / 1_000_000).toFixed(1)} M`;
}

export function bytes(value: number): string {
    if (value < 1_024) return `${value} B`;
    if (value < 1_048_576) return `${(value / 1_024).toFixed(1)} KiB`;
    if (value < 1_073_741_824) return `${(value / 1_048_576).toFixed(1)} MiB`;
    return `${(value / 1_073_741_824).toFixed(2)} GiB`;
}

/** The part of an id that people tell apart by. */
export function shortId(id: string): string {
    return id.replace(/^\{[^}]*\}:/, "").slice(-12);
}

/** `blocked_by_route` as people read it. */
export function words(name: string): string {
    return name.replace(/_/g, " ");
}

export function plural(n: number, one: string, many = `${one}s`): string {
    return `${count(n)} ${n === 1 ? one : many}`;
}
