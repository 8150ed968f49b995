import type { Client } from '../client/client.js';
import { type Duration, toMs } from '../client/duration.js';
import { ConfigError, ExecutionFailed, ResultTimeout } from '../client/errors.js';
import type { FlowNode, SubmitFlow, Tags } from '../client/models.js';
import { uuid } from '../client/uuid.js';
import type { App } from './app.js';
import type { Handle } from './handle.js';
import type { ExecutionOptions } from './options.js';
import type { AnyTask } from './run.js';
import { Call, Input, type Task } from './task.js';

/** The name under which a node whose whole input is a result finds it. */
const WHOLE = 'input';

/** A task in a flow. Within the input of a later node it stands for its result. */
export class Node<Output> {
  constructor(
    readonly name: string,
    readonly task: Task<never, Output>,
  ) {}
}

/** An input in which nodes stand for their results. */
export type NodeInput<T> = T | Node<T> | (T extends object ? { [K in keyof T]: T[K] | Node<T[K]> } : never);

/** How a node stands in its flow. */
export interface NodeOptions extends ExecutionOptions {
  /** Unique in the flow; the task's name, numbered, by default. */
  name?: string;
  /** Begin after these, without their results. */
  after?: Node<unknown>[];
  /** When several dependencies are enough. */
  join?: 'all_of' | 'any_of';
  /** So many of the dependencies are enough. */
  quorum?: number;
}

/** What a flow is besides its nodes. */
export interface FlowOptions {
  /** With an id of your own a repeated submission is the same flow, also from another process. */
  flowId?: string;
  namespace?: string;
  tags?: Tags;
  failurePolicy?: 'isolate_failures' | 'fail_fast';
}

/** Builds a flow. Nodes begin when what they depend on has ended well; results travel along the edges. */
export class Flow {
  readonly flowId: string;
  readonly #nodes = new Map<string, FlowNode>();
  readonly #tasks = new Map<string, AnyTask>();

  constructor(
    readonly kind: string,
    private readonly options: FlowOptions = {},
  ) {
    this.flowId = options.flowId ?? uuid();
  }

  /** Adds a task. A node that is its input, or a member of it, becomes a dependency that brings its result. */
  add<TaskInput, Output>(
    task: Task<TaskInput, Output>,
    ...[input, options = {}]: undefined extends TaskInput
      ? [input?: NodeInput<TaskInput>, options?: NodeOptions]
      : [input: NodeInput<TaskInput>, options?: NodeOptions]
  ): Node<Output> {
    const { name: given, after = [], join, quorum, ...execution } = options;
    const name = given ?? this.#freeName(task.name);
    if (this.#nodes.has(name)) throw new ConfigError(`the flow has two nodes "${name}"`);
    const depends = new Map<string, { node: string; data?: string }>();
    const bring = (node: Node<unknown>, as: string): Input => {
      if (depends.has(node.name))
        throw new ConfigError(`node "${name}" takes the result of "${node.name}" twice; pass it once`);
      depends.set(node.name, { node: node.name, data: `input:${as}` });
      return new Input(as);
    };
    const filled = withInputs(input, bring);
    for (const node of after) if (!depends.has(node.name)) depends.set(node.name, { node: node.name });
    const { namespace: _, ...body } = new Call(task as unknown as Task<never, Output>, filled, execution).body();
    this.#nodes.set(name, {
      ...body,
      name,
      ...(depends.size > 0 ? { depends_on: [...depends.values()] } : {}),
      ...(quorum !== undefined ? { join: { mode: 'quorum', k: quorum } } : join ? { join: { mode: join } } : {}),
    });
    this.#tasks.set(name, task as unknown as AnyTask);
    return new Node(name, task as unknown as Task<never, Output>);
  }

  #freeName(base: string): string {
    let name = base;
    for (let count = 2; this.#nodes.has(name); count += 1) name = `${base}-${count}`;
    return name;
  }

  /** The nodes as the server takes them, for `ctx.expand`. */
  nodes(): FlowNode[] {
    return [...this.#nodes.values()];
  }

  /** The whole flow as the server takes it. */
  document(): Omit<SubmitFlow, 'namespace'> & { namespace?: string } {
    const { namespace, tags, failurePolicy } = this.options;
    return {
      flow_id: this.flowId,
      flow_kind: this.kind,
      nodes: this.nodes(),
      ...(namespace ? { namespace } : {}),
      ...(tags ? { tags } : {}),
      ...(failurePolicy ? { failure_policy: failurePolicy } : {}),
    };
  }

  /** Hands the flow to the engine in one call. With `seal: false` running members may `ctx.expand` it. */
  async submit(app: App, options: { seal?: boolean } = {}): Promise<FlowHandle> {
    if (this.#nodes.size === 0) throw new ConfigError(`the flow "${this.kind}" has no nodes`);
    const namespace = this.options.namespace ?? app.namespace;
    const submitted = await app.client.flows.submit({ ...this.document(), namespace, seal: options.seal ?? true });
    return new FlowHandle(app.client, submitted.flow_id, submitted.nodes, this.#tasks);
  }
}

function withInputs(input: unknown, bring: (node: Node<unknown>, as: string) => Input): unknown {
  if (input instanceof Node) return bring(input, WHOLE);
  if (typeof input !== 'object' || input === null || input instanceof Uint8Array) return input;
  if (Array.isArray(input)) {
    if (input.some(item => item instanceof Node))
      throw new ConfigError('give each node a member of its own, not a place in a list');
    return input;
  }
  const members = Object.entries(input).map(([name, member]) => [
    name,
    member instanceof Node ? bring(member, name) : member,
  ]);
  return Object.fromEntries(members);
}

/** A flow that was submitted. */
export class FlowHandle {
  constructor(
    readonly client: Client,
    readonly flowId: string,
    /** Execution id of each node. */
    readonly nodes: Readonly<Record<string, string>>,
    private readonly tasks: ReadonlyMap<string, AnyTask>,
  ) {}

  /** The handle of a node's execution. */
  node<Output>(node: Node<Output>): Handle<Output> {
    const id = this.nodes[node.name];
    if (id === undefined || !this.tasks.has(node.name)) throw new ConfigError(`the flow has no node "${node.name}"`);
    return node.task.handle(id);
  }

  /** Waits for a node and gives its result. */
  result<Output>(node: Node<Output>, options: { timeout?: Duration } = {}): Promise<Output> {
    return this.node(node).result(options);
  }

  /** The flow's public state: `open`, `completed`, `failed` or `cancelled`. */
  async state(): Promise<string> {
    return (await this.client.flows.describe(this.flowId)).public_flow_state;
  }

  /** Waits until the flow has ended and gives its state; {@link ExecutionFailed} if that is not `completed`. */
  async wait(options: { timeout?: Duration } = {}): Promise<string> {
    const end = new AbortController();
    const timer = options.timeout === undefined ? undefined : setTimeout(() => end.abort(), toMs(options.timeout));
    try {
      // From the first event on, so that an end which was before is in it.
      for await (const item of this.client.streams.flowFeed(this.flowId, {}, { signal: end.signal })) {
        if (item.gap || item.kind !== 'flow') continue;
        const state = String(item.outcome);
        if (state !== 'completed') throw new ExecutionFailed(this.flowId, state);
        return state;
      }
    } finally {
      clearTimeout(timer);
      end.abort();
    }
    throw new ResultTimeout(`flow ${this.flowId} is still ${await this.state()}`);
  }

  /** Cancels the flow and everything in it. */
  async cancel(reason = 'cancelled by its submitter'): Promise<void> {
    await this.client.flows.cancel(this.flowId, { reason });
  }
}
