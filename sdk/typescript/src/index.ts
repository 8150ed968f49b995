/**
 * Durable functions: an {@link App} has tasks, a worker runs them, a {@link Context} notes what they have done.
 *
 * @packageDocumentation
 */
import { randomUUID } from 'node:crypto';
import { setUuidSource } from './client/uuid.js';

setUuidSource(randomUUID);

export * from './client/index.js';
export { App, type AppOptions, type BudgetLimits } from './worker/app.js';
export { type Amounts, type ApprovalOptions, Context, type StepOptions, type WaitOptions } from './worker/context.js';
export { Flow, FlowHandle, type FlowOptions, Node, type NodeInput, type NodeOptions } from './worker/flow.js';
export { Handle, type SignalOptions } from './worker/handle.js';
export { logToStderr, type WorkerEvent, type WorkerLog } from './worker/log.js';
export { type Backoff, type ExecutionOptions, exponential, fixed, type Retry } from './worker/options.js';
export type { SchemaIssue, SchemaResult, StandardSchema } from './worker/schema.js';
export {
  Call,
  type Handler,
  Input,
  type InputsOf,
  type SubmitArguments,
  type SubmitOptions,
  Task,
  type TaskOptions,
} from './worker/task.js';
export { type Decision, EndOfRun, type Signal } from './worker/waiting.js';
export { Worker, type WorkerOptions } from './worker/worker.js';
