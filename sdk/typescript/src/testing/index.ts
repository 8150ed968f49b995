/**
 * A real server for tests: in memory, on a free port, with a clock that can be moved ahead.
 *
 * @packageDocumentation
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Duration, toMs } from '../client/duration.js';
import { ConfigError, FlowFabricError } from '../client/errors.js';
import { App, type AppOptions } from '../worker/app.js';

const START_MS = 60_000;
const STOP_MS = 20_000;
const LOG_MOST = 64 * 1024;

/** How a test server is started. */
export interface TestServerOptions {
  /** The program; see {@link findBinary}. */
  binary?: string;
  /** Where it keeps its data (`:memory:`). */
  dataDir?: string;
  /** Settings by their names in the environment. */
  env?: Record<string, string>;
  /** The address; a free port of 127.0.0.1 by default. */
  listen?: string;
}

/** The server's program: `FLOWFABRIC_BINARY`, else the installed package `flowfabric-server`, else the `PATH`. */
export function findBinary(): string {
  const named = process.env.FLOWFABRIC_BINARY;
  if (named) return named;
  try {
    const installed: unknown = createRequire(import.meta.url)('flowfabric-server');
    if (typeof (installed as { path?: unknown }).path === 'string') return (installed as { path: string }).path;
  } catch {
    // Not installed.
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, 'flowfabric');
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this one.
    }
  }
  throw new ConfigError(
    'no flowfabric program: set FLOWFABRIC_BINARY, install flowfabric-server, or add it to the PATH',
  );
}

const MOVED_WITHIN_MS = 60_000;

// What the environment sets for a real server is not meant for this one.
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FF_')));
}

/** A server that ends with the test. */
export class TestServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly output: () => string,
    private readonly token: string | undefined,
  ) {}

  /** Starts one and waits until it serves. */
  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const dataDir = options.dataDir ?? ':memory:';
    const env: NodeJS.ProcessEnv = {
      ...environment(),
      FF_DATA_DIR: dataDir,
      FF_LISTEN_ADDR: options.listen ?? '127.0.0.1:0',
      ...options.env,
    };
    if (env.FF_DATA_DIR === ':memory:' && (env.FF_BACKEND ?? 'embedded') === 'embedded') env.FF_TEST_CLOCK ??= 'true';
    const child = spawn(options.binary ?? findBinary(), ['server'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new FlowFabricError(`the server did not start in time:\n${output}`)),
        START_MS,
      );
      const read = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-LOG_MOST);
        const served = /flowfabric: serving (http\S+)/.exec(output);
        if (served?.[1]) {
          clearTimeout(timer);
          resolve(served[1]);
        }
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', error => reject(new ConfigError(`cannot start the server: ${error.message}`)));
      child.once('exit', code => reject(new FlowFabricError(`the server ended with ${code}:\n${output}`)));
    }).catch(error => {
      child.kill('SIGKILL');
      throw error;
    });
    return new TestServer(url, child, () => output, env.FF_API_TOKEN);
  }

  /** The process, for tests that kill it. */
  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** What it has written last. */
  get log(): string {
    return this.output();
  }

  /** An app that talks to this server. */
  app(options: AppOptions = {}): App {
    return new App({ url: this.url, ...options });
  }

  /**
   * Moves the server's time ahead, as if `by` had passed at once: timeouts, sleeps and schedules that fall due happen now.
   * Leases of running handlers live on. Only for servers in memory.
   */
  async advance(by: Duration): Promise<void> {
    const reply = await fetch(new URL('/v1/test/clock', this.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
      },
      body: JSON.stringify({ advance_ms: toMs(by) }),
      signal: AbortSignal.timeout(MOVED_WITHIN_MS),
    });
    const text = await reply.text();
    if (reply.status === 404) {
      throw new ConfigError(
        "this server's time cannot be moved: it keeps its data in a folder or a Valkey, or has FF_TEST_CLOCK=false",
      );
    }
    if (!reply.ok) throw new FlowFabricError(`the time was not moved: ${text}`);
  }

  /** SIGKILL, as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM, as an operator does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise(resolve => this.child.once('exit', resolve));
    this.child.kill(signal);
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** Starts a server for tests; `await using server = await startTestServer()` stops it, or `server.stop()`. */
export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return TestServer.start(options);
}
