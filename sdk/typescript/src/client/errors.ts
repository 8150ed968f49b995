import type { Duration } from './duration.js';

/** Base of everything this package throws on purpose. */
export class FlowFabricError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** A mistake in the program: a missing setting, a name used twice, an option that does not exist. */
export class ConfigError extends FlowFabricError {}

/** No answer came from the server. The request may or may not have been carried out. */
export class ConnectError extends FlowFabricError {
  readonly retryable = true;
}

/** The server, or something between it and us, sent a body that is not what the route answers. */
export class MalformedResponse extends FlowFabricError {}

/** What an error reply of the server holds. */
export interface ApiErrorFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errorClass: string;
  readonly retryable: boolean;
  readonly detail: unknown;
  /** The body as it came. */
  readonly raw: string;
}

/** The server refused a request. Programs look at `code`, `retryable` and `detail`; the message is for people. */
export class ApiError extends FlowFabricError {
  readonly status: number;
  readonly code: string;
  readonly errorClass: string;
  readonly retryable: boolean;
  readonly detail: unknown;
  readonly raw: string;

  constructor(fields: ApiErrorFields) {
    super(fields.message.includes(fields.code) ? fields.message : `${fields.message} (${fields.code})`);
    this.status = fields.status;
    this.code = fields.code;
    this.errorClass = fields.errorClass;
    this.retryable = fields.retryable;
    this.detail = fields.detail;
    this.raw = fields.raw;
  }

  /** Whether the server refused the field `name` of the body because it does not know it. */
  refusesField(name: string): boolean {
    return this.status === 400 && this.raw.includes(`unknown field \`${name}\``);
  }
}

/** Class `terminal`: stop, do not repeat. */
export class TerminalError extends ApiError {}
/** Class `retryable`: repeat after a pause. The client has already repeated what is safe to repeat. */
export class RetryableError extends ApiError {}
/** Class `cooperative`: take the named action, then stop. */
export class CooperativeError extends ApiError {}
/** Class `informational`: what was asked for is so already. */
export class InformationalError extends ApiError {}
/** Class `expected`: a normal empty state, such as a stream without frames. */
export class ExpectedError extends ApiError {}
/** Class `soft_error`: log it and go on. */
export class SoftError extends ApiError {}
/** Class `bug`: the server found its own state broken. Tell its operator. */
export class ServerBug extends ApiError {}
/** The execution, flow, budget or route does not exist. */
export class NotFound extends TerminalError {}
/** The API token is missing or wrong. */
export class Unauthorized extends TerminalError {}

const BY_CLASS: Readonly<Record<string, typeof ApiError>> = {
  terminal: TerminalError,
  retryable: RetryableError,
  cooperative: CooperativeError,
  informational: InformationalError,
  expected: ExpectedError,
  soft_error: SoftError,
  bug: ServerBug,
};
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

function fieldsOf(raw: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(raw);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The error for a reply that is not a success. */
export function apiError(status: number, raw: string): ApiError {
  const body = fieldsOf(raw);
  const retryable = typeof body.retryable === 'boolean' ? body.retryable : RETRYABLE_STATUSES.has(status);
  const errorClass = typeof body.class === 'string' ? body.class : retryable ? 'retryable' : 'terminal';
  let kind = BY_CLASS[errorClass] ?? TerminalError;
  if (kind === TerminalError && status === 404) kind = NotFound;
  if (kind === TerminalError && status === 401) kind = Unauthorized;
  const message = body.message ?? body.error;
  return new kind({
    status,
    code: typeof body.code === 'string' ? body.code : status === 401 ? 'unauthorized' : 'api',
    message: typeof message === 'string' ? message : `the server answered ${status}`,
    errorClass,
    retryable,
    detail: body.detail ?? [],
    raw,
  });
}

/** An execution whose result was asked for ended without one. */
export class ExecutionFailed extends FlowFabricError {
  constructor(
    readonly executionId: string,
    readonly outcome: string,
    readonly reason = '',
    readonly category = '',
  ) {
    super(`execution ${executionId} ended ${outcome}${reason ? `: ${reason}` : ''}`);
  }
}

/** A child called with `ctx.call` or `ctx.gather` ended without success. */
export class ChildFailed extends ExecutionFailed {
  constructor(
    readonly childName: string,
    executionId: string,
    outcome: string,
    reason = '',
    category = '',
  ) {
    super(executionId, outcome, reason, category);
  }
}

/** `handle.result({ timeout })` ran out; the execution goes on. */
export class ResultTimeout extends FlowFabricError {}

/** How a handler's failure is to be recorded. */
export interface FailureOptions {
  /** The category that policies look at. */
  category?: string;
  cause?: unknown;
}

/** Thrown by a handler: this attempt failed, try again, `after` a time or when the retry policy says so. */
export class Retryable extends FlowFabricError {
  readonly after: Duration | undefined;
  readonly category: string;
  constructor(message = '', options: FailureOptions & { after?: Duration } = {}) {
    super(message, { cause: options.cause });
    this.after = options.after;
    this.category = options.category ?? 'retryable';
  }
}

/** Thrown by a handler: this execution failed for good, whatever its retry policy says. */
export class Fatal extends FlowFabricError {
  readonly category: string;
  constructor(message = '', options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.category = options.category ?? 'fatal';
  }
}

/** `ctx.spend` passed a hard limit. Left uncaught, the worker does what the budget asks for (`action`). */
export class BudgetExceeded extends FlowFabricError {
  constructor(
    readonly budgetId: string,
    readonly dimension: string,
    readonly action: string,
    readonly current: number,
    readonly limit: number,
  ) {
    super(`budget ${budgetId}: ${dimension} is at ${current} of ${limit}`);
  }
}

/** `ctx.waitFor` got no signal before its timeout. */
export class WaitTimedOut extends FlowFabricError {
  constructor(readonly waitName: string) {
    super(`no signal came for "${waitName}" in time`);
  }
}

/** Bytes do not fit the declared type. */
export class DecodeError extends FlowFabricError {}

/** A recorded step no longer fits the type that the code declares for it. */
export class StepTypeChanged extends FlowFabricError {
  constructor(
    readonly step: string,
    why: string,
  ) {
    super(
      `the recorded value of step "${step}" no longer fits its declared type (${why}); ` +
        'give the step a new name, or a schema that reads the old value',
    );
  }
}

/** Two steps or waits of one run have the same name. */
export class DuplicateStepName extends ConfigError {
  constructor(step: string) {
    super(`the name "${step}" was used twice in one run; steps are found by name, so give each its own`);
  }
}

/** The lease of the task ended: it was revoked, ran out, or the execution was cancelled. The reason of `ctx.signal`. */
export class LeaseLost extends FlowFabricError {}
