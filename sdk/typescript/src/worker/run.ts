import { inspect } from 'node:util';
import { bytesFields, readBytes } from '../client/bytes.js';
import { encode, JSON_ENCODING } from '../client/codec.js';
import { toMs } from '../client/duration.js';
import { BudgetExceeded, DecodeError, Fatal, LeaseLost, Retryable, StepTypeChanged } from '../client/errors.js';
import type { NewStep } from '../client/models.js';
import { Context } from './context.js';
import type { Lease } from './lease.js';
import type { Task } from './task.js';
import type { Ending } from './waiting.js';

/** Counts failures of `Retryable` with `after`: they give the same attempt back for later, and are steps. */
const RETRY = '$retry:';
const ATTEMPTS_DEFAULT = 3;
const REASON_MOST = 4000;
const FRAMES_SHOWN = 8;

/** What ends a task: the route to call, and its body without the token. */
export type Ended =
  | Ending
  | { readonly route: 'complete'; readonly body: { result?: string; result_base64?: string; result_encoding?: string } }
  | {
      readonly route: 'fail';
      readonly body: { reason: string; category: string; no_retry?: boolean; fallback_to?: string };
    };

export type AnyTask = Task<never, unknown>;

/** Runs the handler of a task to its end; undefined when the lease was lost on the way. Never rejects. */
export async function run(task: AnyTask, lease: Lease): Promise<Ended | undefined> {
  const context = new Context(lease);
  let ended: Ended;
  try {
    const value = await handle(task, lease, context);
    ended = context.ending ?? completed(value);
  } catch (error) {
    const after = context.ending ?? (await outcome(error, task, lease, context));
    if (!after) return undefined;
    ended = after;
  }
  try {
    await context.settle();
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    // Output that could not be stored does not undo what was done.
    process.emitWarning(`frames of ${lease.executionId} were lost: ${(error as Error).message}`, 'FlowFabricWarning');
  }
  return lease.lost ? undefined : ended;
}

async function handle(task: AnyTask, lease: Lease, context: Context): Promise<unknown> {
  const { client, task: claimed } = lease;
  const id = claimed.execution_id;
  const data =
    claimed.payload_state === 'omitted'
      ? await lease.call(() => client.executions.payload(id))
      : readBytes(claimed, 'payload');
  const payload = { data, encoding: claimed.payload_encoding ?? '' };
  const input = await task.readInput(payload, name => lease.call(() => client.executions.input(id, name)));
  const { version } = task.options;
  if (version) await context.log(`${task.name} runs as version ${version}`, { level: 'debug', version });
  return task.handler(context, input);
}

function completed(value: unknown): Ended {
  const { data, encoding } = encode(value);
  return {
    route: 'complete',
    body: { ...bytesFields('result', data), ...(encoding ? { result_encoding: encoding } : {}) },
  };
}

async function outcome(error: unknown, task: AnyTask, lease: Lease, context: Context): Promise<Ended | undefined> {
  if (error instanceof LeaseLost || lease.lost) return undefined;
  const reason = reasonOf(error);
  if (error instanceof Fatal) return failed(reason, error.category, true);
  if (error instanceof StepTypeChanged) return failed(reason, 'step_type_changed', true);
  if (error instanceof DecodeError) return failed(reason, 'extractor_payload_decode', true);
  if (error instanceof BudgetExceeded) return overBudget(error, reason);
  if (error instanceof Retryable) {
    if (error.after === undefined) return failed(reason, error.category);
    try {
      return await again(error, reason, task, context);
    } catch (problem) {
      return outcome(problem, task, lease, context);
    }
  }
  return failed(reason, 'handler_error');
}

function failed(reason: string, category: string, forGood = false): Ended {
  return { route: 'fail', body: { reason, category, ...(forGood ? { no_retry: true } : {}) } };
}

function overBudget(error: BudgetExceeded, reason: string): Ended {
  if (error.action === 'suspend') {
    const resume_condition = { condition_type: 'operator_only', required_signal_names: [] };
    return { route: 'suspend', body: { reason_code: 'paused_by_budget', resume_condition, steps: [] } };
  }
  const fallback = error.action === 'reroute_fallback' ? { fallback_to: 'next' } : {};
  return { route: 'fail', body: { reason, category: 'budget_exceeded', ...fallback } };
}

// The same attempt later; the failure is counted by a step that is recorded in the call that waits.
async function again(error: Retryable, reason: string, task: AnyTask, context: Context): Promise<Ended> {
  const names = await context.recordedNames();
  const failures = names.filter(name => name.startsWith(RETRY)).length + 1;
  if (failures >= (task.options.retry?.attempts ?? ATTEMPTS_DEFAULT)) return failed(reason, error.category, true);
  const value = JSON.stringify(error.message.slice(0, 1000));
  const step: NewStep = { name: `${RETRY}${failures}`, value, encoding: JSON_ENCODING };
  return { route: 'delay', body: { delay_ms: toMs(error.after ?? 0), steps: [step] } };
}

const OURS = new URL('.', import.meta.url).href.replace(/worker\/$/, '');

/** The error, and where in the user's code it came from. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return (typeof error === 'string' ? error : inspect(error)).slice(0, REASON_MOST);
  const frames = (error.stack ?? '')
    .split('\n')
    .filter(line => /^\s+at /.test(line) && !line.includes('node:') && !line.includes(OURS))
    .slice(0, FRAMES_SHOWN);
  return [`${error.name}: ${error.message}`, ...frames.map(line => line.trim())].join('\n').slice(0, REASON_MOST);
}
