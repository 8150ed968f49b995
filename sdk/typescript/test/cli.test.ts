import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freshLane, withServer } from './support.js';

const world = withServer();
const source = new URL('../src/', import.meta.url);

test('flowfabric-worker works on the tasks of a module until SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ff-cli-'));
  const lane = freshLane();
  const module = join(folder, 'tasks.mjs');
  writeFileSync(
    module,
    `import { App } from '${new URL('index.js', source)}';
export const app = new App();
app.task('shout', { lane: '${lane}' }, (_ctx, text) => text.toUpperCase());
`,
  );
  const worker = spawn(process.execPath, [fileURLToPath(new URL('cli.js', source)), module], {
    env: { ...process.env, FF_SERVER_URL: world.server.url },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise(resolve => worker.once('exit', resolve));
  try {
    const app = world.server.app({ lane });
    const shout = app.task<string, string>('shout', () => '');
    assert.equal(await (await shout.submit('quiet')).result({ timeout: '30s' }), 'QUIET');
  } finally {
    worker.kill('SIGTERM');
  }
  assert.equal(await ended, 0);
  rmSync(folder, { recursive: true });
});
