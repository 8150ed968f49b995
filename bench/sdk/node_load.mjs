// One worker process of the TypeScript SDK under load. Prints one JSON line. Arguments: folder of the compiled package,
// server, tasks, samples.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, url, tasksText, samplesText] = process.argv.slice(2);
const { App } = await import(pathToFileURL(join(folder, 'dist', 'index.js')).href);
const tasks = Number(tasksText);
const samples = Number(samplesText);
const SLOTS = 1024;

const app = new App({ url, lane: 'bench' });
let begun = 0;
let ran = 0;
const noop = app.task('noop', () => {
  begun ||= performance.now();
  ran += 1;
});
const resumed = new Map();
const asks = app.task('asks', async ctx => {
  await ctx.waitFor('answer', { signals: ['yes'] });
  resumed.set(ctx.executionId, performance.now());
});
const soon = ms => new Promise(resolve => setTimeout(resolve, ms));

await app.submitMany(Array.from({ length: tasks }, () => noop.of()));
const worker = app.worker({ concurrency: SLOTS });
const working = worker.run();
while (ran < tasks || worker.held > 0) await soon(2);
const rate = tasks / ((performance.now() - begun) / 1000);

const results = [];
for (let n = 0; n < samples; n += 1) {
  const start = performance.now();
  await (await noop.submit()).result({ timeout: '30s' });
  results.push(performance.now() - start);
}
const resumes = [];
for (let n = 0; n < samples; n += 1) {
  const handle = await asks.submit();
  while ((await handle.state()) !== 'suspended') await soon(2);
  const start = performance.now();
  await handle.signal('answer', 'yes');
  await handle.result({ timeout: '30s' });
  resumes.push(resumed.get(handle.executionId) - start);
}
await worker.stop();
await working;
const sorted = values => values.sort((a, b) => a - b);
console.log(JSON.stringify({ tasks_per_s: rate, result_ms: sorted(results), resumed_ms: sorted(resumes) }));
process.exit(0);
