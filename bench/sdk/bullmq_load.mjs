// BullMQ under the same load. Prints one JSON line. Arguments: folder of node_modules, tasks, samples; the port of a Valkey
// is in BENCH_VALKEY_PORT.
import { createRequire } from 'node:module';

const [folder, tasksText, samplesText] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { Queue, QueueEvents, Worker } = require('bullmq');
const tasks = Number(tasksText);
const connection = { host: '127.0.0.1', port: Number(process.env.BENCH_VALKEY_PORT) };
const BATCH = 1000;
const SLOTS = 1024;
// It keeps no more than it must.
const opts = { removeOnComplete: true, removeOnFail: true };

const queue = new Queue('bench', { connection });
for (let sent = 0; sent < tasks; sent += BATCH)
  await queue.addBulk(Array.from({ length: Math.min(BATCH, tasks - sent) }, () => ({ name: 'noop', data: {}, opts })));

let begun = 0;
let completed = 0;
let wake = () => {};
const worker = new Worker(
  'bench',
  async () => {
    begun ||= performance.now();
    return null;
  },
  { connection, concurrency: SLOTS },
);
worker.on('completed', () => {
  completed += 1;
  if (completed >= tasks) wake();
});
if (completed < tasks) await new Promise(resolve => {
  wake = resolve;
});
const rate = tasks / ((performance.now() - begun) / 1000);

const events = new QueueEvents('bench', { connection });
await events.waitUntilReady();
const results = [];
for (let n = 0; n < Number(samplesText); n += 1) {
  const start = performance.now();
  const job = await queue.add('noop', {}, { removeOnComplete: 1000 });
  await job.waitUntilFinished(events);
  results.push(performance.now() - start);
}
console.log(JSON.stringify({ tasks_per_s: rate, result_ms: results.sort((a, b) => a - b) }));
process.exit(0);
