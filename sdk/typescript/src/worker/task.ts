import { bytesFields } from '../client/bytes.js';
import { decode, type Encoded, encode, JSON_ENCODING } from '../client/codec.js';
import type { Duration } from '../client/duration.js';
import { DecodeError } from '../client/errors.js';
import type { NewChild } from '../client/models.js';
import type { App } from './app.js';
import type { Context } from './context.js';
import { Handle } from './handle.js';
import { type ExecutionOptions, enginePolicy, layered } from './options.js';
import { type StandardSchema, validate } from './schema.js';

/** Arguments by name, in which `{"$input": name}` stands for a named input of a flow. Both SDKs read it. */
export const ARGUMENTS_ENCODING = 'json-arguments';

/** What runs a task. */
export type Handler<Input, Output> = (ctx: Context, input: Input) => Output | Promise<Output>;

/** How a task is declared. */
export interface TaskOptions extends ExecutionOptions {
  /** Checks the input before the handler sees it. */
  input?: StandardSchema;
  /** Checks results where they are read with a handle or by a parent. */
  output?: StandardSchema;
  /** Shown with the attempts that it ran. */
  version?: string;
}

/** How one submission differs from what its task says. */
export interface SubmitOptions extends ExecutionOptions {
  /** Submitting again with the same key gives the execution that there is. */
  idempotencyKey?: string;
  executionId?: string;
  delay?: Duration;
}

/** The arguments of a submission: no input is needed where the task takes none. */
export type SubmitArguments<Input, Options> = undefined extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options];

/** Stands within an input for what an upstream member of a flow gave. */
export class Input {
  constructor(readonly name: string) {}
  /** As it stands in the arguments of a member. */
  toJSON(): unknown {
    return { $input: this.name };
  }
}

function holdsInput(value: unknown): boolean {
  if (value instanceof Input) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(member => member instanceof Input);
}

/** A task with its input, not sent yet: for `ctx.call`, `ctx.gather`, `app.submitMany` and flows. */
export class Call<Output> {
  constructor(
    readonly task: Task<never, Output>,
    readonly input: unknown,
    readonly options: ExecutionOptions & { name?: string } = {},
  ) {}

  /** The same call with other options, or a name of its own among its siblings. */
  using(options: ExecutionOptions & { name?: string }): Call<Output> {
    return new Call(this.task, this.input, layered(options, this.options));
  }

  /** The members of a create, a child or a node for this call. */
  body(): Omit<NewChild, 'name'> & { namespace?: string } {
    const options = layered(this.options, this.task.options);
    const { data, encoding } = encodeInput(this.input);
    const policy = enginePolicy(options);
    return {
      execution_kind: this.task.name,
      ...bytesFields('payload', data),
      ...(encoding ? { payload_encoding: encoding } : {}),
      ...(options.lane ? { lane_id: options.lane } : {}),
      ...(options.priority === undefined ? {} : { priority: options.priority }),
      ...(options.tags && Object.keys(options.tags).length > 0 ? { tags: options.tags } : {}),
      ...(policy ? { policy } : {}),
    };
  }
}

function encodeInput(input: unknown): Encoded {
  if (input === null) return { data: 'null', encoding: JSON_ENCODING };
  const encoded = encode(input);
  return holdsInput(input) ? { ...encoded, encoding: ARGUMENTS_ENCODING } : encoded;
}

/** A function that the engine runs; made by `app.task`. */
export class Task<TaskInput, Output> {
  constructor(
    private readonly app: App,
    readonly name: string,
    readonly options: TaskOptions,
    readonly handler: Handler<TaskInput, Output>,
  ) {}

  /** This task with an input, to be called by another one or put into a flow. */
  of(
    ...[input, options]: SubmitArguments<TaskInput | InputsOf<TaskInput>, ExecutionOptions & { name?: string }>
  ): Call<Output> {
    return new Call<Output>(this as unknown as Task<never, Output>, input, options);
  }

  /** Hands the task to the engine and gives a handle of its execution. */
  submit(...[input, options]: SubmitArguments<TaskInput, SubmitOptions>): Promise<Handle<Output>> {
    return this.app.submit(new Call<Output>(this as unknown as Task<never, Output>, input), options);
  }

  /** The handle of an execution that was submitted earlier. */
  handle(executionId: string): Handle<Output> {
    return new Handle<Output>(this.app.client, executionId, value => this.readOutput(value));
  }

  /** The input that a payload holds; `fetch` gives named inputs. {@link DecodeError} when it does not fit. */
  async readInput(payload: Encoded, fetch: (name: string) => Promise<Uint8Array>): Promise<TaskInput> {
    let value = decode(payload);
    if (payload.encoding === ARGUMENTS_ENCODING) value = await withInputs(value, fetch);
    if (value === null && payload.data === undefined) value = undefined;
    return (this.options.input ? await validate(this.options.input, value) : value) as TaskInput;
  }

  /** A result as its schema reads it. */
  async readOutput(value: unknown): Promise<Output> {
    return (this.options.output ? await validate(this.options.output, value) : value) as Output;
  }
}

/** An input whose members may come from upstream. */
export type InputsOf<T> = Input | (T extends object ? { [K in keyof T]: T[K] | Input } : never);

async function withInputs(value: unknown, fetch: (name: string) => Promise<Uint8Array>): Promise<unknown> {
  if (typeof value !== 'object' || value === null) throw new DecodeError('arguments that are no object');
  const whole = inputName(value);
  if (whole !== undefined) return read(await fetch(whole));
  const filled: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const wanted = inputName(member);
    filled[name] = wanted === undefined ? member : read(await fetch(wanted));
  }
  return filled;
}

function read(data: Uint8Array): unknown {
  return decode({ data, encoding: '' });
}

function inputName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value);
  const [only] = members;
  return members.length === 1 && only?.[0] === '$input' ? String(only[1]) : undefined;
}
