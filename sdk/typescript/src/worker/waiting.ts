// A wait is two steps of the execution: `$begin:<name>` is recorded in the same call that suspends, delays or calls
// children and says that the wait was begun; `$end:<name>` is its outcome, recorded by the run that finds the wait over.
// Whatever crashes between two calls, the next run sees which of the two is there. Both SDKs write the same.

import { bytesFields, readBytes } from '../client/bytes.js';
import { decode, JSON_ENCODING } from '../client/codec.js';
import { FlowFabricError } from '../client/errors.js';
import type { NewStep, SignalRecord } from '../client/models.js';

export const BEGIN = '$begin:';
export const END = '$end:';

/** How a run gives its task back. */
export type Ending =
  | { readonly route: 'delay'; readonly body: { delay_ms: number; steps: NewStep[] } }
  | { readonly route: 'suspend'; readonly body: Record<string, unknown> & { steps: NewStep[] } }
  | { readonly route: 'call-children'; readonly body: Record<string, unknown> & { steps: NewStep[] } };

/**
 * Unwinds the handler at a wait; `finally` blocks run, and what a handler returns after having caught it is not looked at.
 * Let it pass: rethrow what you do not know.
 */
export class EndOfRun extends FlowFabricError {
  constructor(
    readonly what: string,
    readonly ending: Ending,
  ) {
    super(`this run ends at ${what}; the execution goes on when the wait is over`);
  }
}

/** The step that says that a wait was begun. */
export function beginStep(name: string, value: unknown): NewStep {
  return { name: BEGIN + name, value: JSON.stringify(value), encoding: JSON_ENCODING };
}

/** A signal as the outcome of a wait keeps it. */
export interface KeptSignal {
  name: string;
  by: string;
  category: string;
  accepted_at: number;
  signal_id: string;
  payload?: string;
  payload_base64?: string;
}

/** What the outcome of a wait keeps. */
export type KeptOutcome = { timed_out: true } | { timed_out?: undefined; signals: KeptSignal[] };

export function keepSignal(record: SignalRecord): KeptSignal {
  return {
    name: record.signal_name,
    by: record.source_identity,
    category: record.signal_category,
    accepted_at: record.accepted_at,
    signal_id: record.signal_id,
    ...bytesFields('payload', readBytes(record, 'payload')),
  };
}

/** What somebody sent to a wait. */
export interface Signal<T = unknown> {
  readonly name: string;
  readonly by: string;
  readonly category: string;
  readonly at: number;
  readonly signalId: string;
  /** The payload: the value where it is JSON, else text or bytes. */
  readonly data: T;
}

export function readSignal(kept: KeptSignal): Signal {
  return {
    name: kept.name,
    by: kept.by,
    category: kept.category,
    at: kept.accepted_at,
    signalId: kept.signal_id,
    data: decode({ data: readBytes(kept, 'payload'), encoding: '' }),
  };
}

/** The answer to an approval. */
export interface Decision<T = unknown> {
  readonly approved: boolean;
  readonly by: string;
  /** What came with it: a comment, or the filled form. */
  readonly data: T;
  readonly at: number;
  readonly timedOut: boolean;
}
