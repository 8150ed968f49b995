import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE, Running, run } from './programs.js';
import { withServer } from './support.js';

const world = withServer();
const SKIP = process.env.FF_TEST_VALKEY_PORT !== undefined && 'the same on every store';

test(
  'npm pack, npm install into an empty project: the program of the README compiles and runs',
  { skip: SKIP },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ff-install-'));
    try {
      // What `prepack` would compile is compiled, and other tests use it.
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, '--loglevel=error'], {
        cwd: PACKAGE,
      });
      const [packed = ''] = readdirSync(folder);
      assert.match(packed, /^flowfabric-.*\.tgz$/);
      writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
      // Offline: it depends on nothing.
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', `./${packed}`], {
        cwd: folder,
      });
      assert.deepEqual(
        readdirSync(join(folder, 'node_modules')).filter(name => !name.startsWith('.')),
        ['flowfabric'],
      );
      const [, program = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
      writeFileSync(join(folder, 'hello.ts'), program);
      const compiler = join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc');
      const types = ['--types', 'node', '--typeRoots', join(PACKAGE, 'node_modules', '@types')];
      const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', ...types, 'hello.ts'];
      await run(process.execPath, [compiler, ...options], { cwd: folder }).catch((error: { stdout: string }) =>
        assert.fail(error.stdout),
      );
      const output = await new Running(join(folder, 'hello.js'), world.server.url).done();
      assert.match(output, /^Hello, world!$/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
