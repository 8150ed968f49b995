import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The installed package: what its users write compiles and runs below it, where `flowfabric` is its own name. */
export const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const LAST_WAIT_MS = 60_000;

export const run = promisify(execFile);

/** Compiles programs as strictly as the SDK itself; gives the folder with the compiled ones. */
export async function compile(programs: ReadonlyMap<string, string>): Promise<string> {
  const folder = mkdtempSync(join(PACKAGE, 'programs-'));
  try {
    for (const [name, text] of programs) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const options = {
      extends: '../tsconfig.base.json',
      compilerOptions: { rootDir: '.', outDir: '.' },
      include: ['.'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    const compiler = join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout: string }) =>
      assert.fail(error.stdout),
    );
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return folder;
}

/** A program that runs, with what it has written. */
export class Running {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output = '';
  #heard: (() => void)[] = [];

  constructor(program: string, url: string, args: string[] = [], env: Record<string, string> = {}) {
    this.process = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, FF_SERVER_URL: url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const hear = (chunk: Buffer): void => {
      this.output += chunk;
      for (const wake of this.#heard.splice(0)) wake();
    };
    this.process.stdout?.on('data', hear);
    this.process.stderr?.on('data', hear);
    this.ended = new Promise(resolve => {
      this.process.once('close', code => {
        resolve(code);
        for (const wake of this.#heard.splice(0)) wake();
      });
    });
  }

  /** Waits until it has written something like this. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), LAST_WAIT_MS);
    try {
      for (;;) {
        const found = pattern.exec(this.output);
        if (found) return found;
        if (this.process.exitCode !== null || this.process.signalCode !== null) {
          await this.ended;
          const last = pattern.exec(this.output);
          if (last) return last;
          assert.fail(`it ended without saying ${pattern}:\n${this.output}`);
        }
        await new Promise<void>(resolve => this.#heard.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits until it has ended well. */
  async done(): Promise<string> {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), LAST_WAIT_MS);
    const code = await this.ended;
    clearTimeout(timer);
    assert.equal(code, 0, this.output);
    return this.output;
  }
}
