// prepare.mjs <folder>: copies the package there, installs what it is built with, and compiles it and its tests.
// Nothing is written into the source tree, and what is up to date is not done again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = resolve(process.argv[2] ?? join(source, '..', '..', 'build', 'typescript'));
const KEPT = [
  'package.json',
  'package-lock.json',
  'README.md',
  'biome.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'src',
  'test',
  'scripts',
];

mkdirSync(folder, { recursive: true });
for (const name of KEPT) {
  rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(join(source, name), join(folder, name), { recursive: true });
}
// Its tests run the examples and what the documents show.
for (const [from, to] of [
  ['examples/typescript', 'examples'],
  ['docs', 'docs'],
]) {
  rmSync(join(folder, to), { recursive: true, force: true });
  cpSync(join(source, '..', '..', from), join(folder, to), { recursive: true });
}

const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
const wanted = createHash('sha256')
  .update(readFileSync(join(folder, 'package-lock.json')))
  .digest('hex');
const installed = join(folder, '.installed');
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted) {
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  writeFileSync(installed, wanted);
}
const bin = name => join(folder, 'node_modules', '.bin', name);
run(bin('biome'), 'check', '.');
for (const name of ['dist', 'out']) rmSync(join(folder, name), { recursive: true, force: true });
run(bin('tsc'), '-p', 'tsconfig.json');
run(bin('tsc'), '-p', 'test/tsconfig.json');
