// The peer of e2e_bench: the same tasks through BullMQ on the same Valkey. Prints one JSON line.
// Arguments: port, tasks, bytes, concurrency, folder of node_modules.
import { createRequire } from 'node:module';

const [port, tasks, bytes, concurrency, folder] = process.argv.slice(2);
const require = createRequire(folder + '/');
const { Queue, Worker } = require('bullmq');
const IORedis = require('ioredis');

const connect = () => new IORedis({ port: Number(port), maxRetriesPerRequest: null });
const payload = 'x'.repeat(Number(bytes));
const total = Number(tasks);
const batch = 250;
// Completed jobs are removed, so that the peer keeps no more than it must.
const options = { removeOnComplete: true, removeOnFail: true };

let finished = 0;
let wake = () => {};
const began = new Map();
const latencies = [];
const queue = new Queue('e2e', { connection: connect() });
const worker = new Worker('e2e', async (job) => {
  if (job.name === 'single') latencies.push(performance.now() - began.get(job.data.n));
  return null;
}, { connection: connect(), concurrency: Number(concurrency) });
worker.on('completed', () => { finished += 1; wake(); });
await worker.waitUntilReady();

async function until(count) {
  while (finished < count) await new Promise((done) => { wake = done; });
}

const start = performance.now();
for (let sent = 0; sent < total; sent += batch) {
  const size = Math.min(batch, total - sent);
  await queue.addBulk(Array.from({ length: size }, () => ({ name: 'noop', data: { payload }, opts: options })));
}
await until(total);
const seconds = (performance.now() - start) / 1000;

const singles = Math.min(200, total);
for (let n = 0; n < singles; n += 1) {
  began.set(n, performance.now());
  await queue.add('single', { n, payload }, options);
  await until(total + n + 1);
}
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(JSON.stringify({ throughput: total / seconds, p50: at(0.5), p95: at(0.95), p99: at(0.99) }));
await worker.close();
await queue.close();
process.exit(0);
