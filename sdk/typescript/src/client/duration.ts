import { ConfigError } from './errors.js';

/** A span of time: `"500ms"`, `"30s"`, `"10m"`, `"2h"`, `"3d"`, `"1h30m"`, or a number of milliseconds. */
export type Duration = string | number;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|[smhdw])/g;

/** The duration in whole milliseconds. Refuses what is negative or no duration. */
export function toMs(value: Duration): number {
  let ms: number;
  if (typeof value === 'number') {
    ms = value;
  } else {
    const text = value.trim().toLowerCase();
    if (!WHOLE.test(text)) {
      throw new ConfigError(`"${value}" is not a duration; write for example 500ms, 30s, 10m, 2h, 3d or 1h30m`);
    }
    ms = 0;
    for (const [, count, unit] of text.matchAll(PART)) ms += Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER))
    throw new ConfigError(`${value} is not a duration that can be waited for`);
  return Math.round(ms);
}
