import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, ExecutionFailed, Flow } from '../src/index.js';
import { freshLane, withServer, working } from './support.js';

const world = withServer();

test('results travel along the edges of a flow', async () => {
  const app = world.server.app({ lane: freshLane() });
  const fetchPage = app.task('fetch', (_ctx, url: string) => ({ url, words: 3 }));
  const count = app.task('count', (_ctx, page: { url: string; words: number }) => page.words);
  const join = app.task('join', (_ctx, parts: { title: string; left: number; right: number }) => {
    return `${parts.title}: ${parts.left + parts.right}`;
  });
  const flow = new Flow('report', { tags: { 'team.name': 'docs' } });
  const [first, second] = [flow.add(fetchPage, 'a'), flow.add(fetchPage, 'b')];
  const [left, right] = [flow.add(count, first), flow.add(count, second, { name: 'right' })];
  const end = flow.add(join, { title: 'words', left, right });
  assert.equal(second.name, 'fetch-2');
  await working(app, async () => {
    const handle = await flow.submit(app);
    assert.equal(await handle.result(end, { timeout: '30s' }), 'words: 6');
    assert.equal(await handle.wait({ timeout: '30s' }), 'completed');
    const again = await flow.submit(app);
    assert.deepEqual(again.nodes, handle.nodes);
  });
});

test('a failed node ends a flow that fails fast and its handle says so', async () => {
  const app = world.server.app({ lane: freshLane() });
  const fails = app.task('fails', { retry: { attempts: 1 } }, () => {
    throw new Error('no');
  });
  const never = app.task('never', () => 1);
  const flow = new Flow('doomed', { failurePolicy: 'fail_fast' });
  flow.add(never, undefined, { after: [flow.add(fails)] });
  await working(app, async () => {
    const handle = await flow.submit(app);
    await assert.rejects(handle.wait({ timeout: '30s' }), ExecutionFailed);
  });
});

test('mistakes in a flow are found where they are made', () => {
  const app = world.server.app();
  const pair = app.task('pair', (_ctx, input: { a: number; b: number }) => input.a + input.b);
  const one = app.task('one', () => 1);
  const flow = new Flow('wrong');
  const node = flow.add(one);
  assert.throws(() => flow.add(pair, { a: node, b: node }), ConfigError);
  assert.throws(() => flow.add(one, undefined, { name: 'one' }), /two nodes "one"/);
});
