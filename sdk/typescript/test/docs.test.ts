import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile, PACKAGE, Running } from './programs.js';
import { withServer } from './support.js';

const world = withServer();
const BLOCK = /^```ts runnable\n([\s\S]*?)^```/gm;
const PRINTS = /\/\/ prints (.+)$/gm;

const pages = readdirSync(join(PACKAGE, 'docs'), { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.md'),
);
const blocks = new Map<string, string>();
for (const page of pages.sort()) {
  const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8');
  [...text.matchAll(BLOCK)].forEach(([, block = ''], at) => {
    // Ten thousand of something are too many for a test.
    blocks.set(`${page.replace(/\W/g, '_')}_${at + 1}.ts`, block.replace('10_000', '300'));
  });
}

let folder = '';
before(async () => {
  folder = await compile(blocks);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('there are blocks that run', () => assert.ok(blocks.size >= 15));

// A reader's server is seldom a new one: every block runs again on the server on which it ran.
const twice = [...blocks].flatMap(([name, block]) => ['', ' again'].map(time => ({ name, block, time })));

for (const { name, block, time } of twice) {
  test(`${name} does what it says${time}`, async () => {
    const output = await new Running(join(folder, name.replace(/ts$/, 'js')), world.server.url).done();
    let from = 0;
    for (const [, line = ''] of block.matchAll(PRINTS)) {
      const at = output.indexOf(line, from);
      assert.ok(at >= 0, `it did not print ${line} then:\n${output}`);
      from = at + line.length;
    }
  });
}
