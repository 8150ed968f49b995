import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { App, Handle } from '../src/index.js';
import { startTestServer } from '../src/testing/index.js';
import { sketch } from './programs/sketch.js';
import { freshLane, until, withServer } from './support.js';

const world = withServer();
const PROGRAM = fileURLToPath(new URL('programs/sketch.js', import.meta.url));
const AT_A_TIME = 8;
// Every call in turn takes minutes: a run waits for the end of the dead worker's leases.
const STRIDE = process.env.FF_SOAK ? 1 : 4;
const POINTS_LEAST = Math.floor(12 / STRIDE);
const POINTS_MOST = 60;

type Research = Handle<{ question: string; by: string; parts: string[] }>;

function startWorker(url: string, lane: string, effects: string, more: Record<string, string> = {}): ChildProcess {
  const env = {
    ...process.env,
    FF_SERVER_URL: url,
    SKETCH_LANE: lane,
    SKETCH_EFFECTS: effects,
    ...more,
  };
  return spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'inherit', 'inherit'] });
}

function exited(worker: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise(resolve => {
    if (worker.exitCode !== null || worker.signalCode !== null) resolve(worker.signalCode);
    else worker.once('exit', (_code, signal) => resolve(signal));
  });
}

/** Says yes as soon as somebody is asked. */
async function approveWhenAsked(handle: Research, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const [open] = await handle.pending();
    if (open) {
      await handle.approve('publish', 'legal');
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

function submit(app: App, lane: string): Promise<Research> {
  return sketch(app).research.submit('sky', { lane });
}

function checkEffects(file: string, mayRepeat: boolean): void {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  let repeated = 0;
  for (const name of ['search', 'announce', 'store', 'translate-de', 'translate-fr']) {
    const count = lines.filter(line => line === name).length;
    assert.ok(count >= 1 && count <= 2, `${name} happened ${count} times`);
    repeated += count - 1;
  }
  // A crash lies between one effect and its record at most; the two children run at the same time.
  assert.ok(repeated <= (mayRepeat ? 2 : 0), `${repeated} effects were repeated`);
}

const RESULT = { question: 'sky', by: 'legal', parts: ['de:sky-1+sky-2', 'fr:sky-1+sky-2'] };

/** One run whose worker dies at the point; false when the run ended before it came there. */
async function dieAt(folder: string, point: string): Promise<boolean> {
  const lane = freshLane();
  const effects = join(folder, point.replace(':', '-'));
  writeFileSync(effects, '');
  const handle = await submit(world.server.app(), lane);
  const end = new AbortController();
  const approving = approveWhenAsked(handle, end.signal);
  const first = startWorker(world.server.url, lane, effects, { SKETCH_KILL: point });
  const over = handle.wait({ timeout: '120s' });
  const died = await Promise.race([exited(first).then(signal => signal === 'SIGKILL'), over.then(() => false)]);
  const second = startWorker(world.server.url, lane, effects);
  try {
    assert.deepEqual(await handle.result({ timeout: '120s' }), RESULT);
    await over;
  } finally {
    end.abort();
    for (const worker of [first, second]) worker.kill('SIGTERM');
    await Promise.all([exited(first), exited(second)]);
    await approving.catch(() => undefined);
  }
  // Killed before it was sent: the record of the effect, if that is what it was.
  checkEffects(effects, died);
  return died;
}

test('kill -9 of the worker at one call after the other: the result is right, and effects happen once where recorded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ff-crash-'));
  let next = 1;
  let deaths = 0;
  let last = POINTS_MOST;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (next <= last) {
        const point = next;
        next += STRIDE;
        for (const when of ['before', 'after']) {
          if (await dieAt(folder, `${point}:${when}`)) deaths += 1;
          else last = Math.min(last, point);
        }
      }
    }),
  );
  rmSync(folder, { recursive: true });
  assert.ok(last < POINTS_MOST, 'there is an end to the calls');
  assert.ok(deaths >= 2 * POINTS_LEAST, `the worker was killed at ${deaths} points`);
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

test('kill -9 of the server at three points: the worker goes on when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ff-server-'));
  const listen = `127.0.0.1:${await freePort()}`;
  const start = () => startTestServer({ dataDir: join(folder, 'data'), listen });
  let server = await start();
  const crash = async (): Promise<void> => {
    await server.kill();
    // Away for longer than one request is repeated.
    await new Promise(resolve => setTimeout(resolve, 1500));
    server = await start();
  };
  const lane = freshLane();
  const effects = join(folder, 'effects');
  writeFileSync(effects, '');
  const worker = startWorker(server.url, lane, effects, { SKETCH_LEASE: '90s' });
  try {
    const handle = await submit(server.app(), lane);
    await until(() => readFileSync(effects, 'utf8').includes('search'), 'the search');
    await crash();
    await until(async () => (await handle.pending()).length === 1, 'the question');
    await crash();
    await handle.approve('publish', 'legal');
    await until(() => readFileSync(effects, 'utf8').includes('translate'), 'the children');
    await crash();
    assert.deepEqual(await handle.result({ timeout: '120s' }), RESULT);
    // Nobody died who did something: nothing failed, nothing was repeated.
    checkEffects(effects, false);
    assert.equal((await handle.info()).total_attempt_count, 1);
  } finally {
    worker.kill('SIGTERM');
    await exited(worker);
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
