import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { App } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/testing/index.js';
import { until, working } from './support.js';

// Only the embedded store in memory has such a clock.
const skip = process.env.FF_TEST_VALKEY_PORT !== undefined;

async function started(t: TestContext): Promise<{ server: TestServer; app: App }> {
  const server = await startTestServer();
  t.after(() => server.stop());
  return { server, app: server.app() };
}

test('an approval times out when three days have passed', { skip }, async t => {
  const { server, app } = await started(t);
  const publish = app.task('publish', async ctx => {
    const decision = await ctx.approval('publish', { ask: 'Publish this?', to: 'legal', timeout: '3d' });
    return decision.timedOut ? 'nobody answered' : 'answered';
  });
  await working(app, async () => {
    const handle = await publish.submit();
    await until(async () => (await handle.state()) === 'suspended', 'the approval');
    await server.advance('2d');
    assert.equal(await handle.state(), 'suspended');
    await server.advance('1d');
    assert.equal(await handle.result({ timeout: '30s' }), 'nobody answered');
  });
});

test('a sleep of an hour ends when it has passed', { skip }, async t => {
  const { server, app } = await started(t);
  const nap = app.task('nap', async ctx => {
    await ctx.sleep('1h');
    return 'rested';
  });
  await working(app, async () => {
    const handle = await nap.submit();
    await until(async () => (await handle.state()) === 'delayed', 'the sleep');
    await server.advance('59m');
    assert.equal(await handle.state(), 'delayed');
    await server.advance('1m');
    assert.equal(await handle.result({ timeout: '30s' }), 'rested');
  });
});

test('a running handler keeps its lease', { skip }, async t => {
  const { server, app } = await started(t);
  let begun = false;
  let go = (): void => {};
  const gone = new Promise<void>(resolve => {
    go = resolve;
  });
  const busy = app.task('busy', async ctx => {
    begun = true;
    await gone;
    return ctx.attemptIndex;
  });
  await working(app, async () => {
    const handle = await busy.submit();
    await until(() => begun, 'the handler');
    await server.advance('3d');
    go();
    assert.equal(await handle.result({ timeout: '30s' }), 0);
  });
});

test('the time of data that is kept cannot be moved', { skip }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'ff-clock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const server = await startTestServer({ dataDir });
  await assert.rejects(server.advance('1s'), /keeps its data/);
  await server.stop();
  await assert.rejects(startTestServer({ dataDir, env: { FF_TEST_CLOCK: 'true' } }), /FF_TEST_CLOCK/);
});
