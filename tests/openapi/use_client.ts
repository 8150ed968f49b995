// use_client.js <url> <token>: create, list, claim, suspend, signal, claim again, complete, with the generated types.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './fabric.js';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

/** The data of an answer; an error body fails the program. */
function granted<T>(answer: { data?: T; error?: unknown }): NonNullable<T> {
  if (answer.data === undefined || answer.data === null) throw new Error(`refused: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

async function claim(): Promise<components['schemas']['Task']> {
  const body = { worker_instance_id: 'w-1', lanes: ['generated'], wait_ms: 10000 };
  const answer = await client.POST('/v1/workers/{worker_id}/tasks/claim', {
    params: { path: { worker_id: 'w' } },
    body,
  });
  const [task, ...others] = granted(answer).tasks;
  assert.ok(task);
  assert.equal(others.length, 0);
  return task;
}

const created = granted(
  await client.POST('/v1/executions', {
    body: { execution_kind: 'greet', lane_id: 'generated', payload: 'Ada' },
  }),
);
assert.equal(created.status, 'created');
const page = granted(await client.GET('/v1/executions', { params: { query: { lane: 'generated' } } }));
const ids = page.executions.map(one => (typeof one === 'string' ? one : one.execution_id));
assert.deepEqual(ids, [created.execution_id]);

const first = await claim();
const path = { id: first.execution_id };
assert.equal(first.payload, 'Ada');
const paused = granted(
  await client.POST('/v1/executions/{id}/suspend', {
    params: { path },
    body: { task_token: first.task_token, signals: ['go'] },
  }),
);
const receipt = granted(
  await client.POST('/v1/executions/{id}/signal', {
    params: { path },
    body: { signal_name: 'go', waitpoint_id: paused.waitpoint_id, waitpoint_token: paused.waitpoint_token },
  }),
);
assert.equal(receipt.status, 'accepted');

const again = await claim();
const done = granted(
  await client.POST('/v1/executions/{id}/complete', {
    params: { path },
    body: { task_token: again.task_token, result: 'Hello, Ada' },
  }),
);
assert.equal(done.public_state, 'completed');
const found = granted(await client.GET('/v1/executions/{id}', { params: { path } }));
assert.equal(found.total_attempt_count, 1);

const refused = await client.GET('/v1/executions/{id}', { params: { path: { id: 'no-id' } } });
assert.equal(refused.error?.code, 'invalid_input');
