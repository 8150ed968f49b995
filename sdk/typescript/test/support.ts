import { after, before } from 'node:test';
import type { App, Worker, WorkerOptions } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/testing/index.js';

/** Servers of this file's tests: on the store that FF_TEST_STORE names. */
export function withServer(): { readonly server: TestServer } {
  let running: TestServer | undefined;
  before(async () => {
    // Tests share it, so nobody moves its time.
    running = await startTestServer({ env: { FF_TEST_CLOCK: 'false', ...storeSettings() } });
  });
  after(async () => {
    await running?.stop();
  });
  return {
    get server(): TestServer {
      if (!running) throw new Error('the server is not there yet');
      return running;
    },
  };
}

/** `embedded`, or `valkey` at FF_TEST_VALKEY_PORT. */
export function storeSettings(): Record<string, string> {
  const port = process.env.FF_TEST_VALKEY_PORT;
  if (!port) return {};
  return { FF_BACKEND: 'valkey', FF_PORT: port, FF_WAITPOINT_HMAC_SECRET: '5e'.repeat(32) };
}

let lanes = 0;

/** A lane of its own for each test, so that they do not take each other's work. */
export function freshLane(): string {
  lanes += 1;
  return `lane-${process.pid}-${lanes}`;
}

/** Runs a worker while `body` runs. */
export async function working(app: App, body: () => Promise<void>, options: WorkerOptions = {}): Promise<Worker> {
  const worker = app.worker({ poll: '2s', drain: '5s', ...options });
  const done = worker.run();
  try {
    await Promise.race([body(), done.then(() => Promise.reject(new Error('the worker ended early')))]);
  } finally {
    await worker.stop();
    await done;
  }
  return worker;
}

/** Waits until `check` gives something. */
export async function until<T>(
  check: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
