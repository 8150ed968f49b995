import { Group } from './group.js';
import type { ClaimGrant, Outcome, Overview, RegisterWorker, WorkerRecord } from './models.js';
import { escapeId } from './transport.js';

function instancePath(worker: string, instance: string, rest = ''): string {
  return `/v1/workers/${escapeId(worker)}/instances/${escapeId(instance)}${rest}`;
}

/** Who works. Claiming does not need registration; being seen does. */
export class Workers extends Group {
  list(query: { namespace?: string } = {}): AsyncGenerator<WorkerRecord, void, undefined> {
    return this.pages('/v1/workers', 'workers', query);
  }

  register(worker: string, instance: string, request: RegisterWorker): Promise<Outcome> {
    return this.put('PUT', instancePath(worker, instance), request);
  }

  heartbeat(worker: string, instance: string, request: { namespace: string; boot_id?: string }): Promise<Outcome> {
    return this.put('POST', instancePath(worker, instance, '/heartbeat'), request);
  }

  async deregister(
    worker: string,
    instance: string,
    namespace: string,
    request: { reason?: string; revoke_leases?: boolean } = {},
  ): Promise<void> {
    const path = instancePath(worker, instance);
    await this.transport.json({ method: 'DELETE', path, query: { namespace }, body: request, repeatable: true });
  }

  /** A grant only, for workers that claim against the store themselves; undefined when there is no work. */
  grant(worker: string, request: ClaimGrant): Promise<Outcome | undefined> {
    const path = `/v1/workers/${escapeId(worker)}/claim`;
    return this.transport.json<Outcome>({ method: 'POST', path, body: request, repeatable: false });
  }

  async leases(worker: string, instance: string): Promise<Record<string, unknown>[]> {
    return (await this.get<{ leases: Record<string, unknown>[] }>(instancePath(worker, instance, '/leases'))).leases;
  }
}

/** For operators. */
export class Admin extends Group {
  health(): Promise<Outcome> {
    return this.get('/healthz');
  }

  ready(): Promise<Outcome> {
    return this.get('/readyz');
  }

  capabilities(): Promise<Record<string, unknown>> {
    return this.get('/v1/capabilities');
  }

  /** Lanes with their last hour, and what waits for people or is near its limit. */
  overview(): Promise<Overview> {
    return this.get('/v1/overview');
  }

  openapi(): Promise<Record<string, unknown>> {
    return this.get('/openapi.json');
  }

  /** Prometheus text. */
  metrics(): Promise<string> {
    return this.transport.text({ method: 'GET', path: '/metrics', repeatable: true });
  }

  audit(
    query: { after?: string; limit?: number; block_ms?: number } = {},
  ): Promise<{ events: Record<string, unknown>[]; next: string }> {
    return this.get('/v1/admin/audit', query, undefined, query.block_ms ?? 0);
  }

  async rotateWaitpointSecret(newKid: string, newSecretHex: string): Promise<Record<string, unknown>> {
    const body = { new_kid: newKid, new_secret_hex: newSecretHex };
    const sending = {
      method: 'POST',
      path: '/v1/admin/rotate-waitpoint-secret',
      body,
      repeatable: false,
      waitMs: 100_000,
    };
    return (await this.transport.json<Record<string, unknown>>(sending)) ?? {};
  }

  waitpointKids(): Promise<Record<string, unknown>> {
    return this.get('/v1/admin/waitpoint-kids');
  }

  backup(folder: string): Promise<Outcome> {
    return this.once('POST', '/v1/admin/backup', { folder });
  }

  annotate(
    executionId: string,
    attemptIndex: number,
    frame: { frame_type: string; payload?: string; encoding?: string; source?: string },
  ): Promise<{ id: string; frame_count: number }> {
    return this.once(
      'POST',
      `/v1/admin/executions/${escapeId(executionId)}/attempts/${attemptIndex}/annotations`,
      frame,
    );
  }
}
