import { type CallOptions, Group } from './group.js';
import type {
  ApprovalLink,
  Approve,
  ChildOutcome,
  CreateApprovalLink,
  Created,
  CreateExecution,
  ExecutionInfo,
  ExecutionSummary,
  ItemError,
  ListExecutions,
  Outcome,
  Reclaim,
  RecordedStep,
  Replay,
  SendSignal,
  SignalAnswer,
  SignalRecord,
  Tags,
  WaitAnswer,
  Waitpoint,
} from './models.js';
import { escapeId } from './transport.js';
import { uuid } from './uuid.js';

const WAIT_MS = 25_000;

/** The path of an execution's routes. */
export function executionPath(id: string, rest = ''): string {
  return `/v1/executions/${escapeId(id)}${rest}`;
}

/** Units of work: create, look at, steer. */
export class Executions extends Group {
  /** Repeated after a lost reply only with an `execution_id` or an `idempotency_key`. */
  async create(request: CreateExecution, options?: CallOptions): Promise<Created> {
    const repeatable = request.execution_id !== undefined || request.idempotency_key !== undefined;
    const sending = { method: 'POST', path: '/v1/executions', body: request, repeatable, signal: options?.signal };
    return (await this.transport.json<Created>(sending)) as Created;
  }

  /** Up to 1000 at once; each succeeds or fails for itself. */
  async createBatch(executions: CreateExecution[]): Promise<(Created | ItemError)[]> {
    const repeatable = executions.every(one => one.execution_id !== undefined || one.idempotency_key !== undefined);
    const sending = { method: 'POST', path: '/v1/executions/batch', body: { executions }, repeatable };
    return (await this.transport.json<{ results: (Created | ItemError)[] }>(sending))?.results ?? [];
  }

  /** Every execution of a listing. */
  list(query: ListExecutions = {}): AsyncGenerator<ExecutionSummary, void, undefined> {
    return this.pages('/v1/executions', 'executions', query);
  }

  describe(id: string): Promise<ExecutionInfo> {
    return this.get(executionPath(id));
  }

  async state(id: string): Promise<string> {
    return (await this.get<{ public_state: string }>(executionPath(id, '/state'))).public_state;
  }

  /** Why it is not running. */
  explain(id: string): Promise<Record<string, unknown>> {
    return this.get(executionPath(id, '/explain'));
  }

  payload(id: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: 'GET', path: executionPath(id, '/payload'), repeatable: true });
  }

  /** The bytes of the result; {@link NotFound} unless it succeeded with one. */
  result(id: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: 'GET', path: executionPath(id, '/result'), repeatable: true });
  }

  /** A named input that a flow passed to this member. */
  input(id: string, name: string): Promise<Uint8Array> {
    const path = executionPath(id, `/inputs/${escapeId(name)}`);
    return this.transport.bytes({ method: 'GET', path, repeatable: true });
  }

  /** Waits for its end, for at most 30 s a call; `timed_out` when it did not come. */
  wait(id: string, blockMs = WAIT_MS, options?: CallOptions): Promise<WaitAnswer> {
    return this.get(executionPath(id, '/wait'), { block_ms: blockMs }, options, blockMs);
  }

  tags(id: string): Promise<Tags> {
    return this.get(executionPath(id, '/tags'));
  }

  setTags(id: string, tags: Tags): Promise<{ count: number }> {
    return this.put('PUT', executionPath(id, '/tags'), tags);
  }

  cancel(id: string, reason = '', source?: string): Promise<Outcome> {
    return this.put('POST', executionPath(id, '/cancel'), { reason, source });
  }

  setPriority(id: string, priority: number): Promise<Outcome> {
    return this.put('PUT', executionPath(id, '/priority'), { new_priority: priority });
  }

  replay(id: string, request: Replay = {}, subgraph = false): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/replay'), request, subgraph ? { subgraph: true } : undefined);
  }

  /** A grant for an execution whose lease was lost. */
  reclaim(id: string, request: Reclaim): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/reclaim'), request);
  }

  revokeLease(id: string, request: { expected_lease_id?: string; reason?: string } = {}): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/revoke-lease'), request);
  }

  releaseHold(id: string): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/release-hold'));
  }

  takeOver(
    id: string,
    request: { worker_id: string; worker_instance_id: string; lease_ttl_ms?: number; lease_id?: string },
  ): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/take-over'), request);
  }

  resume(
    id: string,
    request: { resume_delay_ms?: number; expected_suspension_id?: string; actor?: string } = {},
  ): Promise<Outcome> {
    return this.once('POST', executionPath(id, '/resume'), request);
  }

  /** With a `signal_id` or an `idempotency_key` a lost reply is repeated; one is minted if neither is given. */
  signal(id: string, request: SendSignal): Promise<SignalAnswer> {
    const minted = request.signal_id === undefined && request.idempotency_key === undefined;
    const body = minted ? { ...request, signal_id: uuid() } : request;
    return this.put('POST', executionPath(id, '/signal'), body);
  }

  /** Signals as an operator, without the waitpoint's token. */
  approve(id: string, request: Approve): Promise<SignalAnswer> {
    return this.put('POST', executionPath(id, '/approve'), request);
  }

  /** An address at which somebody without an account answers once. */
  createApprovalLink(id: string, waitpointId: string, request: CreateApprovalLink = {}): Promise<ApprovalLink> {
    return this.once('POST', executionPath(id, `/waitpoints/${escapeId(waitpointId)}/link`), request);
  }

  /** All links of the waitpoint, or the one of that id; how many it ended. */
  async revokeApprovalLinks(id: string, waitpointId: string, linkId?: string): Promise<number> {
    const path = executionPath(id, `/waitpoints/${escapeId(waitpointId)}/link`);
    return (await this.put<{ revoked: number }>('DELETE', path, {}, { link_id: linkId })).revoked;
  }

  async pendingWaitpoints(id: string): Promise<Waitpoint[]> {
    return (await this.get<{ waitpoints: Waitpoint[] }>(executionPath(id, '/pending-waitpoints'))).waitpoints;
  }

  /** Where a person is asked and has not answered, over all executions: soonest due first. */
  approvals(query: { namespace?: string; limit?: number } = {}): AsyncGenerator<Waitpoint, void, undefined> {
    return this.pages('/v1/approvals', 'approvals', query);
  }

  async waitpointToken(id: string, waitpointId: string): Promise<string> {
    const path = executionPath(id, `/waitpoints/${escapeId(waitpointId)}/token`);
    return (await this.get<{ token: string }>(path)).token;
  }

  /** The signals that reached a waitpoint, in order. */
  async *waitpointSignals(id: string, waitpointId: string): AsyncGenerator<SignalRecord, void, undefined> {
    const path = executionPath(id, `/waitpoints/${escapeId(waitpointId)}/signals`);
    yield* this.#after<SignalRecord>(path, 'signals');
  }

  signals(id: string): AsyncGenerator<SignalRecord, void, undefined> {
    return this.#after(executionPath(id, '/signals'), 'signals');
  }

  suspension(id: string): Promise<Record<string, unknown>> {
    return this.get(executionPath(id, '/suspension'));
  }

  suspensionCondition(id: string): Promise<Record<string, unknown>> {
    return this.get(executionPath(id, '/suspension/condition'));
  }

  attempts(id: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
    return this.pages(executionPath(id, '/attempts'), 'attempts', {});
  }

  leaseHistory(id: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
    return this.pages(executionPath(id, '/lease-history'), 'events', {});
  }

  /** The recorded steps, in the order of recording. */
  steps(id: string): AsyncGenerator<RecordedStep, void, undefined> {
    return this.#after(executionPath(id, '/steps'), 'steps');
  }

  /** The children that it called. */
  children(id: string): AsyncGenerator<ChildOutcome, void, undefined> {
    return this.#after(executionPath(id, '/children'), 'children');
  }

  async *#after<T>(path: string, items: string): AsyncGenerator<T, void, undefined> {
    let after: string | null | undefined;
    do {
      const page: Record<string, unknown> = await this.get(path, after ? { after } : undefined);
      yield* page[items] as T[];
      const next = (page.next_cursor ?? page.next) as string | number | null | undefined;
      after = next === null || next === undefined ? undefined : String(next);
    } while (after);
  }
}
