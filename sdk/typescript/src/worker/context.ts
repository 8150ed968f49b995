import { AsyncLocalStorage } from 'node:async_hooks';
import { bytesFields, readBytes } from '../client/bytes.js';
import type { Client } from '../client/client.js';
import { BYTES_ENCODING, decode, encode, JSON_ENCODING } from '../client/codec.js';
import { type Duration, toMs } from '../client/duration.js';
import { BudgetExceeded, ChildFailed, ConfigError, WaitTimedOut } from '../client/errors.js';
import type { ChildOutcome, ClaimedTask, FlowNode, FlowSubmitted, Tags } from '../client/models.js';
import { uuid } from '../client/uuid.js';
import { FrameWriter } from './frames.js';
import { budgetId, spendKey } from './identity.js';
import type { Lease } from './lease.js';
import type { StandardSchema } from './schema.js';
import { StepBook } from './steps.js';
import type { Call } from './task.js';
import {
  BEGIN,
  beginStep,
  type Decision,
  END,
  type Ending,
  EndOfRun,
  type KeptOutcome,
  type KeptSignal,
  keepSignal,
  readSignal,
  type Signal,
} from './waiting.js';

const CHILDREN_MOST = 256;
const MICRO = 1_000_000;
const SHORT_DIMENSIONS: Readonly<Record<string, string>> = {
  tokens: 'total_tokens',
  inputTokens: 'total_input_tokens',
  outputTokens: 'total_output_tokens',
  thinkingTokens: 'total_thinking_tokens',
};

/** The step whose function is running, for waits and spending within it. */
const insideStep = new AsyncLocalStorage<string>();

/** How a step's value is read. */
export interface StepOptions<T> {
  /** Checks the value, also the one that an older version of the code recorded. */
  schema?: StandardSchema<unknown, T>;
}

/** What a wait waits for. */
export interface WaitOptions {
  /** Names of signals that end it; any signal does if there are none. */
  signals?: string[];
  /** Throw {@link WaitTimedOut} after this time. */
  timeout?: Duration;
  /** A resume condition of the engine in place of names. */
  condition?: object;
}

/** What a person is asked. */
export interface ApprovalOptions {
  ask?: string;
  to?: string | string[];
  /** A small JSON schema of the answer. */
  form?: object;
  /** What they need to see: data, text or bytes. */
  context?: unknown;
  /** When an answer is expected. */
  due?: Duration;
  /** After this time the decision is no, with `timedOut`. */
  timeout?: Duration;
}

/** What was spent: `tokens`, `inputTokens`, `outputTokens`, `costUsd`, or any dimension of a budget. */
export interface Amounts {
  tokens?: number;
  inputTokens?: number;
  outputTokens?: number;
  thinkingTokens?: number;
  costUsd?: string | number;
  [dimension: string]: number | string | undefined;
}

type Outputs<Calls extends readonly Call<unknown>[]> = {
  -readonly [K in keyof Calls]: Calls[K] extends Call<infer Output> ? Output : never;
};
type Settled<Calls extends readonly Call<unknown>[]> = {
  -readonly [K in keyof Calls]: Calls[K] extends Call<infer Output> ? Output | ChildFailed : never;
};

/** The running task: its steps, waits, stream and identity. Handlers get it as their first argument. */
export class Context {
  readonly #lease: Lease;
  readonly #steps: StepBook;
  readonly #running = new Set<Promise<unknown>>();
  #frames: FrameWriter | undefined;
  #ending: EndOfRun | undefined;

  /** @internal */
  constructor(lease: Lease) {
    this.#lease = lease;
    this.#steps = new StepBook(lease);
  }

  get executionId(): string {
    return this.#task.execution_id;
  }
  get kind(): string {
    return this.#task.execution_kind;
  }
  get lane(): string {
    return this.#task.lane_id;
  }
  get namespace(): string {
    return this.#task.namespace;
  }
  get attemptIndex(): number {
    return this.#task.attempt_index;
  }
  /** initial, retry, replay, fallback, resumed or reclaim. */
  get attemptType(): string {
    return this.#task.attempt_type;
  }
  get flowId(): string | null {
    return this.#task.flow_id;
  }
  get tags(): Tags {
    return this.#task.tags ?? {};
  }
  get client(): Client {
    return this.#lease.client;
  }
  /** Fires when the work is for nothing: the lease was lost or revoked, or the execution cancelled. Hand it to `fetch`. */
  get signal(): AbortSignal {
    return this.#lease.signal;
  }
  get #task(): ClaimedTask {
    return this.#lease.task;
  }

  /** How this run gives the task back, if it came to a wait. @internal */
  get ending(): Ending | undefined {
    return this.#ending?.ending;
  }

  /** The names of all steps that are recorded. @internal */
  recordedNames(): Promise<string[]> {
    return this.#steps.names();
  }

  /** Waits for steps that still run next to a wait, and for output that is not stored yet. @internal */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
    await this.flush();
  }

  /**
   * Does something once: the first run calls `run` and records what it gave, later runs answer what was recorded.
   *
   * A crash between the two calls `run` again, so its effect happens at most once more. The value is kept as JSON (or
   * bytes, for a `Uint8Array`), and what the handler gets is always what was kept.
   */
  step<T>(name: string, run: () => T | Promise<T>, options: StepOptions<T> = {}): Promise<T> {
    const done = this.#step(name, run, options);
    this.#running.add(done);
    const over = (): void => {
      this.#running.delete(done);
    };
    done.then(over, over);
    return done;
  }

  async #step<T>(name: string, run: () => T | Promise<T>, options: StepOptions<T>): Promise<T> {
    this.#go();
    this.#steps.take(name);
    const found = await this.#steps.find(name);
    if (found) return this.#steps.read(name, found, options.schema);
    const value = await insideStep.run(name, run);
    return this.#steps.read(name, await this.#steps.record(name, value), options.schema);
  }

  /** Ends this run; the execution goes on here when the time is over. No worker is held meanwhile. */
  sleep(duration: Duration, options: { name?: string } = {}): Promise<void> {
    return this.#wait(async () => {
      const name = this.#steps.takeNumbered('sleep', options.name);
      // It cannot be claimed before its time.
      if (await this.#steps.find(BEGIN + name)) return;
      const ms = toMs(duration);
      this.#end(`ctx.sleep("${name}")`, {
        route: 'delay',
        body: { delay_ms: ms, steps: [beginStep(name, { sleep_ms: ms })] },
      });
    });
  }

  /** Waits for one signal and gives it. The outside sends it to the wait of that name, for example with `handle.signal`. */
  waitFor<T = unknown>(name: string, options: WaitOptions = {}): Promise<Signal<T>> {
    return this.#wait(async () => {
      this.#steps.take(name);
      const signals = await this.#signals(name, options, 'any', { reason_code: 'waiting_for_signal' });
      return signals[signals.length - 1] as Signal<T>;
    });
  }

  /** Waits until a signal of each of these names has come. */
  waitForAll(name: string, signals: string[], options: { timeout?: Duration } = {}): Promise<Signal[]> {
    return this.#wait(() => {
      this.#steps.take(name);
      return this.#signals(name, { ...options, signals }, 'all', { reason_code: 'waiting_for_signal' });
    });
  }

  /** Asks somebody and gives their decision; nothing runs meanwhile. */
  approval<T = unknown>(name: string, options: ApprovalOptions = {}): Promise<Decision<T>> {
    return this.#wait(async () => {
      this.#steps.take(name);
      const approval = approvalFields(options);
      const extra = { reason_code: 'waiting_for_approval', ...(approval ? { approval } : {}) };
      const wanted = {
        signals: ['approved', 'rejected'],
        ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
      };
      try {
        const signals = await this.#signals(name, wanted, 'any', extra);
        const last = signals[signals.length - 1] as Signal<T>;
        return { approved: last.name === 'approved', by: last.by, data: last.data, at: last.at, timedOut: false };
      } catch (error) {
        if (!(error instanceof WaitTimedOut)) throw error;
        return { approved: false, by: '', data: null as T, at: 0, timedOut: true };
      }
    });
  }

  /** Runs another task as a child and gives its result. This run ends; the execution goes on when the child has ended. */
  async call<Output>(call: Call<Output>, options: { name?: string } = {}): Promise<Output> {
    const [output] = await this.gather([call], { name: options.name ?? this.#steps.number('call') });
    return output as Output;
  }

  /** Runs tasks as children, each exactly once, and gives their results in order; throws the first {@link ChildFailed}. */
  async gather<Calls extends readonly Call<unknown>[]>(
    calls: readonly [...Calls],
    options: { name?: string } = {},
  ): Promise<Outputs<Calls>> {
    const settled: readonly unknown[] = await this.gatherSettled(calls, options);
    for (const one of settled) if (one instanceof ChildFailed) throw one;
    return settled as Outputs<Calls>;
  }

  /** As {@link gather}; children that ended without success stand in the list as {@link ChildFailed}. */
  gatherSettled<Calls extends readonly Call<unknown>[]>(
    calls: readonly [...Calls],
    options: { name?: string } = {},
  ): Promise<Settled<Calls>> {
    return this.#wait(async () => {
      const name = this.#steps.takeNumbered('gather', options.name);
      if (calls.length > CHILDREN_MOST) {
        throw new ConfigError(
          `ctx.gather takes at most ${CHILDREN_MOST} calls, not ${calls.length}; gather them in groups`,
        );
      }
      const names = calls.map((call, at) => `${name}/${call.options.name ?? at}`);
      if (new Set(names).size !== names.length)
        throw new ConfigError(`two calls of ctx.gather("${name}") have the same name`);
      if (calls.length === 0) return [] as unknown as Settled<Calls>;
      const ended = await this.#childrenOf(name, calls, names);
      const outputs: unknown[] = [];
      for (const [at, call] of calls.entries()) outputs.push(await this.#childOutput(names[at] ?? '', ended, call));
      return outputs as Settled<Calls>;
    });
  }

  async #childrenOf(
    name: string,
    calls: readonly Call<unknown>[],
    names: string[],
  ): Promise<Map<string, ChildOutcome>> {
    let outcome = await this.#steps.find(END + name);
    if (!outcome && (await this.#steps.find(BEGIN + name))) {
      outcome = await this.#steps.record(END + name, await this.#endedChildren(`${name}/`));
    }
    if (!outcome) {
      const children = calls.map((call, at) => {
        const { namespace: _, ...body } = call.body();
        return { name: names[at], ...body };
      });
      const steps = [beginStep(name, { children: names })];
      return this.#end(`ctx.gather("${name}")`, {
        route: 'call-children',
        body: { steps, children, on_child_failure: 'continue' },
      });
    }
    const ended = await this.#steps.read<ChildOutcome[]>(name, outcome, undefined);
    return new Map(ended.map(child => [child.name, child]));
  }

  async #endedChildren(prefix: string): Promise<ChildOutcome[]> {
    const given = await this.#lease.call(async () => {
      if (this.#task.children_state === 'inline') return this.#task.children ?? [];
      const read: ChildOutcome[] = [];
      for await (const child of this.client.executions.children(this.executionId)) read.push(child);
      return read;
    });
    const ours = given.filter(child => child.name.startsWith(prefix));
    for (const child of ours) {
      if (child.outcome === 'success' && child.result_state === 'omitted') {
        const bytes = await this.#lease.call(() => this.client.executions.result(child.execution_id));
        Object.assign(child, bytesFields('result', bytes));
      }
    }
    return ours;
  }

  async #childOutput(name: string, ended: Map<string, ChildOutcome>, call: Call<unknown>): Promise<unknown> {
    const child = ended.get(name);
    if (!child) throw new ConfigError(`the call "${name}" was not among the children that were begun under this name`);
    if (child.outcome !== 'success') {
      return new ChildFailed(
        name,
        child.execution_id,
        child.outcome ?? '',
        child.failure_reason ?? '',
        child.failure_category ?? '',
      );
    }
    return call.task.readOutput(decode({ data: readBytes(child, 'result'), encoding: child.result_encoding ?? '' }));
  }

  /** Adds nodes to the flow that this execution belongs to, once for each name. `flow.nodes()` makes them. */
  expand(nodes: FlowNode[], options: { name?: string } = {}): Promise<FlowSubmitted> {
    const flowId = this.flowId;
    if (flowId === null)
      throw new ConfigError(`execution ${this.executionId} belongs to no flow, so there is nothing to expand`);
    const name = options.name ?? this.#steps.number('expand');
    const request = { nodes, mutation_id: `${this.executionId}/${name}` };
    return this.step(name, () => this.#lease.call(() => this.client.flows.expand(flowId, request)));
  }

  /** Adds to the live output. Chunks travel together, at the latest 20 ms after the first of them. */
  async stream(chunk: string | Uint8Array, options: { type?: string } = {}): Promise<void> {
    this.#go();
    await this.#writer().add(options.type ?? 'token', chunk);
  }

  /** Writes a log frame, which the console and `flowfabric tail` show. */
  async log(message: string, fields: Record<string, unknown> & { level?: string } = {}): Promise<void> {
    this.#go();
    const { level = 'info', ...more } = fields;
    const line = JSON.stringify({ level, message, ...more });
    await this.#writer().add('log', line, JSON_ENCODING);
  }

  /** Waits until everything streamed and logged so far is stored. */
  async flush(): Promise<void> {
    await this.#frames?.flush();
  }

  /** Tells how far the task is. */
  async progress(percent?: number, message?: string): Promise<void> {
    this.#go();
    const pct = percent === undefined ? {} : { pct: Math.max(0, Math.min(100, Math.round(percent))) };
    const body = { task_token: this.#task.task_token, ...pct, ...(message === undefined ? {} : { message }) };
    await this.#lease.call(() => this.client.tasks.progress(this.executionId, body));
  }

  /**
   * Counts what was spent. Counted once: outside a step once for each execution (by `name`, or the order of unnamed ones),
   * inside a step once for each time that the step runs. Throws {@link BudgetExceeded} when a hard limit was passed; what
   * was spent is counted all the same.
   */
  async spend(amounts: Amounts, options: { name?: string; budget?: string } = {}): Promise<void> {
    await this.#use('spent', amounts, options);
  }

  /** Counts it only if every budget has room for all of it; otherwise counts nothing and gives false. */
  async trySpend(amounts: Amounts, options: { name?: string; budget?: string } = {}): Promise<boolean> {
    try {
      await this.#use('check', amounts, options);
      return true;
    } catch (error) {
      if (error instanceof BudgetExceeded) return false;
      throw error;
    }
  }

  async #use(mode: 'spent' | 'check', amounts: Amounts, options: { name?: string; budget?: string }): Promise<void> {
    this.#go();
    const step = insideStep.getStore();
    const name = options.name ?? this.#spendNumber(step ?? '');
    const run = step === undefined ? '' : `${this.#task.lease_epoch}/${step}/`;
    const answers = await this.#lease.call(() =>
      this.client.tasks.usage(this.executionId, {
        task_token: this.#task.task_token,
        dimensions: dimensionsOf(amounts),
        ...(options.budget ? { budget_id: budgetId(options.budget) } : {}),
        dedup_key: spendKey(this.executionId, run + name),
        ...(mode === 'check' ? { mode } : {}),
      }),
    );
    for (const one of answers) {
      if (one.status !== 'hard_breach') continue;
      throw new BudgetExceeded(
        one.budget_id ?? '',
        one.dimension ?? '',
        one.action ?? 'fail',
        one.current_usage ?? 0,
        one.hard_limit ?? 0,
      );
    }
  }

  #spendNumber(step: string): string {
    const [, count = '1'] = this.#steps.number(`spend/${step}`).split('#');
    return `#${count}`;
  }

  #writer(): FrameWriter {
    this.#frames ??= new FrameWriter(this.#lease);
    return this.#frames;
  }

  // A handler that caught the end of its run must not go on as if nothing had happened.
  #go(): void {
    if (this.#ending) throw this.#ending;
    if (this.#lease.lost) throw this.signal.reason;
  }

  #wait<T>(wait: () => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      this.#go();
      const step = insideStep.getStore();
      if (step !== undefined)
        throw new ConfigError(`a wait inside the step "${step}": wait between steps, not within one`);
      return wait();
    };
    const result = run();
    // The worker knows that the run ends; a promise that nobody awaits must not end the process.
    result.catch(() => undefined);
    return result;
  }

  #end(what: string, ending: Ending): never {
    this.#ending ??= new EndOfRun(what, ending);
    throw this.#ending;
  }

  async #signals(
    name: string,
    options: WaitOptions,
    match: 'any' | 'all',
    extra: Record<string, unknown>,
  ): Promise<Signal[]> {
    let outcome = await this.#steps.find(END + name);
    let begun: { waitpoint_id: string } | undefined;
    let turn = 1;
    const numbered = (): string => (turn > 1 ? `${name}#${turn}` : name);
    while (!outcome) {
      const step = await this.#steps.find(BEGIN + numbered());
      if (!step) break;
      begun = await this.#steps.read<{ waitpoint_id: string }>(name, step, undefined);
      turn += 1;
    }
    if (!outcome && begun) {
      const found = await this.#lease.call(() => this.#outcome(begun.waitpoint_id));
      if (found) outcome = await this.#steps.record(END + name, found);
    }
    if (!outcome) return this.#suspend(name, numbered(), options, match, extra);
    const kept = await this.#steps.read<KeptOutcome>(name, outcome, undefined);
    if (kept.timed_out) throw new WaitTimedOut(name);
    return kept.signals.map(readSignal);
  }

  // How a wait ended; undefined if its suspension was cut off (cancelled and replayed) and has to begin again. No later
  // suspension can have taken its place: the run that sees the end records it before any other wait.
  async #outcome(waitpointId: string): Promise<KeptOutcome | undefined> {
    const suspension = await this.client.executions.suspension(this.executionId);
    if (suspension.waitpoint_id !== waitpointId) return undefined;
    if (suspension.close_reason !== 'resumed' && suspension.close_reason !== 'timed_out_auto_resume') return undefined;
    const records = await this.client.tasks.resumeSignals(this.executionId, Number(suspension.attempt_index ?? 0));
    const signals: KeptSignal[] = records.map(keepSignal);
    if (signals.some(one => one.category === 'timeout' && one.by === 'suspension_timeout')) return { timed_out: true };
    if (signals.length === 0) {
      const by = String(suspension.resume_trigger ?? 'operator');
      signals.push({ name: 'resumed', by, category: 'operator', accepted_at: 0, signal_id: '' });
    }
    return { signals };
  }

  #suspend(
    name: string,
    stepName: string,
    options: WaitOptions,
    match: 'any' | 'all',
    extra: Record<string, unknown>,
  ): never {
    const waitpoint = uuid();
    const suspension = uuid();
    const condition = options.condition
      ? { resume_condition: options.condition }
      : { signals: options.signals ?? [], match };
    const timeout =
      options.timeout === undefined
        ? {}
        : { timeout_ms: toMs(options.timeout), timeout_behavior: 'auto_resume_with_timeout_signal' };
    const body = {
      ...extra,
      ...condition,
      ...timeout,
      suspension_id: suspension,
      waitpoint: { waitpoint_id: waitpoint, waitpoint_key: name },
      steps: [beginStep(stepName, { waitpoint_id: waitpoint, suspension_id: suspension })],
    };
    return this.#end(`the wait "${name}"`, { route: 'suspend', body });
  }
}

function approvalFields(options: ApprovalOptions): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  if (options.ask !== undefined) fields.prompt = options.ask;
  if (options.to !== undefined) fields.assignees = typeof options.to === 'string' ? [options.to] : options.to;
  if (options.form !== undefined) fields.form = options.form;
  if (options.context !== undefined) {
    const { data, encoding } = encode(options.context);
    Object.assign(fields, bytesFields('context', data));
    fields.context_type = encoding === BYTES_ENCODING ? 'application/octet-stream' : 'application/json';
  }
  if (options.due !== undefined) fields.due_at = `+${toMs(options.due)}`;
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function dimensionsOf(amounts: Amounts): Record<string, number> {
  const dimensions: Record<string, number> = {};
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount === undefined) continue;
    if (name === 'costUsd') dimensions.total_cost = Math.round(Number(amount) * MICRO);
    else if (typeof amount === 'number') dimensions[SHORT_DIMENSIONS[name] ?? name] = amount;
    else throw new ConfigError(`ctx.spend: ${name} is no number`);
  }
  return dimensions;
}
