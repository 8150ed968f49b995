import { executionPath } from './executions.js';
import { Group } from './group.js';
import type {
  AppendFrames,
  CallChildren,
  Claimed,
  ClaimTasks,
  CompleteTask,
  CreateWaitpoint,
  DelayTask,
  FailTask,
  ItemDone,
  ItemError,
  NewStep,
  Outcome,
  RecordedStep,
  RenewLeases,
  SignalRecord,
  Suspend,
  Suspended,
  TaskUsage,
  UsageAnswer,
} from './models.js';
import { escapeId } from './transport.js';

/** How a call about a task is sent. */
export interface TaskCallOptions {
  signal?: AbortSignal | undefined;
  attempts?: number;
}

/**
 * What a worker calls. All of it may be repeated after a lost reply, because the lease decides: the second call answers
 * what the first one did. {@link App} does all of this by itself; these methods are for workers of one's own.
 */
export class Tasks extends Group {
  /** Claims tasks and completes finished ones, waiting for `wait_ms`. Nothing is an empty list. */
  async claim(workerId: string, request: ClaimTasks, options: TaskCallOptions = {}): Promise<Claimed> {
    const path = `/v1/workers/${escapeId(workerId)}/tasks/claim`;
    // Without a claim_id a lost reply would lose its tasks until their leases end.
    const repeatable = request.claim_id !== undefined && request.first_try !== true;
    const answer = await this.transport.json<Claimed>({
      method: 'POST',
      path,
      body: request,
      repeatable,
      waitMs: request.wait_ms ?? 0,
      ...options,
    });
    return answer ?? { tasks: [] };
  }

  async renew(workerId: string, request: RenewLeases, options?: TaskCallOptions): Promise<(ItemDone | ItemError)[]> {
    const path = `/v1/workers/${escapeId(workerId)}/leases/renew`;
    const sending = { method: 'POST', path, body: request, repeatable: true, ...options };
    return (await this.transport.json<{ results: (ItemDone | ItemError)[] }>(sending))?.results ?? [];
  }

  /** Renews one lease. */
  renewOne(
    id: string,
    body: { task_token: string; lease_ttl_ms?: number },
    options?: TaskCallOptions,
  ): Promise<Outcome> {
    return this.#act(id, '/renew', body, options);
  }

  complete(completion: CompleteTask & { execution_id: string }, options?: TaskCallOptions): Promise<Outcome> {
    const { execution_id, ...body } = completion;
    return this.#act(execution_id, '/complete', body, options);
  }

  fail(id: string, body: FailTask, options?: TaskCallOptions): Promise<Outcome> {
    return this.#act(id, '/fail', body, options);
  }

  suspend(id: string, body: Suspend, options?: TaskCallOptions): Promise<Suspended> {
    return this.#act(id, '/suspend', body, options);
  }

  delay(id: string, body: DelayTask, options?: TaskCallOptions): Promise<Outcome> {
    return this.#act(id, '/delay', body, options);
  }

  release(id: string, body: { task_token: string; unbegun?: boolean }, options?: TaskCallOptions): Promise<Outcome> {
    return this.#act(id, '/release', body, options);
  }

  waitChildren(
    id: string,
    body: { task_token: string; steps?: NewStep[] },
    options?: TaskCallOptions,
  ): Promise<Outcome> {
    return this.#act(id, '/wait-children', body, options);
  }

  callChildren(id: string, body: CallChildren, options?: TaskCallOptions): Promise<Outcome> {
    return this.#act(id, '/call-children', body, options);
  }

  async recordSteps(
    id: string,
    body: { task_token: string; steps: NewStep[] },
    options?: TaskCallOptions,
  ): Promise<RecordedStep[]> {
    return (await this.#act<{ steps: RecordedStep[] }>(id, '/steps', body, options)).steps;
  }

  appendFrames(id: string, attemptIndex: number, body: AppendFrames, options?: TaskCallOptions): Promise<Outcome> {
    const repeatable = body.frames.every(frame => frame.seq !== undefined);
    const path = executionPath(id, `/attempts/${attemptIndex}/stream`);
    return this.transport.json<Outcome>({ method: 'POST', path, body, repeatable, ...options }) as Promise<Outcome>;
  }

  progress(
    id: string,
    body: { task_token: string; pct?: number; message?: string },
    options?: TaskCallOptions,
  ): Promise<Outcome> {
    return this.#act(id, '/progress', body, options);
  }

  /** A lost reply is repeated only with a `dedup_key`. */
  async usage(id: string, body: TaskUsage, options?: TaskCallOptions): Promise<UsageAnswer[]> {
    const sending = {
      method: 'POST',
      path: executionPath(id, '/usage'),
      body,
      repeatable: body.dedup_key !== undefined,
      ...options,
    };
    return (await this.transport.json<{ results: UsageAnswer[] }>(sending))?.results ?? [];
  }

  /** A waitpoint before suspending, so that its token can be handed out first. */
  createWaitpoint(
    id: string,
    body: CreateWaitpoint,
  ): Promise<{ waitpoint_id: string; waitpoint_key: string; waitpoint_token: string; expires_at: number }> {
    return this.once('POST', executionPath(id, '/waitpoints'), body);
  }

  closeWaitpoint(id: string, waitpointId: string, body: { task_token: string; reason: string }): Promise<Outcome> {
    return this.#act(id, `/waitpoints/${escapeId(waitpointId)}/close`, body);
  }

  /** The signals that ended the last suspension of an attempt. */
  async resumeSignals(id: string, attemptIndex: number): Promise<SignalRecord[]> {
    const path = executionPath(id, '/resume-signals');
    return (await this.get<{ signals: SignalRecord[] }>(path, { attempt_index: attemptIndex })).signals;
  }

  async #act<T>(id: string, route: string, body: object, options?: TaskCallOptions): Promise<T> {
    const sending = { method: 'POST', path: executionPath(id, route), body, repeatable: true, ...options };
    return (await this.transport.json<T>(sending)) as T;
  }
}
