const STEPS: readonly [number, string][] = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
];

/** `2 h 5 min`, `840 ms`: two units at most. */
export function duration(ms: number): string {
    const whole = Math.max(0, Math.round(ms));
    if (whole < 1_000) return `${whole} ms`;
    if (whole < 10_000) return `${(whole / 1_000).toFixed(1)} s`;
    for (let i = 0; i < STEPS.length; i += 1) {
        const [size, unit] = STEPS[i]!;
        if (whole < size) continue;
        const first = Math.floor(whole / size);
        const next = STEPS[i + 1];
        const rest = next === undefined ? 0 : Math.floor((whole % size) / next[0]);
        return rest === 0 || next === undefined ? `${first} ${unit}` : `${first} ${unit} ${rest} ${next[1]}`;
    }
    return `${whole} ms`;
}

/** `12 s ago`, `in 4 min`; one unit, since it is read at a glance. */
export function relative(at: number, now: number): string {
    const away = Math.abs(now - at);
    if (away < 1_000) return "now";
    const [size, unit] = STEPS.find(([step]) => away >= step)!;
    const text = `${Math.floor(away / size)} ${unit}`;
    return at > now ? `in ${text}` : `${text} ago`;
}

export type Zone = "local" | "utc";

export function exact(at: number, zone: Zone): string {
    const text = new Date(zone === "utc" ? at : at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
    return `${text.slice(0, 10)} ${text.slice(11, 23)}${zone === "utc" ? " UTC" : ""}`;
}

export function clockTime(at: number, zone: Zone): string {
    return exact(at, zone).slice(11, 19);
}
