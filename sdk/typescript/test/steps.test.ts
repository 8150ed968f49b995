import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { BudgetExceeded, Fatal, fixed } from '../src/index.js';
import { freshLane, until, withServer, working } from './support.js';

const world = withServer();

test('a recorded step is not done again, whatever fails behind it', async () => {
  const app = world.server.app({ lane: freshLane() });
  const done: string[] = [];
  let tries = 0;
  const work = app.task('work', { retry: { attempts: 3, backoff: fixed('10ms') } }, async (ctx, input: string) => {
    const first = await ctx.step('first', () => {
      done.push('first');
      return { input, at: new Date(0) };
    });
    const bytes = await ctx.step('bytes', () => {
      done.push('bytes');
      return Uint8Array.of(0, 255, 10);
    });
    const nothing = await ctx.step('nothing', () => {
      done.push('nothing');
    });
    tries += 1;
    if (tries < 3) throw new Error('crash');
    return { first, bytes: [...bytes], nothing: nothing ?? null };
  });
  await working(app, async () => {
    const handle = await work.submit('x');
    // What the handler gets is what was kept, the first time as well.
    const kept = { first: { input: 'x', at: '1970-01-01T00:00:00.000Z' }, bytes: [0, 255, 10], nothing: null };
    assert.deepEqual(await handle.result({ timeout: '30s' }), kept);
    const names = [];
    for await (const step of app.client.executions.steps(handle.executionId)) names.push(step.name);
    assert.deepEqual(names, ['first', 'bytes', 'nothing']);
  });
  assert.deepEqual(done, ['first', 'bytes', 'nothing']);
});

test('steps next to each other are recorded together, and a hundred of them are found again', async () => {
  const app = world.server.app({ lane: freshLane() });
  let runs = 0;
  let tries = 0;
  const wide = app.task('wide', { retry: { attempts: 2, backoff: fixed('10ms') } }, async ctx => {
    const values = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ctx.step(`part-${n}`, () => {
          runs += 1;
          return n;
        }),
      ),
    );
    tries += 1;
    if (tries === 1) throw new Error('again');
    return values.reduce((sum, n) => sum + n, 0);
  });
  await working(app, async () => {
    assert.equal(await (await wide.submit()).result({ timeout: '30s' }), 4950);
  });
  assert.equal(runs, 100);
});

test('a name used twice in one run is an error that says so', async () => {
  const app = world.server.app({ lane: freshLane() });
  const twice = app.task('twice', { retry: { attempts: 1 } }, async ctx => {
    await ctx.step('same', () => 1);
    await ctx.step('same', () => 2);
  });
  await working(app, async () => {
    await assert.rejects((await twice.submit()).result({ timeout: '30s' }), /"same" was used twice/);
  });
});

test('a recorded value that no longer fits ends the execution and names the step', async () => {
  const app = world.server.app({ lane: freshLane() });
  let tries = 0;
  const changed = app.task('changed', { retry: { attempts: 5, backoff: fixed('10ms') } }, async ctx => {
    tries += 1;
    if (tries === 1) {
      await ctx.step('total', () => 'twelve');
      throw new Error('deployed anew');
    }
    await ctx.step('total', () => 12, { schema: z.number() });
  });
  await working(app, async () => {
    const handle = await changed.submit();
    await assert.rejects(handle.result({ timeout: '30s' }), { category: 'step_type_changed' });
    assert.match((await handle.info()).failure_reason ?? '', /step "total"/);
  });
  assert.equal(tries, 2);
});

test('an input that does not fit its schema is not tried again', async () => {
  const app = world.server.app({ lane: freshLane() });
  const order = app.task('order', { input: z.object({ amount: z.number().positive() }) }, (_ctx, { amount }) => amount);
  await working(app, async () => {
    assert.equal(await (await order.submit({ amount: 3 })).result({ timeout: '30s' }), 3);
    const wrong = await order.submit({ amount: -1 });
    await assert.rejects(wrong.result({ timeout: '30s' }), { category: 'extractor_payload_decode' });
    assert.match((await wrong.info()).failure_reason ?? '', /amount/);
  });
});

test('a sleep frees the worker and the handler goes on behind it', async () => {
  const app = world.server.app({ lane: freshLane() });
  const runs: string[] = [];
  const nap = app.task('nap', async ctx => {
    runs.push('begin');
    try {
      await ctx.sleep('300ms');
      await ctx.sleep('1ms');
    } finally {
      runs.push('finally');
    }
    return 'rested';
  });
  await working(app, async () => {
    const handle = await nap.submit();
    assert.equal(await handle.result({ timeout: '30s' }), 'rested');
    assert.equal((await handle.info()).total_attempt_count, 1);
  });
  assert.deepEqual(runs, ['begin', 'finally', 'begin', 'finally', 'begin', 'finally']);
});

test('a signal ends a wait and its payload is the answer, also to later runs', async () => {
  const app = world.server.app({ lane: freshLane() });
  let tries = 0;
  const wait = app.task('wait', { retry: { attempts: 2, backoff: fixed('10ms') } }, async ctx => {
    const signal = await ctx.waitFor<{ ok: boolean }>('callback', { signals: ['paid'], timeout: '1m' });
    tries += 1;
    if (tries === 1) throw new Error('after the wait');
    return { ...signal.data, by: signal.by };
  });
  await working(app, async () => {
    const handle = await wait.submit();
    await until(async () => (await handle.state()) === 'suspended', 'the wait');
    await handle.signal('callback', 'paid', { ok: true }, { by: 'bank' });
    assert.deepEqual(await handle.result({ timeout: '30s' }), { ok: true, by: 'bank' });
  });
  assert.equal(tries, 2);
});

test('an approval is a yes, a no, or nothing in time', async () => {
  const app = world.server.app({ lane: freshLane() });
  const publish = app.task('publish', async (ctx, timeout: string) => {
    const decision = await ctx.approval<string>('publish', { timeout });
    if (decision.timedOut) return 'nobody answered';
    if (!decision.approved) throw new Fatal(`rejected by ${decision.by}: ${decision.data}`);
    return `approved by ${decision.by}`;
  });
  await working(app, async () => {
    const [yes, no, late] = [await publish.submit('1m'), await publish.submit('1m'), await publish.submit('100ms')];
    for (const one of [yes, no]) await until(async () => (await one.pending()).length === 1, 'the question');
    await yes.approve('publish', 'ada');
    await no.reject('publish', 'bob', 'too long');
    assert.equal(await yes.result({ timeout: '30s' }), 'approved by ada');
    await assert.rejects(no.result({ timeout: '30s' }), /rejected by bob: too long/);
    assert.equal(await late.result({ timeout: '30s' }), 'nobody answered');
  });
});

test('a handler that swallows the end of its run waits all the same', async () => {
  const app = world.server.app({ lane: freshLane() });
  const careless = app.task('careless', async ctx => {
    try {
      await ctx.sleep('50ms');
    } catch {
      return 'swallowed';
    }
    return 'slept';
  });
  await working(app, async () => {
    assert.equal(await (await careless.submit()).result({ timeout: '30s' }), 'slept');
  });
});

test('a wait beside a running step lets the step be recorded first', async () => {
  const app = world.server.app({ lane: freshLane() });
  let runs = 0;
  const both = app.task('both', async ctx => {
    const [value] = await Promise.all([
      ctx.step('slow', async () => {
        runs += 1;
        await new Promise(resolve => setTimeout(resolve, 100));
        return 7;
      }),
      ctx.sleep('10ms'),
    ]);
    return value;
  });
  await working(app, async () => {
    assert.equal(await (await both.submit()).result({ timeout: '30s' }), 7);
  });
  assert.equal(runs, 1);
});

test('Repair 18: trySpend asks and counts nothing past a limit, spend tells', async () => {
  const app = world.server.app({ lane: freshLane() });
  const budget = `asked-${process.pid}-${freshLane()}`;
  await app.budget(budget, { hard: { total_tokens: 20 } });
  const work = app.task('ask', async ctx => {
    const answers = [await ctx.trySpend({ tokens: 18 }), await ctx.trySpend({ tokens: 3 })];
    await assert.rejects(ctx.spend({ tokens: 3 }), BudgetExceeded);
    return answers;
  });
  await working(app, async () => {
    assert.deepEqual(await (await work.submit(undefined, { budget })).result({ timeout: '30s' }), [true, false]);
  });
  const status = await app.budget(budget, { hard: { total_tokens: 20 } });
  assert.equal(status.usage.total_tokens, 21);
});

test('spending is counted once however often the handler runs, and a limit ends it', async () => {
  const app = world.server.app({ lane: freshLane() });
  const budget = `team-${process.pid}-${freshLane()}`;
  await app.budget(budget, { hard: { total_tokens: 1000 } });
  let tries = 0;
  const spend = app.task('spend', { retry: { attempts: 3, backoff: fixed('10ms') } }, async (ctx, tokens: number) => {
    await ctx.spend({ tokens, costUsd: '0.0123' });
    tries += 1;
    if (tries === 1) throw new Error('again');
    return 'ok';
  });
  await working(app, async () => {
    assert.equal(await (await spend.submit(600, { budget })).result({ timeout: '30s' }), 'ok');
    const status = await app.budget(budget, { hard: { total_tokens: 1000 } });
    assert.equal(status.usage.total_tokens, 600);
    const over = await spend.submit(600, { budget });
    await assert.rejects(over.result({ timeout: '30s' }), { category: 'budget_exceeded' });
  });
});
