import { Group } from './group.js';
import type {
  CancelFlowAnswer,
  CreateFlow,
  ExpandFlow,
  FlowInfo,
  FlowSubmitted,
  Outcome,
  StageEdge,
  SubmitFlow,
  Tags,
} from './models.js';
import { escapeId } from './transport.js';

function flowPath(id: string, rest = ''): string {
  return `/v1/flows/${escapeId(id)}${rest}`;
}

/** Graphs of executions. */
export class Flows extends Group {
  create(request: CreateFlow): Promise<{ status: string; flow_id: string }> {
    return this.#keyed('/v1/flows', request, request.flow_id);
  }

  /** A whole graph in one call. Repeated after a lost reply only with a `flow_id`. */
  submit(request: SubmitFlow): Promise<FlowSubmitted> {
    return this.#keyed('/v1/flows/submit', request, request.flow_id);
  }

  /** More nodes for a live flow. Repeated after a lost reply only with a `mutation_id`. */
  expand(id: string, request: ExpandFlow): Promise<FlowSubmitted> {
    return this.#keyed(flowPath(id, '/expand'), request, request.mutation_id);
  }

  seal(id: string, expectedGraphRevision?: number): Promise<Outcome> {
    return this.put('POST', flowPath(id, '/seal'), { expected_graph_revision: expectedGraphRevision });
  }

  describe(id: string): Promise<FlowInfo> {
    return this.get(flowPath(id));
  }

  summary(id: string): Promise<FlowInfo> {
    return this.get(flowPath(id, '/summary'));
  }

  list(
    query: { partition?: number; namespace?: string; tag?: string; state?: string; limit?: number } = {},
  ): AsyncGenerator<FlowInfo, void, undefined> {
    return this.pages('/v1/flows', 'flows', query);
  }

  graph(id: string, query: { cursor?: string; limit?: number } = {}): Promise<Record<string, unknown>> {
    return this.get(flowPath(id, '/graph'), query);
  }

  members(id: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
    return this.pages(flowPath(id, '/members'), 'members', {});
  }

  edges(id: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
    return this.pages(flowPath(id, '/edges'), 'edges', {});
  }

  addMember(id: string, executionId: string): Promise<Outcome> {
    return this.once('POST', flowPath(id, '/members'), { execution_id: executionId });
  }

  stageEdge(id: string, edge: StageEdge, apply = false): Promise<Outcome> {
    return this.once('POST', flowPath(id, '/edges'), edge, apply ? { apply: true } : undefined);
  }

  applyEdge(
    id: string,
    edge: Omit<StageEdge, 'expected_graph_revision'> & { graph_revision?: number },
  ): Promise<Outcome> {
    return this.once('POST', flowPath(id, '/edges/apply'), edge);
  }

  setEdgeGroup(
    id: string,
    executionId: string,
    group: { policy: string; k?: number; on_satisfied?: string; expected_n?: number },
  ): Promise<Outcome> {
    return this.put('PUT', flowPath(id, `/edge-groups/${escapeId(executionId)}`), group);
  }

  setTags(id: string, tags: Tags): Promise<{ count: number }> {
    return this.put('PUT', flowPath(id, '/tags'), tags);
  }

  cancel(
    id: string,
    request: { reason?: string; cancellation_policy?: string } = {},
    query: { wait?: boolean; timeout_ms?: number } = {},
  ): Promise<CancelFlowAnswer> {
    return this.put('POST', flowPath(id, '/cancel'), request, query);
  }

  #keyed<T>(path: string, request: object, key: string | undefined): Promise<T> {
    return key === undefined ? this.once('POST', path, request) : this.put('POST', path, request);
  }
}
