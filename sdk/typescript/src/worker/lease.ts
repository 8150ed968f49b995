import { backoffMs, pause } from '../client/backoff.js';
import type { Client } from '../client/client.js';
import { ApiError, LeaseLost } from '../client/errors.js';
import type { ClaimedTask } from '../client/models.js';
import { isRetryable } from '../client/transport.js';

const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 2000;

/** Refusals that say that this worker no longer holds the task. */
const ENDED = new Set([
  'stale_lease',
  'lease_expired',
  'lease_revoked',
  'execution_not_active',
  'execution_not_found',
  'stale_owner_cannot_append',
]);

export function leaseEnded(code: string): boolean {
  return ENDED.has(code);
}

/** A task in the hands of this worker, until it is given back or lost. */
export class Lease {
  readonly #lost = new AbortController();
  /** This process's clock; renewals move it. */
  expiresAt: number;

  constructor(
    readonly client: Client,
    readonly task: ClaimedTask,
  ) {
    this.expiresAt = Date.now() + task.lease_ttl_ms;
  }

  get executionId(): string {
    return this.task.execution_id;
  }

  /** Fires when the lease was lost or revoked, the execution cancelled, or the worker is out of time to stop. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get lost(): boolean {
    return this.#lost.signal.aborted;
  }

  renewed(): void {
    this.expiresAt = Date.now() + this.task.lease_ttl_ms;
  }

  lose(why: string): void {
    if (!this.lost) this.#lost.abort(new LeaseLost(`execution ${this.executionId} is no longer ours: ${why}`));
  }

  /**
   * A request about the task that can be repeated, made again while no answer comes and the lease lasts. Neither a server
   * that is away nor the end of the lease is the handler's failure: failing would repeat the effects it could not record.
   */
  async call<T>(request: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.lost) throw this.signal.reason;
      try {
        return await request();
      } catch (error) {
        if (error instanceof ApiError && leaseEnded(error.code)) this.lose(error.message);
        else if (!isRetryable(error)) throw error;
        else if (Date.now() > this.expiresAt) this.lose('its lease ran out while the server was away');
        else await pause(backoffMs(attempt, FIRST_PAUSE_MS, MOST_PAUSE_MS), this.signal);
      }
    }
  }
}
