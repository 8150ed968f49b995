import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, ExecutionFailed, Fatal, fixed, NotFound, Retryable, TerminalError } from '../src/index.js';
import { freshLane, until, withServer, working } from './support.js';

const world = withServer();

test('a submitted task runs and its handle gives the result', async () => {
  const app = world.server.app({ lane: freshLane() });
  const greet = app.task('greet', (_ctx, name: string) => ({ greeting: `Hello, ${name}!` }));
  await working(app, async () => {
    const handle = await greet.submit('world');
    assert.deepEqual(await handle.result({ timeout: '20s' }), { greeting: 'Hello, world!' });
    assert.equal(await handle.state(), 'completed');
  });
});

test('bytes go in and come out as they are, and nothing is nothing', async () => {
  const app = world.server.app({ lane: freshLane() });
  const all = Uint8Array.from({ length: 256 }, (_, at) => at);
  const echo = app.task('echo', (_ctx, data: Uint8Array) => data);
  const nothing = app.task('nothing', (_ctx, input?: string) => {
    assert.equal(input, undefined);
  });
  await working(app, async () => {
    const handle = await echo.submit(all);
    assert.deepEqual(await handle.result({ timeout: '20s' }), all);
    assert.equal(await (await nothing.submit()).result({ timeout: '20s' }), null);
  });
});

test('an idempotency key makes the second submission the first one', async () => {
  const app = world.server.app({ lane: freshLane() });
  const once = app.task('once', () => 1);
  const first = await once.submit(undefined, { idempotencyKey: 'k-1' });
  const second = await once.submit(undefined, { idempotencyKey: 'k-1' });
  assert.equal(second.executionId, first.executionId);
  assert.deepEqual([first.created, second.created], [true, false]);
});

test('errors retry as the policy says, Fatal does not, and the reason names the place', async () => {
  const app = world.server.app({ lane: freshLane() });
  let tries = 0;
  const flaky = app.task('flaky', { retry: { attempts: 3, backoff: fixed('10ms') } }, () => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
    return tries;
  });
  const never = app.task('never', { retry: { attempts: 5, backoff: fixed('10ms') } }, () => {
    throw new Fatal('rejected by ada', { category: 'rejected' });
  });
  await working(app, async () => {
    assert.equal(await (await flaky.submit()).result({ timeout: '30s' }), 3);
    const failing = await never.submit();
    await assert.rejects(failing.result({ timeout: '30s' }), (error: ExecutionFailed) => {
      assert.ok(error instanceof ExecutionFailed);
      assert.equal(error.category, 'rejected');
      assert.match(error.reason, /^Fatal: rejected by ada\nat .*worker\.test/);
      return true;
    });
    assert.equal((await failing.info()).total_attempt_count, 1);
  });
});

test('a worker asks for the kinds it can do, and others stay where they are', async () => {
  const lane = freshLane();
  const here = world.server.app({ lane });
  const there = world.server.app({ lane });
  const ours = here.task('ours', () => 'here');
  const theirs = there.task('theirs', ctx => ctx.attemptType);
  const strangers = await there.submitMany(Array.from({ length: 20 }, () => theirs.of()));
  const lines: string[] = [];
  await working(
    here,
    async () => {
      for (let n = 0; n < 3; n += 1) assert.equal(await (await ours.submit()).result({ timeout: '30s' }), 'here');
    },
    { log: line => lines.push(line.event) },
  );
  assert.ok(!lines.includes('kinds_without_handler'), lines.join());
  await working(there, async () => {
    assert.equal(await strangers[0]?.result({ timeout: '30s' }), 'initial');
  });
});

test('a kind without a handler goes back unbegun and another worker does it', async () => {
  const lane = freshLane();
  const here = world.server.app({ lane });
  const there = world.server.app({ lane });
  // More kinds than a claim can ask for.
  for (let n = 0; n < 65; n += 1) here.task(`kind-${n}`, () => n);
  const theirs = there.task('theirs', () => 'there');
  const handle = await theirs.submit();
  const lines: string[] = [];
  await working(
    here,
    async () => {
      await until(() => lines.includes('kinds_without_handler'), 'the release');
      await working(there, async () => {
        assert.equal(await handle.result({ timeout: '30s' }), 'there');
      });
    },
    { log: line => lines.push(line.event) },
  );
  assert.equal((await handle.info()).total_attempt_count, 1);
});

test('a thousand tasks are each done once', async () => {
  const app = world.server.app({ lane: freshLane() });
  const seen = new Set<number>();
  let runs = 0;
  const square = app.task('square', (_ctx, n: number) => {
    runs += 1;
    seen.add(n);
    return n * n;
  });
  const handles = await app.submitMany(Array.from({ length: 1000 }, (_, n) => square.of(n)));
  await working(
    app,
    async () => {
      await Promise.all(
        [0, 500, 999].map(async n => assert.equal(await handles[n]?.result({ timeout: '60s' }), n * n)),
      );
      await until(() => seen.size === 1000, 'the last of a thousand');
    },
    { concurrency: 512 },
  );
  assert.equal(runs, 1000);
});

test('stop lets handlers end, claims nothing more, and leaves the registry', async () => {
  const app = world.server.app({ lane: freshLane() });
  let begun = (): void => undefined;
  const started = new Promise<void>(resolve => {
    begun = resolve;
  });
  let finish = (): void => undefined;
  const gate = new Promise<void>(resolve => {
    finish = resolve;
  });
  const slow = app.task('slow', async () => {
    begun();
    await gate;
    return 'done';
  });
  const handle = await slow.submit();
  const worker = app.worker({ poll: '10s', workerId: 'drainer' });
  const done = worker.run();
  await started;
  await until(async () => {
    for await (const one of app.client.workers.list({ namespace: 'default' }))
      if (one.worker_instance_id === worker.instanceId) return true;
    return false;
  }, 'the registration');
  const stopped = worker.stop();
  const later = await slow.submit();
  finish();
  await stopped;
  await done;
  assert.equal(await handle.result({ timeout: '20s' }), 'done');
  assert.equal(await later.state(), 'waiting');
  for await (const one of app.client.workers.list({ namespace: 'default' }))
    assert.notEqual(one.worker_instance_id, worker.instanceId);
});

test('what does not end in time is given back and goes on elsewhere', async () => {
  const app = world.server.app({ lane: freshLane() });
  let aborted = 0;
  const stuck = app.task(
    'stuck',
    ctx =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => {
          aborted += 1;
          reject(ctx.signal.reason);
        });
      }),
  );
  const handle = await stuck.submit();
  const worker = app.worker({ drain: '50ms', poll: '2s' });
  const done = worker.run();
  await until(() => worker.held === 1, 'the task');
  await worker.stop();
  await done;
  assert.equal(aborted, 1);
  assert.equal(await handle.state(), 'waiting');
  assert.equal((await handle.info()).retry_count ?? 0, 0);
});

test('a cancelled execution aborts its handler', async () => {
  const app = world.server.app({ lane: freshLane() });
  let reason: unknown;
  const long = app.task(
    'long',
    ctx =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => {
          reason = ctx.signal.reason;
          reject(reason);
        });
      }),
  );
  const handle = await long.submit();
  await working(
    app,
    async () => {
      await until(async () => (await handle.state()) === 'active', 'the handler');
      await handle.cancel('no longer wanted');
      await until(() => reason !== undefined, 'the abort');
      assert.equal(await handle.wait({ timeout: '10s' }), 'cancelled');
    },
    { leaseTtl: '1500ms', log: () => undefined },
  );
  assert.match(String(reason), /no longer ours/);
});

test('output is streamed while the task runs, with logs beside it', async () => {
  const app = world.server.app({ lane: freshLane() });
  const talk = app.task('talk', async ctx => {
    await ctx.log('beginning', { attempt: ctx.attemptIndex });
    for (const token of ['a', 'b', 'ü', '€']) await ctx.stream(token);
    await ctx.progress(40.2, 'nearly');
  });
  await working(app, async () => {
    const handle = await talk.submit();
    const tokens: string[] = [];
    for await (const token of handle.stream()) tokens.push(token);
    assert.deepEqual(tokens, ['a', 'b', 'ü', '€']);
    const frames = [];
    for await (const frame of handle.frames()) frames.push(frame);
    const log = frames.find(frame => frame.type === 'log');
    assert.deepEqual(log?.data, { level: 'info', message: 'beginning', attempt: 0 });
    const rest = [];
    for await (const frame of handle.frames({ cursor: frames[1]?.cursor ?? '' })) rest.push(frame.data);
    assert.deepEqual(rest, ['b', 'ü', '€']);
  });
});

test('the version of the code is shown with each attempt', async () => {
  const lane = freshLane();
  const older = world.server.app({ lane });
  const newer = world.server.app({ lane });
  const retry = { attempts: 2, backoff: fixed('10ms') };
  const before = older.task('versioned', { version: '1', retry }, () => {
    void worker.stop();
    throw new Error('the next version does better');
  });
  newer.task('versioned', { version: '2' }, () => undefined);
  const handle = await before.submit();
  const worker = older.worker({ log: () => undefined });
  await worker.run();
  await working(newer, async () => {
    await handle.result({ timeout: '30s' });
  });
  const versions = [];
  for (const attempt of [0, 1]) {
    const { frames } = await newer.client.streams.read(handle.executionId, attempt);
    for (const { fields } of frames) versions.push(JSON.parse(fields.payload ?? '{}').version);
  }
  assert.deepEqual(versions, ['1', '2']);
});

test('a feed tells of completions and goes on from its cursor', async () => {
  const lane = freshLane();
  const app = world.server.app({ lane });
  const quick = app.task('quick', () => 1);
  const end = new AbortController();
  const feed = app.client.streams.feed('completion', { lane, cursor: 'earliest' }, { signal: end.signal });
  await working(app, async () => {
    const handle = await quick.submit();
    for await (const item of feed) {
      if (item.gap || item.execution_id !== handle.executionId) continue;
      assert.equal(item.outcome, 'success');
      break;
    }
    end.abort();
  });
});

test('refusals are errors of their class, and a mistake is named', async () => {
  const { client } = world.server.app();
  await assert.rejects(client.executions.describe('{fp:1}:00000000-0000-4000-8000-000000000000'), NotFound);
  await assert.rejects(
    client.executions.create({ execution_kind: 'x', paylod: 'y' } as never),
    (error: TerminalError) => {
      assert.ok(error instanceof TerminalError);
      assert.equal(error.code, 'invalid_input');
      assert.match(error.message, /paylod/);
      return true;
    },
  );
  assert.throws(() => world.server.app().worker(), ConfigError);
});

test('Retryable with a time is tried again after it, and counted', async () => {
  const app = world.server.app({ lane: freshLane() });
  const busy = app.task('busy', { retry: { attempts: 2 } }, () => {
    throw new Retryable('come back');
  });
  await working(app, async () => {
    const handle = await busy.submit();
    await assert.rejects(handle.result({ timeout: '30s' }), { category: 'retryable' });
    assert.equal((await handle.info()).total_attempt_count, 2);
  });
});

test('a Retryable waits for a server that is away before it counts its failures', async () => {
  const lane = freshLane();
  let cuts = 0;
  // More than one request is repeated, less than the lease lasts.
  const cutSteps: typeof fetch = async (input, init) => {
    if (/\/steps(\?|$)/.test(String(input)) && (init?.method ?? 'GET') === 'GET' && cuts < 6) {
      cuts += 1;
      throw new TypeError('fetch failed');
    }
    return fetch(input, init);
  };
  const app = world.server.app({ lane, fetch: cutSteps });
  let runs = 0;
  const heavy = app.task('heavy', { retry: { attempts: 3 } }, async ctx => {
    runs += 1;
    // Steps of 4.5 MB do not come with the claim.
    if (runs === 1) for (const n of [1, 2, 3, 4, 5]) await ctx.step(`part-${n}`, () => 'x'.repeat(900_000));
    if (runs <= 2) throw new Retryable('busy', { after: '10ms' });
    return runs;
  });
  await working(app, async () => {
    assert.equal(await (await heavy.submit()).result({ timeout: '60s' }), 3);
  });
  assert.equal(cuts, 6);
});

test('whatever a handler throws is a failure that says what it was', async () => {
  const app = world.server.app({ lane: freshLane() });
  const odd = app.task('odd', { retry: { attempts: 2, backoff: fixed('10ms') } }, (_ctx, which: number) => {
    const thrown = [Object.create(null), new Retryable('later', { after: 'soon' }), null];
    throw thrown[which];
  });
  await working(app, async () => {
    for (const [which, reason] of [/null prototype/, /"soon" is not a duration/, /null/].entries()) {
      const handle = await odd.submit(which);
      await assert.rejects(handle.result({ timeout: '20s' }), (error: ExecutionFailed) => {
        assert.match(error.reason, reason);
        assert.equal(error.category, 'handler_error');
        return true;
      });
    }
  });
});
