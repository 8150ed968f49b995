import { Group } from './group.js';
import type {
  BudgetStatus,
  CreateBudget,
  CreateQuota,
  LaneStatus,
  Outcome,
  Scope,
  SetLane,
  Spend,
  UpdateBudget,
  UpdateQuota,
  Usage,
  UsageAnswer,
} from './models.js';
import { escapeId } from './transport.js';

/** How much may be spent. */
export class Budgets extends Group {
  create(request: CreateBudget): Promise<{ status: string; budget_id: string }> {
    return request.budget_id ? this.put('POST', '/v1/budgets', request) : this.once('POST', '/v1/budgets', request);
  }

  describe(id: string): Promise<BudgetStatus> {
    return this.get(`/v1/budgets/${escapeId(id)}`);
  }

  list(): AsyncGenerator<BudgetStatus, void, undefined> {
    return this.pages('/v1/budgets', 'budgets', {});
  }

  update(id: string, request: UpdateBudget): Promise<{ revision: number }> {
    return this.once('PUT', `/v1/budgets/${escapeId(id)}`, request);
  }

  /** Counts usage; a lost reply is repeated only with a `dedup_key`. */
  usage(id: string, request: Usage): Promise<UsageAnswer> {
    return this.#counted(`/v1/budgets/${escapeId(id)}/usage`, request);
  }

  /** Counts usage of an execution; a lost reply is repeated only with a `dedup_key`. */
  spend(id: string, request: Spend): Promise<UsageAnswer> {
    return this.#counted(`/v1/budgets/${escapeId(id)}/spend`, request);
  }

  release(id: string, executionId: string): Promise<Outcome> {
    return this.put('POST', `/v1/budgets/${escapeId(id)}/release`, { execution_id: executionId });
  }

  reset(id: string): Promise<Outcome> {
    return this.once('POST', `/v1/budgets/${escapeId(id)}/reset`);
  }

  attach(id: string, scope: Scope): Promise<Outcome> {
    return this.put('POST', `/v1/budgets/${escapeId(id)}/attach`, scope);
  }

  detach(id: string, scope: Scope): Promise<Outcome> {
    return this.put('POST', `/v1/budgets/${escapeId(id)}/detach`, scope);
  }

  #counted(path: string, request: Usage): Promise<UsageAnswer> {
    return request.dedup_key ? this.put('POST', path, request) : this.once('POST', path, request);
  }
}

/** How fast, and how many at once. */
export class Quotas extends Group {
  create(request: CreateQuota): Promise<{ status: string; quota_policy_id: string }> {
    return request.quota_policy_id ? this.put('POST', '/v1/quotas', request) : this.once('POST', '/v1/quotas', request);
  }

  describe(id: string): Promise<Record<string, unknown>> {
    return this.get(`/v1/quotas/${escapeId(id)}`);
  }

  list(): AsyncGenerator<Record<string, unknown>, void, undefined> {
    return this.pages('/v1/quotas', 'quotas', {});
  }

  update(id: string, request: UpdateQuota): Promise<{ revision: number }> {
    return this.once('PUT', `/v1/quotas/${escapeId(id)}`, request);
  }

  attach(id: string, scope: Scope): Promise<Outcome> {
    return this.put('POST', `/v1/quotas/${escapeId(id)}/attach`, scope);
  }

  detach(id: string, scope: Scope): Promise<Outcome> {
    return this.put('POST', `/v1/quotas/${escapeId(id)}/detach`, scope);
  }
}

/** Queues. */
export class Lanes extends Group {
  /** Counts are up to half a minute old unless they are made anew. */
  async list(query: { counts?: 'now' } = {}): Promise<LaneStatus[]> {
    return (await this.get<{ lanes: LaneStatus[] }>('/v1/lanes', query)).lanes;
  }

  set(lane: string, request: SetLane): Promise<Outcome> {
    return this.put('PUT', `/v1/lanes/${escapeId(lane)}`, request);
  }

  delete(lane: string): Promise<Outcome> {
    return this.put('DELETE', `/v1/lanes/${escapeId(lane)}`, undefined);
  }
}
