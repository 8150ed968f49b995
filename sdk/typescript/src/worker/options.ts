import { type Duration, toMs } from '../client/duration.js';
import { ConfigError } from '../client/errors.js';
import type { ExecutionPolicy, RetryPolicy, Tags } from '../client/models.js';
import { budgetId } from './identity.js';

/** How long the engine waits before an attempt follows a failed one; made by {@link exponential} and {@link fixed}. */
export type Backoff = NonNullable<RetryPolicy['backoff']>;

/** Pauses that grow: `initial`, then times `multiplier` (2) for each failure, at most `max` (1m), with jitter. */
export function exponential(
  initial: Duration,
  options: { max?: Duration; multiplier?: number; jitter?: boolean } = {},
): Backoff {
  return {
    type: 'exponential',
    initial_delay_ms: toMs(initial),
    max_delay_ms: toMs(options.max ?? '1m'),
    multiplier: options.multiplier ?? 2,
    jitter: options.jitter ?? true,
  };
}

/** The same pause before each attempt. */
export function fixed(delay: Duration): Backoff {
  return { type: 'fixed', delay_ms: toMs(delay) };
}

/** How often a task is tried. */
export interface Retry {
  /** In all, the first one included. */
  attempts: number;
  backoff?: Backoff;
  /** Retry only failures of these categories. */
  only?: string[];
}

/** What a task, or one submission of it, asks of the engine. What is not set is left to the lane and the server. */
export interface ExecutionOptions {
  lane?: string;
  retry?: Retry;
  /** For how long one attempt may run. */
  timeout?: Duration;
  /** For how long the execution may take in all. */
  deadline?: Duration;
  /** 0 to 9000; higher goes first. */
  priority?: number;
  /** What a worker must be able to do. */
  capabilities?: string[];
  /** Budgets by name or id. */
  budget?: string | string[];
  /** Id of a quota. */
  quota?: string;
  /** How long it is kept after its end. */
  retention?: Duration;
  tags?: Tags;
  namespace?: string;
  /** Members of the engine's policy as they are. */
  policy?: ExecutionPolicy;
}

/** `above` where it says something, `below` elsewhere. */
export function layered<T extends ExecutionOptions>(above: T, below: ExecutionOptions): T {
  const merged = { ...below } as T;
  for (const [name, value] of Object.entries(above)) {
    if (value !== undefined) (merged as Record<string, unknown>)[name] = value;
  }
  if (above.tags && below.tags) merged.tags = { ...below.tags, ...above.tags };
  return merged;
}

function retryPolicy(retry: Retry): RetryPolicy {
  if (!(retry.attempts >= 1)) throw new ConfigError('retry.attempts counts the first attempt too, so it is at least 1');
  const policy: RetryPolicy = { max_retries: retry.attempts - 1 };
  if (retry.backoff) policy.backoff = retry.backoff;
  if (retry.only?.length) policy.retryable_categories = retry.only;
  return policy;
}

/** The engine's policy for these options; undefined when they ask for nothing. */
export function enginePolicy(options: ExecutionOptions): ExecutionPolicy | undefined {
  const policy: ExecutionPolicy = { ...options.policy };
  if (options.retry) policy.retry_policy = retryPolicy(options.retry);
  const timeouts = { ...policy.timeout_policy };
  if (options.timeout !== undefined) timeouts.attempt_timeout_ms = toMs(options.timeout);
  if (options.deadline !== undefined) timeouts.execution_deadline_ms = toMs(options.deadline);
  if (Object.keys(timeouts).length > 0) policy.timeout_policy = timeouts;
  if (options.capabilities?.length) policy.routing_requirements = { required_capabilities: options.capabilities };
  const budgets = typeof options.budget === 'string' ? [options.budget] : options.budget;
  if (budgets?.length) policy.budget_ids = budgets.map(budgetId);
  if (options.quota) policy.quota_policy_id = options.quota;
  if (options.retention !== undefined) policy.retention_ms = toMs(options.retention);
  return Object.keys(policy).length > 0 ? policy : undefined;
}
