export interface Sample {
    labels: Record<string, string>;
    value: number;
}

export type Metrics = Map<string, Sample[]>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Prometheus' text, line by line; what is no sample is passed over. */
export function parseMetrics(text: string): Metrics {
    const found: Metrics = new Map();
    for (const line of text.split("\n")) {
        const parts = LINE.exec(line);
        const value = Number(parts?.[3]);
        if (!parts || Number.isNaN(value)) continue;
        const labels: Record<string, string> = {};
        for (const [, name, content] of (parts[2] ?? "").matchAll(LABEL)) labels[name!] = content!.replace(/\\(.)/g, "$1");
        const samples = found.get(parts[1]!);
        if (samples) samples.push({ labels, value });
        else found.set(parts[1]!, [{ labels, value }]);
    }
    return found;
}

export function total(metrics: Metrics, name: string, keep: (labels: Record<string, string>) => boolean = () => true): number | undefined {
    const samples = metrics.get(name);
    return samples?.filter((sample) => keep(sample.labels)).reduce((sum, sample) => sum + sample.value, 0);
}

/** One figure for each value of a label. */
export function byLabel(metrics: Metrics, name: string, label: string): Map<string, number> {
    const found = new Map<string, number>();
    for (const { labels, value } of metrics.get(name) ?? [])
        if (labels[label] !== undefined) found.set(labels[label], (found.get(labels[label]) ?? 0) + value);
    return found;
}
