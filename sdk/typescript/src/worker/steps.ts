import { bytesFields, readBytes } from '../client/bytes.js';
import { decode, encode } from '../client/codec.js';
import { ConfigError, DecodeError, DuplicateStepName, StepTypeChanged } from '../client/errors.js';
import type { NewStep, RecordedStep } from '../client/models.js';
import type { Lease } from './lease.js';
import { type StandardSchema, validate } from './schema.js';

const NAME_BYTES_MOST = 200;
const STEPS_MOST = 64;
const BYTES_MOST = 768 * 1024;

interface Waiting {
  readonly step: NewStep;
  readonly done: (known: RecordedStep) => void;
  readonly failed: (error: unknown) => void;
}

/** What the execution has already done, and how it notes what it does. */
export class StepBook {
  #known: Promise<Map<string, RecordedStep>> | undefined;
  readonly #used = new Set<string>();
  readonly #numbers = new Map<string, number>();
  #waiting: Waiting[] = [];
  #sending = false;

  constructor(private readonly lease: Lease) {}

  /** Takes a name for this run; each can be taken once. */
  take(name: string): void {
    if (!name || name.startsWith('$') || Buffer.byteLength(name) > NAME_BYTES_MOST) {
      throw new ConfigError(`"${name}" cannot name a step: use 1 to ${NAME_BYTES_MOST} bytes that do not begin with $`);
    }
    if (this.#used.has(name)) throw new DuplicateStepName(name);
    this.#used.add(name);
  }

  /** Takes a name for what was given none: `sleep`, `sleep#2`, ... in the order of this run. */
  takeNumbered(what: string, name: string | undefined): string {
    const taken = name ?? this.number(what);
    this.take(taken);
    return taken;
  }

  number(what: string): string {
    const count = (this.#numbers.get(what) ?? 0) + 1;
    this.#numbers.set(what, count);
    return count === 1 ? what : `${what}#${count}`;
  }

  async find(name: string): Promise<RecordedStep | undefined> {
    return (await this.#all()).get(name);
  }

  async names(): Promise<string[]> {
    return [...(await this.#all()).keys()];
  }

  // They came with the claim; those that did not fit are read on first use.
  #all(): Promise<Map<string, RecordedStep>> {
    this.#known ??= this.#load();
    return this.#known;
  }

  async #load(): Promise<Map<string, RecordedStep>> {
    const { task, client } = this.lease;
    const known = new Map<string, RecordedStep>();
    for (const step of task.steps ?? []) known.set(step.name, step);
    if (task.steps_state === 'omitted') {
      await this.lease.call(async () => {
        for await (const step of client.executions.steps(task.execution_id)) known.set(step.name, step);
      });
    }
    return known;
  }

  /** Records a value and gives what the store holds: the first one that was recorded under this name. */
  async record(name: string, value: unknown): Promise<RecordedStep> {
    const { data, encoding } = encode(value);
    const fields = data === undefined ? { value: '' } : bytesFields('value', data);
    const step: NewStep = { name, ...fields, ...(encoding ? { encoding } : {}) };
    const known = await new Promise<RecordedStep>((done, failed) => {
      this.#waiting.push({ step, done, failed });
      void this.#send();
    });
    (await this.#all()).set(name, known);
    return known;
  }

  // Steps that end while a request is under way travel together in the next one.
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#waiting.length > 0) await this.#sendSome(this.#next());
    this.#sending = false;
  }

  #next(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { step } of this.#waiting) {
      bytes += (step.value ?? step.value_base64 ?? '').length;
      if (count > 0 && (bytes > BYTES_MOST || count >= STEPS_MOST)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #sendSome(some: Waiting[]): Promise<void> {
    const { client, task } = this.lease;
    try {
      const steps = some.map(({ step }) => step);
      const answers = await this.lease.call(() =>
        client.tasks.recordSteps(task.execution_id, { task_token: task.task_token, steps }),
      );
      some.forEach(({ step, done }, at) => {
        const answer = answers[at];
        done(answer?.status === 'duplicate' ? answer : step);
      });
    } catch (error) {
      for (const { failed } of some) failed(error);
    }
  }

  /** The value of a recorded step, as the schema reads it. */
  async read<T>(name: string, step: RecordedStep, schema: StandardSchema<unknown, T> | undefined): Promise<T> {
    try {
      const value = decode({ data: readBytes(step, 'value'), encoding: step.encoding ?? '' });
      return schema ? await validate(schema, value) : (value as T);
    } catch (error) {
      if (error instanceof DecodeError) throw new StepTypeChanged(name, error.message);
      throw error;
    }
  }
}
