import { backoffMs, pause } from '../client/backoff.js';
import type { Client } from '../client/client.js';
import type { RegisterWorker } from '../client/models.js';
import { isRetryable } from '../client/transport.js';
import { type Lease, leaseEnded } from './lease.js';
import type { WorkerLog } from './log.js';

const LEASES_MOST = 256;
const REGISTRATION_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;

/** Who this worker is. */
export interface Identity {
  readonly workerId: string;
  readonly instanceId: string;
  readonly namespace: string | undefined;
  readonly registration: RegisterWorker;
}

/** Keeps all leases of a worker alive with one request for 256 of them, and the worker in the registry. */
export class Renewer {
  readonly #stop = new AbortController();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly who: Identity,
    private readonly held: ReadonlyMap<string, Lease>,
    private readonly leaseTtlMs: number,
    private readonly log: WorkerLog,
  ) {}

  start(): void {
    this.#loops = Promise.all([this.#renewals(), this.#presence()]);
  }

  /** Ends renewing and takes the worker out of the registry. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loops;
    const { workerId, instanceId, registration } = this.who;
    try {
      await this.client.workers.deregister(workerId, instanceId, registration.namespace, { reason: 'stopped' });
    } catch (error) {
      // The registration runs out by itself.
      this.log({ level: 'debug', event: 'deregister_failed', error: String(error) });
    }
  }

  async #renewals(): Promise<void> {
    const every = this.leaseTtlMs / 3;
    while (!this.#stop.signal.aborted) {
      await pause(every, this.#stop.signal);
      await this.#renewAll();
    }
  }

  async #renewAll(): Promise<void> {
    const leases = [...this.held.values()].filter(lease => !lease.lost);
    const rounds: Promise<void>[] = [];
    for (let at = 0; at < leases.length; at += LEASES_MOST)
      rounds.push(this.#renew(leases.slice(at, at + LEASES_MOST)));
    await Promise.all(rounds);
  }

  async #renew(leases: Lease[]): Promise<void> {
    const request = {
      worker_instance_id: this.who.instanceId,
      ...(this.who.namespace ? { namespace: this.who.namespace } : {}),
      lease_ttl_ms: this.leaseTtlMs,
      leases: leases.map(({ task }) => ({ execution_id: task.execution_id, task_token: task.task_token })),
    };
    try {
      const results = await this.client.tasks.renew(this.who.workerId, request, { signal: this.#stop.signal });
      leases.forEach((lease, at) => {
        const result = results[at];
        if (result?.status === 'renewed') lease.renewed();
        else if (result?.status === 'error' && 'code' in result && leaseEnded(result.code))
          this.#lost(lease, result.code);
      });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.log({ level: 'warn', event: 'renewal_failed', leases: leases.length, error: String(error) });
      for (const lease of leases) if (Date.now() > lease.expiresAt) this.#lost(lease, 'lease_expired');
    }
  }

  #lost(lease: Lease, code: string): void {
    // Given back while the request was under way.
    if (this.held.get(lease.executionId) !== lease) return;
    this.log({ level: 'warn', event: 'lease_lost', execution: lease.executionId, code });
    lease.lose(code);
  }

  // Claiming needs no registration, so it is never waited for.
  async #presence(): Promise<void> {
    const { workerId, instanceId, registration } = this.who;
    let failures = 0;
    let registered = false;
    while (!this.#stop.signal.aborted) {
      try {
        if (!registered)
          await this.client.workers.register(workerId, instanceId, { ...registration, ttl_ms: REGISTRATION_MS });
        const { namespace, boot_id } = registration;
        const answer: { status: string } = registered
          ? await this.client.workers.heartbeat(workerId, instanceId, { namespace, ...(boot_id ? { boot_id } : {}) })
          : { status: 'registered' };
        registered = answer.status !== 'not_registered';
        failures = 0;
        if (registered) await pause(REGISTRATION_MS / 3, this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        registered = false;
        this.log({ level: 'warn', event: 'registration_failed', error: String(error) });
        await pause(
          isRetryable(error) ? backoffMs(failures, FIRST_PAUSE_MS, MOST_PAUSE_MS) : REGISTRATION_MS,
          this.#stop.signal,
        );
        failures += 1;
      }
    }
  }
}
