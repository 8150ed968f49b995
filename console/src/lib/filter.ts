/** The filter of the list of executions: `state:failed lane:email tag:tenant:acme`, in any order. */
export interface Filter {
    state?: string;
    lane?: string;
    namespace?: string;
    tag?: string;
    kind?: string;
}

export type FilterName = keyof Filter;
const NAMES: Record<string, FilterName> = {
    state: "state",
    lane: "lane",
    ns: "namespace",
    namespace: "namespace",
    tag: "tag",
    kind: "kind",
};
const SHORT: Record<FilterName, string> = { state: "state", lane: "lane", namespace: "ns", tag: "tag", kind: "kind" };

/** States by which the API keeps an index for each lane. */
export const INDEXED_STATES = [
    "eligible",
    "active",
    "suspended",
    "delayed",
    "blocked_dependencies",
    "blocked_budget",
    "blocked_quota",
    "blocked_route",
    "blocked_operator",
] as const;
/** Those that an execution ends in; the API lists them together. */
export const FINAL_STATES = ["completed", "failed", "cancelled", "expired", "skipped"] as const;
export const ALL_STATES: readonly string[] = [...INDEXED_STATES, "terminal", ...FINAL_STATES];

/** Words are kept together by quotes: `kind:"send mail"`. */
function tokens(line: string): string[] {
    return [...line.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map((found) => found[0].replace(/"/g, ""));
}

export function parseFilter(line: string): { filter: Filter; problems: string[] } {
    const filter: Filter = {};
    const problems: string[] = [];
    for (const token of tokens(line)) {
        const colon = token.indexOf(":");
        const name = colon < 0 ? undefined : NAMES[token.slice(0, colon)];
        const value = token.slice(colon + 1);
        if (name === undefined) problems.push(`“${token}” is no filter; there are state: lane: ns: kind: tag:key:value`);
        else if (value === "") continue;
        else if (name === "state" && !ALL_STATES.includes(value))
            problems.push(`no state is called “${value}”; there are ${ALL_STATES.join(", ")}`);
        else if (name === "tag" && !/^[^:]+:./.test(value)) problems.push(`“${token}” needs a key and a value: tag:tenant:acme`);
        else if (filter[name] !== undefined) problems.push(`${SHORT[name]}: stands there twice`);
        else filter[name] = value;
    }
    return { filter, problems };
}

export function filterText(filter: Filter): string {
    const parts: string[] = [];
    for (const name of ["state", "lane", "kind", "namespace", "tag"] as const) {
        const value = filter[name];
        if (value !== undefined) parts.push(`${SHORT[name]}:${/\s/.test(value) ? `"${value}"` : value}`);
    }
    return parts.join(" ");
}

export function chips(filter: Filter): { name: FilterName; text: string }[] {
    return (Object.keys(filter) as FilterName[]).map((name) => ({ name, text: filterText({ [name]: filter[name] }) }));
}
