import { bytesFields } from '../client/bytes.js';
import type { Client } from '../client/client.js';
import { decode, encode } from '../client/codec.js';
import { type Duration, toMs } from '../client/duration.js';
import { ConfigError, ExecutionFailed, NotFound, ResultTimeout } from '../client/errors.js';
import type { ExecutionInfo, Waitpoint } from '../client/models.js';
import type { FollowStreamOptions, StreamFrame } from '../client/streams.js';

const WAIT_MS = 25_000;
const STREAM_TYPES = new Set(['token', 'text_chunk']);

/** How a signal is sent. */
export interface SignalOptions {
  /** Who sends it. */
  by?: string;
  category?: string;
  sourceType?: string;
  /** A repeated call with the same id is the same signal. */
  signalId?: string;
}

/** An execution that was submitted. */
export class Handle<Output> {
  constructor(
    readonly client: Client,
    readonly executionId: string,
    private readonly read: (value: unknown) => Promise<Output> = value => Promise.resolve(value as Output),
    /** False if the submission found an execution with the same id or key. */
    readonly created = true,
  ) {}

  /** What the server knows of it. */
  info(): Promise<ExecutionInfo> {
    return this.client.executions.describe(this.executionId);
  }

  /** waiting, active, suspended, delayed, completed, failed, ... */
  state(): Promise<string> {
    return this.client.executions.state(this.executionId);
  }

  /** Waits for the end and gives the outcome: success, failed, cancelled, expired or skipped. */
  async wait(options: { timeout?: Duration; signal?: AbortSignal } = {}): Promise<string> {
    const end = options.timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + toMs(options.timeout);
    for (;;) {
      const leftMs = Math.max(0, Math.min(WAIT_MS, Math.round(end - Date.now())));
      const answer = await this.client.executions.wait(
        this.executionId,
        leftMs,
        options.signal ? { signal: options.signal } : {},
      );
      if (!answer.timed_out) return answer.terminal_outcome ?? '';
      if (Date.now() >= end) throw new ResultTimeout(`execution ${this.executionId} is still ${answer.public_state}`);
    }
  }

  /** Waits for the end and gives the result; {@link ExecutionFailed} if it ended without one. */
  async result(options: { timeout?: Duration; signal?: AbortSignal } = {}): Promise<Output> {
    await this.wait(options);
    const info = await this.info();
    const outcome = info.state_vector.terminal_outcome ?? '';
    if (outcome !== 'success') {
      const reason = info.failure_reason ?? info.cancellation_reason ?? '';
      throw new ExecutionFailed(this.executionId, outcome, reason, info.failure_category ?? '');
    }
    return this.read(decode({ data: await this.#resultBytes(), encoding: info.result_encoding ?? '' }));
  }

  async #resultBytes(): Promise<Uint8Array | undefined> {
    try {
      return await this.client.executions.result(this.executionId);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** What handlers gave to `ctx.stream`, as text, until the execution has ended. */
  async *stream(options: FollowStreamOptions = {}): AsyncGenerator<string, void, undefined> {
    for await (const frame of this.frames(options)) {
      if (STREAM_TYPES.has(frame.type)) yield typeof frame.data === 'string' ? frame.data : String(frame.data);
    }
  }

  /** All frames: streamed text, logs, progress and the rest. */
  frames(options: FollowStreamOptions = {}): AsyncGenerator<StreamFrame, void, undefined> {
    return this.client.streams.follow(this.executionId, options);
  }

  /** Ends the execution. Its handler, if one runs, is told with the next renewal of its lease. */
  async cancel(reason = 'cancelled by its submitter'): Promise<void> {
    await this.client.executions.cancel(this.executionId, reason);
  }

  /** The waits that are open now; `waitpoint_key` is the name of each. */
  pending(): Promise<Waitpoint[]> {
    return this.client.executions.pendingWaitpoints(this.executionId);
  }

  /** Sends a signal to the open wait of that name and gives the effect it had. */
  async signal(wait: string, signal: string, payload?: unknown, options: SignalOptions = {}): Promise<string> {
    const open = (await this.pending()).find(waitpoint => waitpoint.waitpoint_key === wait);
    if (!open) {
      throw new ConfigError(`execution ${this.executionId} has no open wait "${wait}"; it may not have come there yet`);
    }
    const { data, encoding } = encode(payload);
    // Listings hold no tokens where the server redacts them.
    const token =
      open.waitpoint_token ?? (await this.client.executions.waitpointToken(this.executionId, open.waitpoint_id));
    const answer = await this.client.executions.signal(this.executionId, {
      waitpoint_id: open.waitpoint_id,
      waitpoint_token: token,
      ...(options.signalId ? { signal_id: options.signalId } : {}),
      signal_name: signal,
      signal_category: options.category ?? 'custom',
      source_type: options.sourceType ?? 'external_api',
      source_identity: options.by ?? 'application',
      ...bytesFields('payload', data),
      ...(encoding ? { payload_encoding: encoding } : {}),
    });
    return answer.effect ?? answer.status;
  }

  /** Answers the approval of that name with yes; `data` is a comment or the filled form. */
  async approve(wait: string, by: string, data?: unknown): Promise<void> {
    await this.signal(wait, 'approved', data, { by, category: 'approval', sourceType: 'user' });
  }

  /** Answers the approval of that name with no. */
  async reject(wait: string, by: string, data?: unknown): Promise<void> {
    await this.signal(wait, 'rejected', data, { by, category: 'rejection', sourceType: 'user' });
  }
}
