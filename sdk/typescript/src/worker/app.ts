import { Client } from '../client/client.js';
import { type Duration, toMs } from '../client/duration.js';
import { ApiError, ConfigError } from '../client/errors.js';
import type { BudgetStatus, CreateExecution } from '../client/models.js';
import type { ClientOptions } from '../client/transport.js';
import { Handle } from './handle.js';
import { budgetId } from './identity.js';
import { layered } from './options.js';
import type { AnyTask } from './run.js';
import type { StandardSchema } from './schema.js';
import { type Call, type Handler, type SubmitOptions, Task, type TaskOptions } from './task.js';
import { Worker, type WorkerOptions } from './worker.js';

const BATCH_MOST = 1000;

/** Where the server is, and what submissions have in common. */
export interface AppOptions extends ClientOptions {
  /** Namespace of what is submitted (`default`). */
  namespace?: string;
  /** Lane of tasks that name none (`default`). */
  lane?: string;
}

/** The limits of a budget, in the dimensions of `ctx.spend` or of one's own. */
export interface BudgetLimits {
  hard?: Record<string, number>;
  soft?: Record<string, number>;
  onHardLimit?: string;
  /** Use starts anew after each such time. */
  resets?: Duration;
}

/** The tasks of a program and its connection to the server. */
export class App {
  readonly client: Client;
  readonly #tasks = new Map<string, AnyTask>();

  constructor(private readonly options: AppOptions = {}) {
    this.client = new Client(options);
  }

  /** Namespace of what is submitted. */
  get namespace(): string {
    return this.options.namespace ?? 'default';
  }

  /** The tasks by name. */
  get tasks(): ReadonlyMap<string, AnyTask> {
    return this.#tasks;
  }

  /** Declares a task: its name is the kind of its executions. */
  task<Input = void, Output = unknown>(name: string, handler: Handler<Input, Output>): Task<Input, Output>;
  /** Declares a task whose input a schema checks. */
  task<SchemaInput, SchemaOutput, Output = unknown>(
    name: string,
    options: Omit<TaskOptions, 'input'> & { input: StandardSchema<SchemaInput, SchemaOutput> },
    handler: Handler<SchemaOutput, Output>,
  ): Task<SchemaInput, Output>;
  /** Declares a task with options. */
  task<Input = void, Output = unknown>(
    name: string,
    options: TaskOptions & { input?: undefined },
    handler: Handler<Input, Output>,
  ): Task<Input, Output>;
  task<Input, Output>(
    name: string,
    second: TaskOptions | Handler<Input, Output>,
    third?: Handler<Input, Output>,
  ): Task<Input, Output> {
    const handler = third ?? (second as Handler<Input, Output>);
    const given = third ? (second as TaskOptions) : {};
    if (this.#tasks.has(name)) throw new ConfigError(`there is a task "${name}" already`);
    const options = { ...(this.options.lane ? { lane: this.options.lane } : {}), ...given };
    const task = new Task<Input, Output>(this, name, options, handler);
    this.#tasks.set(name, task as unknown as AnyTask);
    return task;
  }

  /** Hands a call to the engine. */
  async submit<Output>(call: Call<Output>, options: SubmitOptions = {}): Promise<Handle<Output>> {
    const created = await this.client.executions.create(this.#request(call, options));
    return new Handle(
      this.client,
      created.execution_id,
      value => call.task.readOutput(value),
      created.status === 'created',
    );
  }

  /** Hands many calls to the engine, 1000 in a request; each may have an idempotency key. */
  async submitMany<Output>(
    calls: Call<Output>[],
    options: { idempotencyKeys?: string[] } = {},
  ): Promise<Handle<Output>[]> {
    const handles: Handle<Output>[] = [];
    for (let at = 0; at < calls.length; at += BATCH_MOST) {
      const some = calls.slice(at, at + BATCH_MOST);
      const requests = some.map((call, n) => {
        const key = options.idempotencyKeys?.[at + n];
        return this.#request(call, key === undefined ? {} : { idempotencyKey: key });
      });
      const results = await this.client.executions.createBatch(requests);
      some.forEach((call, n) => {
        const result = results[n];
        if (!result || result.status === 'error') throw refused(at + n, result);
        handles.push(
          new Handle(
            this.client,
            result.execution_id,
            value => call.task.readOutput(value),
            result.status === 'created',
          ),
        );
      });
    }
    return handles;
  }

  #request<Output>(call: Call<Output>, submit: SubmitOptions): CreateExecution {
    const { idempotencyKey, executionId, delay, ...options } = submit;
    const using = call.using(options);
    const namespace = layered(using.options, call.task.options).namespace ?? this.options.namespace;
    return {
      ...using.body(),
      ...(namespace ? { namespace } : {}),
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      ...(executionId === undefined ? {} : { execution_id: executionId }),
      ...(delay === undefined ? {} : { delay_until: `+${toMs(delay)}` }),
    };
  }

  /** Creates the budget of that name, or changes its limits; executions use it with `budget: name`. */
  async budget(name: string, limits: BudgetLimits): Promise<BudgetStatus> {
    const dimensions = [...new Set([...Object.keys(limits.hard ?? {}), ...Object.keys(limits.soft ?? {})])];
    const id = budgetId(name);
    const figures = {
      dimensions,
      hard_limits: dimensions.map(dimension => limits.hard?.[dimension] ?? 0),
      soft_limits: dimensions.map(dimension => limits.soft?.[dimension] ?? 0),
      ...(limits.onHardLimit ? { on_hard_limit: limits.onHardLimit } : {}),
    };
    const reset = limits.resets === undefined ? {} : { reset_interval_ms: toMs(limits.resets) };
    const created = await this.client.budgets.create({
      budget_id: id,
      name,
      scope_type: 'named',
      scope_id: name,
      ...figures,
      ...reset,
    });
    if (created.status !== 'created') await this.client.budgets.update(id, figures);
    return this.client.budgets.describe(id);
  }

  /** A worker for all tasks of this app. */
  worker(options: WorkerOptions = {}): Worker {
    return new Worker(this.client, this.#tasks, options);
  }

  /** Works until SIGTERM or SIGINT, which drain; a second one ends the process at once. */
  async run(options: WorkerOptions = {}): Promise<void> {
    const worker = this.worker(options);
    let stopping = false;
    const stop = (): void => {
      if (stopping) process.exit(130);
      stopping = true;
      void worker.stop().catch(() => undefined);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    try {
      await worker.run();
    } finally {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
    }
  }
}

function refused(
  at: number,
  result: { code: string; class: string; retryable: boolean; error?: string } | undefined,
): ApiError {
  return new ApiError({
    status: 200,
    code: result?.code ?? 'api',
    message: `call ${at} was refused${result?.error ? `: ${result.error}` : ''}`,
    errorClass: result?.class ?? 'terminal',
    retryable: result?.retryable ?? false,
    detail: [],
    raw: '',
  });
}
