import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile, PACKAGE, Running } from './programs.js';
import { until, withServer } from './support.js';

const world = withServer();
let folder = '';
before(async () => {
  const source = join(PACKAGE, 'examples');
  const names = readdirSync(source).filter(name => name.endsWith('.ts'));
  folder = await compile(new Map(names.map(name => [name, readFileSync(join(source, name), 'utf8')])));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function example(name: string, args: string[] = [], env: Record<string, string> = {}): Running {
  return new Running(join(folder, name), world.server.url, args, env);
}

test('the agent uses its tools, is approved and answers', async () => {
  const output = await example('agent.js', ['Why?']).done();
  assert.match(output, /I look it up\. And how much is it\? "Why\?": short waves scatter more; 450 nm\./);
  assert.match(output, /approvedBy: 'ada'/);
});

test('the media pipeline joins what was rendered', async () => {
  const output = await example('media_pipeline.js').done();
  assert.match(output, /'holiday\.mov\.360p', 'holiday\.mov\.720p', 'holiday\.mov\.1080p'/);
});

test('the approval page asks, takes the answer and ends on SIGTERM', async () => {
  const program = example('approval_page.js', [], { PORT: '0' });
  const [url] = await program.says(/http:\/\/127\.0\.0\.1:\d+/);
  const page = await until(async () => {
    const text = await (await fetch(url)).text();
    return text.includes('The sky is blue') && text;
  }, 'the question');
  const execution = /name="execution" value="([^"]+)"/
    .exec(page)?.[1]
    ?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  const form = new URLSearchParams({ execution: execution ?? '', by: 'ada', answer: 'approve' });
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 200);
  await program.says(/published, says ada/);
  program.process.kill('SIGTERM');
  await program.done();
});
