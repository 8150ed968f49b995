// test.mjs <folder> <program> [<valkey-server>]: runs the compiled tests of <folder> against a real server, whose store is
// embedded or a Valkey of its own, and ends with their count.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [folder, program, valkey] = process.argv.slice(2);
if (!folder || !program) throw new Error('usage: test.mjs <folder> <program> [<valkey-server>]');

const freePort = () =>
  new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

const env = { ...process.env, FLOWFABRIC_BINARY: resolve(program) };
const temp = mkdtempSync(join(tmpdir(), 'ff-typescript-'));
let store;
if (valkey) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', temp];
  store = spawn(valkey, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((done, failed) => {
    store.once('exit', code => failed(new Error(`${valkey} ended with ${code}`)));
    store.stdout.on('data', text => String(text).includes('Ready to accept') && done());
  });
  env.FF_TEST_VALKEY_PORT = String(port);
}
const tests = join(folder, 'out', 'test');
const files = readdirSync(tests)
  .filter(name => name.endsWith('.test.js'))
  .map(name => join(tests, name));
const run = spawn(process.execPath, ['--test', ...files], { env, stdio: 'inherit' });
const code = await new Promise(done => run.once('exit', done));
store?.kill('SIGKILL');
rmSync(temp, { recursive: true, force: true });
process.exit(code ?? 1);
