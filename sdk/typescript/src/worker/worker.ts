import { hostname } from 'node:os';
import { backoffMs, pause } from '../client/backoff.js';
import type { Client } from '../client/client.js';
import { type Duration, toMs } from '../client/duration.js';
import { ApiError, ConfigError } from '../client/errors.js';
import type { Claimed, ClaimedTask, ClaimTasks, Completion } from '../client/models.js';
import { isRetryable } from '../client/transport.js';
import { uuid } from '../client/uuid.js';
import { giveBack } from './ending.js';
import { Lease, leaseEnded } from './lease.js';
import { logToStderr, type WorkerLog } from './log.js';
import { Renewer } from './renewer.js';
import { type AnyTask, type Ended, run } from './run.js';

const BATCH_MOST = 256;
const KINDS_MOST = 64;
const LOOPS = 2;
// Larger results are handed in on their own.
const BATCHED_RESULT_MOST = 64 * 1024;
const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;
const LAST_LOOK_MS = 2000;

/** How a worker works. */
export interface WorkerOptions {
  /** The name that all workers of this kind share (`node`). */
  workerId?: string;
  /** The name of this one; made up of host, process and chance. */
  instanceId?: string;
  /** Default: those of the tasks. */
  lanes?: string[];
  /** How many tasks it holds at most (100). */
  concurrency?: number;
  capabilities?: string[];
  /** Only executions of this namespace. */
  namespace?: string;
  leaseTtl?: Duration;
  /** For how long one claim waits for work (20s). */
  poll?: Duration;
  /** For how long handlers may go on after `stop` (25s); what is left is given back. */
  drain?: Duration;
  log?: WorkerLog;
}

interface Finished {
  readonly lease: Lease;
  readonly ended: Extract<Ended, { route: 'complete' }>;
}

/** Runs the tasks of an application until it is stopped. */
export class Worker {
  readonly instanceId: string;
  readonly workerId: string;
  readonly lanes: string[];
  readonly #held = new Map<string, Lease>();
  readonly #concurrency: number;
  readonly #leaseTtlMs: number;
  readonly #pollMs: number;
  readonly #drainMs: number;
  readonly #log: WorkerLog;
  readonly #renewer: Renewer;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #finished: Finished[] = [];
  #asked = 0;
  #polling = false;
  #strangers = 0;
  #asksForKinds: boolean;
  #wakers: (() => void)[] = [];
  #done: Promise<void> | undefined;

  constructor(
    private readonly client: Client,
    private readonly tasks: ReadonlyMap<string, AnyTask>,
    private readonly options: WorkerOptions = {},
  ) {
    if (tasks.size === 0) throw new ConfigError('the worker has no tasks; import the modules that define them');
    this.#concurrency = options.concurrency ?? 100;
    if (!(this.#concurrency >= 1)) throw new ConfigError('concurrency is at least 1');
    this.workerId = options.workerId ?? 'node';
    this.instanceId = options.instanceId ?? `${hostname()}-${process.pid}-${uuid().slice(0, 8)}`;
    this.lanes = options.lanes ?? [...new Set([...tasks.values()].map(task => task.options.lane ?? 'default'))].sort();
    this.#leaseTtlMs = toMs(options.leaseTtl ?? '30s');
    this.#pollMs = Math.min(30_000, toMs(options.poll ?? '20s'));
    this.#drainMs = toMs(options.drain ?? '25s');
    this.#log = options.log ?? logToStderr;
    const registration = {
      namespace: options.namespace ?? 'default',
      lanes: this.lanes,
      capabilities: options.capabilities ?? [],
      boot_id: uuid(),
      max_tasks: this.#concurrency,
    };
    const who = { workerId: this.workerId, instanceId: this.instanceId, namespace: options.namespace, registration };
    // More cannot be asked for: then what has no handler here goes back unbegun.
    this.#asksForKinds = tasks.size <= KINDS_MOST;
    this.#renewer = new Renewer(client, who, this.#held, this.#leaseTtlMs, this.#log);
  }

  /** How many tasks it holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Works until {@link stop}; rejects with what no waiting can help, such as a wrong API token. */
  run(): Promise<void> {
    this.#done ??= this.#work();
    return this.#done;
  }

  /** Claims nothing any more, lets handlers end within `drain`, gives the rest back, and resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#done;
  }

  async #work(): Promise<void> {
    this.#renewer.start();
    this.#log({
      level: 'info',
      event: 'working',
      instance: this.instanceId,
      lanes: this.lanes,
      kinds: [...this.tasks.keys()],
    });
    try {
      await Promise.all(Array.from({ length: LOOPS }, () => this.#loop()));
    } finally {
      this.#stopping.abort();
      this.#wake();
      await this.#renewer.stop();
    }
  }

  // Both loops hand in what has finished and claim for the slots that frees, so that one batch is worked on while
  // another is under way; with nothing to hand in, one of them waits for work at the server.
  async #loop(): Promise<void> {
    try {
      while (!this.#stopping.signal.aborted) {
        const batch = this.#finished.splice(0, BATCH_MOST);
        if (batch.length > 0) await this.#turn(batch);
        else if (!this.#polling && this.#free() > 0) await this.#poll();
        else await this.#news();
      }
      await this.#drain();
    } catch (error) {
      // The other loop has nothing to wait for any more.
      this.#stopping.abort();
      this.#wake();
      throw error;
    }
  }

  #free(): number {
    return this.#concurrency - this.#held.size - this.#asked;
  }

  #news(): Promise<void> {
    return new Promise(resolve => {
      this.#wakers.push(resolve);
    });
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const wake of wakers) wake();
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    try {
      await this.#take(await this.#claim(Math.min(BATCH_MOST, this.#free()), [], this.#pollMs));
    } finally {
      this.#polling = false;
      this.#wake();
    }
  }

  async #turn(batch: Finished[]): Promise<void> {
    // Their slots are free as soon as the server has them.
    const most =
      this.#stopping.signal.aborted || this.#strangers > 0 ? 0 : Math.min(BATCH_MOST, this.#free() + batch.length);
    const completions = batch.map(({ lease, ended }): Completion => {
      return { execution_id: lease.executionId, task_token: lease.task.task_token, ...ended.body };
    });
    const answer = await this.#claim(Math.max(0, most), completions, 0);
    const results = answer?.results ?? [];
    batch.forEach(({ lease, ended }, at) => {
      const result = results[at];
      if (result?.status === 'completed') this.#drop(lease);
      else if (result && 'code' in result && leaseEnded(result.code)) this.#lost(lease, result.code);
      else this.#start(this.#giveBack(lease, ended));
    });
    this.#wake();
    await this.#take(answer);
  }

  // Until an answer comes: the same claim_id brings the same tasks, and completions can be repeated.
  async #claim(most: number, completions: Completion[], waitMs: number): Promise<Claimed | undefined> {
    const claimId = uuid();
    this.#asked += most;
    try {
      for (let attempt = 0; ; attempt += 1) {
        const last = this.#stopping.signal.aborted;
        try {
          const request = this.#request(claimId, most, completions, attempt > 0 ? 0 : waitMs, attempt === 0);
          const signal = waitMs > 0 && attempt === 0 ? { signal: this.#stopping.signal } : {};
          return await this.client.tasks.claim(this.workerId, request, { attempts: 1, ...signal });
        } catch (error) {
          if (this.#mayGoWithoutKinds(error)) continue;
          if (last && completions.length === 0) return undefined;
          if (!isRetryable(error)) throw error;
          if (this.#stopping.signal.aborted) {
            // What the cut-off claim may have got is asked for once more, to be given back.
            if (attempt >= 5) return undefined;
          } else {
            this.#log({ level: 'warn', event: 'claim_failed', error: String(error) });
          }
          await pause(
            backoffMs(attempt, FIRST_PAUSE_MS, MOST_PAUSE_MS),
            completions.length > 0 ? undefined : this.#stopping.signal,
          );
        }
      }
    } finally {
      this.#asked -= most;
    }
  }

  #request(claimId: string, most: number, completions: Completion[], waitMs: number, first: boolean): ClaimTasks {
    return {
      worker_instance_id: this.instanceId,
      lanes: this.lanes,
      max_tasks: most,
      lease_ttl_ms: this.#leaseTtlMs,
      claim_id: claimId,
      ...(waitMs > 0 ? { wait_ms: waitMs } : {}),
      ...(first ? { first_try: true } : {}),
      ...(this.options.namespace ? { namespace: this.options.namespace } : {}),
      ...(this.options.capabilities?.length ? { capabilities: this.options.capabilities } : {}),
      ...(this.#asksForKinds ? { kinds: [...this.tasks.keys()] } : {}),
      ...(completions.length > 0 ? { completions } : {}),
    };
  }

  // An older server gives whatever the lane holds; kinds without a handler go back unbegun.
  #mayGoWithoutKinds(error: unknown): boolean {
    if (!this.#asksForKinds || !(error instanceof ApiError) || !error.refusesField('kinds')) return false;
    this.#asksForKinds = false;
    return true;
  }

  async #take(answer: Claimed | undefined): Promise<void> {
    const strangers: ClaimedTask[] = [];
    let begun = 0;
    for (const claimed of answer?.tasks ?? []) {
      // A claim that was sent again brought it twice.
      if (this.#held.get(claimed.execution_id)?.task.lease_id === claimed.lease_id) continue;
      const task = this.tasks.get(claimed.execution_kind);
      if (!task || this.#stopping.signal.aborted) {
        strangers.push(claimed);
        continue;
      }
      const lease = new Lease(this.client, claimed);
      this.#held.set(lease.executionId, lease);
      this.#start(this.#execute(task, lease));
      begun += 1;
    }
    if (strangers.length > 0) await this.#release(strangers);
    else if (begun > 0) this.#strangers = 0;
    // Quick handlers end before the next turn and travel with it.
    if (begun > 0) await new Promise(resolve => setImmediate(resolve));
  }

  async #release(strangers: ClaimedTask[]): Promise<void> {
    const released = strangers.map(async ({ execution_id, task_token }) => {
      try {
        await this.client.tasks.release(execution_id, { task_token, unbegun: true });
      } catch (error) {
        this.#log({ level: 'warn', event: 'release_failed', execution: execution_id, error: String(error) });
      }
    });
    await Promise.all(released);
    if (this.#stopping.signal.aborted) return;
    // They come back to whoever asks first, so the one who cannot do them asks more and more rarely.
    const kinds = [...new Set(strangers.map(task => task.execution_kind))];
    this.#log({ level: 'warn', event: 'kinds_without_handler', kinds, released: strangers.length });
    await pause(backoffMs(this.#strangers, FIRST_PAUSE_MS, MOST_PAUSE_MS), this.#stopping.signal);
    this.#strangers += 1;
  }

  #start(work: Promise<void>): void {
    this.#running.add(work);
    work.finally(() => this.#running.delete(work));
  }

  async #execute(task: AnyTask, lease: Lease): Promise<void> {
    const ended = await run(task, lease);
    if (!ended) {
      this.#drop(lease);
    } else if (ended.route === 'complete' && sizeOf(ended.body) <= BATCHED_RESULT_MOST) {
      this.#finished.push({ lease, ended });
      this.#wake();
    } else {
      await this.#giveBack(lease, ended, task);
    }
  }

  async #giveBack(lease: Lease, ended: Ended, task?: AnyTask): Promise<void> {
    try {
      const given = await giveBack(lease, ended);
      if (given === 'held' && task) {
        // The wait was over before it began.
        const steps = [...(lease.task.steps ?? []), ...('steps' in ended.body ? ended.body.steps : [])];
        lease.task.steps = steps;
        await this.#execute(task, lease);
        return;
      }
    } catch (error) {
      this.#log({
        level: 'error',
        event: 'task_not_ended',
        execution: lease.executionId,
        route: ended.route,
        error: String(error),
      });
    }
    this.#drop(lease);
  }

  #lost(lease: Lease, code: string): void {
    this.#log({ level: 'warn', event: 'completion_refused', execution: lease.executionId, code });
    lease.lose(code);
    this.#drop(lease);
  }

  #drop(lease: Lease): void {
    if (this.#held.get(lease.executionId) === lease) this.#held.delete(lease.executionId);
    this.#wake();
  }

  async #drain(): Promise<void> {
    const over = Date.now() + this.#drainMs;
    while (this.#held.size > 0 && Date.now() < over) {
      const batch = this.#finished.splice(0, BATCH_MOST);
      if (batch.length > 0) await this.#turn(batch);
      else await Promise.race([this.#news(), pause(Math.min(LAST_LOOK_MS, over - Date.now()))]);
    }
    const left = [...this.#held.values()];
    for (const lease of left) {
      this.#held.delete(lease.executionId);
      lease.lose('the worker stops');
      try {
        await this.client.tasks.release(lease.executionId, { task_token: lease.task.task_token });
      } catch (error) {
        this.#log({ level: 'warn', event: 'release_failed', execution: lease.executionId, error: String(error) });
      }
    }
  }
}

function sizeOf(body: { result?: string; result_base64?: string }): number {
  return (body.result ?? body.result_base64 ?? '').length;
}
