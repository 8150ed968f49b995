// What console_bench measures in a real browser: console_browser.mjs <URL> <folder of console/> <seconds of the busy feed>
// Fills the server, keeps it busy (console_load.mjs), and prints one JSON line of figures.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [url, console_folder, busy_seconds] = process.argv.slice(2);
const { chromium } = createRequire(join(console_folder, 'package.json'))('playwright-core');
const STORED = Number(process.env.FF_BENCH_EXECUTIONS ?? 100_000);
const EVENTS_PER_S = 1000;
const FRAMES = 50_000;
const NODES = 1000;
const LOADS = 5;
const CHANGES = 30;
const CHANGE_MS = 1500;
const SCROLL_MS = 10_000;
const FRAME_MS = 1000 / 60;
const PATIENCE_MS = 60_000;

async function call(method, path, body) {
  const reply = await fetch(url + path, {
    method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text ? JSON.parse(text) : {};
}
const post = (path, body) => call('POST', path, body);
const say = (text) => console.error(text);
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const at95 = (values) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * 0.95))];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function claim(lane, max_tasks = 1) {
  const { tasks = [] } = await post('/v1/workers/bench/tasks/claim', {
    worker_instance_id: 'bench-1', lanes: [lane], max_tasks, wait_ms: 5000, lease_ttl_ms: 3_600_000 });
  return tasks;
}

async function store_executions() {
  const kinds = ['summarise', 'send_email', 'charge_card', 'research'];
  for (let sent = 0; sent < STORED; sent += 1000) {
    const executions = Array.from({ length: Math.min(1000, STORED - sent) }, (_, at) => ({
      namespace: 'default', lane_id: 'stored', execution_kind: kinds[at % kinds.length], priority: at % 3, payload: '{}' }));
    await post('/v1/executions/batch', { executions });
  }
}

async function store_frames() {
  const { execution_id } = await post('/v1/executions', { namespace: 'default', lane_id: 'talk', execution_kind: 'talker', payload: '{}',
    policy: { stream_policy: { retention_maxlen: FRAMES } } });
  const [task] = await claim('talk');
  const path = `/v1/executions/${encodeURIComponent(execution_id)}`;
  for (let sent = 0; sent < FRAMES; sent += 250) {
    const frames = Array.from({ length: Math.min(250, FRAMES - sent) }, (_, at) => ({ frame_type: 'token', payload: `word${sent + at} ` }));
    const { lease_id, lease_epoch, attempt_id, attempt_index } = task;
    await post(`${path}/attempts/${attempt_index}/stream`, { lease_id, lease_epoch, attempt_id, frames });
  }
  await post(`${path}/complete`, { task_token: task.task_token, result: '{}' });
  return execution_id;
}

async function store_flow() {
  const width = 40;
  const nodes = Array.from({ length: NODES }, (_, at) => ({
    name: `n${at}`, execution_kind: 'node', payload: '{}',
    depends_on: at < width ? [] : [`n${at - width}`, `n${Math.floor(at / width - 1) * width + ((at + 1) % width)}`] }));
  return (await post('/v1/flows/submit', { flow_kind: 'wide', namespace: 'default', defaults: { lane_id: 'graph' }, nodes })).flow_id;
}

/// The page notes by itself when what was waited for stood on the screen.
function watch(selector) {
  const look = () => {
    if (globalThis.shown_at === undefined && document.querySelector(selector))
      requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.shown_at ??= performance.now(); }));
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) throw new Error('no Chromium here; scripts/install-deps.sh brings it');
const browser = await chromium.launch({
  executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });

/// A browser that has never been here.
async function fresh() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const tools = await context.newCDPSession(page);
  return { context, page, tools };
}

async function first_load() {
  const times = [];
  let bytes = 0;
  for (let load = 0; load < LOADS; load += 1) {
    const { context, page } = await fresh();
    const lengths = [];
    page.on('response', (reply) => {
      if (reply.url().startsWith(`${url}/console/`)) lengths.push(Number(reply.headers()['content-length'] ?? 0));
    });
    await page.addInitScript(watch, 'tr[data-id]');
    await page.goto(`${url}/console/#/executions`);
    await page.waitForFunction(() => globalThis.shown_at !== undefined);
    times.push(await page.evaluate(() => globalThis.shown_at));
    bytes = lengths.reduce((sum, one) => sum + one, 0);
    await context.close();
  }
  return { first_load_compressed_kb: bytes / 1024, interactive_ms: middle(times), interactive_worst_ms: Math.max(...times) };
}

/// Half of the time to and fro at ten thousand pixels a second, half of it to the end, where pages are fetched.
async function scroll() {
  const { context, page } = await fresh();
  await page.goto(`${url}/console/#/executions?q=lane:stored`);
  await page.waitForSelector('tr[data-id]');
  await pause(1000);
  const found = await page.evaluate(async ({ span, frame }) => {
    const times = [];
    const begun = performance.now();
    let last = begun;
    let way = 1;
    await new Promise((done) => {
      const step = (now) => {
        times.push(now - last);
        last = now;
        if (now - begun > span) return done();
        if (now - begun < span / 2) scrollTo(0, document.documentElement.scrollHeight);
        else {
          if (scrollY < 100) way = 1;
          if (scrollY + innerHeight > document.documentElement.scrollHeight - 100) way = -1;
          scrollBy(0, way * 170);
        }
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    const dropped = times.slice(1).reduce((sum, time) => sum + Math.max(0, Math.round(time / frame) - 1), 0);
    return { dropped, shown: times.length - 1, worst: Math.max(...times.slice(1)),
      rows: Number(document.querySelector('table.rows').getAttribute('aria-rowcount')) };
  }, { span: SCROLL_MS, frame: FRAME_MS });
  await context.close();
  return { scroll_dropped_frames_pct: (100 * found.dropped) / (found.dropped + found.shown), scroll_worst_frame_ms: found.worst,
    scroll_rows_read: found.rows };
}

async function frames(execution) {
  const [first, all] = [[], []];
  for (let load = 0; load < 3; load += 1) {
    const { context, page } = await fresh();
    await page.goto(`${url}/console/#/server`);
    await page.waitForSelector('main h1');
    await page.evaluate((wanted) => {
      const look = () => {
        const shown = Number(document.querySelector('.output')?.dataset.frames ?? 0);
        const note = (name) => requestAnimationFrame(() => { globalThis[name] ??= performance.now(); });
        if (shown > 0) note('first_at');
        if (shown >= wanted) note('all_at');
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-frames'] });
    }, FRAMES);
    await page.evaluate((hash) => { globalThis.asked_at = performance.now(); location.hash = hash; },
      `#/executions/${encodeURIComponent(execution)}`);
    await page.waitForFunction(() => globalThis.all_at !== undefined);
    first.push(await page.evaluate(() => globalThis.first_at - globalThis.asked_at));
    all.push(await page.evaluate(() => globalThis.all_at - globalThis.asked_at));
    await context.close();
  }
  return { frames_50k_open_ms: middle(first), frames_50k_all_read_ms: middle(all) };
}

/// All that the page's main thread does for one change. A node that starts is taken from its event and drawn; for one that ends the
/// whole graph is read again, a moment later.
async function flow(id) {
  const { context, page, tools } = await fresh();
  await page.addInitScript(watch, `[data-nodes="${NODES}"]`);
  const begun = Date.now();
  await page.goto(`${url}/console/#/flows/${id}`);
  await page.waitForFunction(() => globalThis.shown_at !== undefined);
  const opened = Date.now() - begun;
  await pause(3000);
  // Processor time of the page's main thread, however busy the machine is.
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () => {
    const { metrics } = await tools.send('Performance.getMetrics');
    return metrics.find((one) => one.name === 'TaskDuration').value * 1000;
  };
  const cost_of = async (change) => {
    const before = await cpu();
    await change();
    // Long enough for all that a change sets off, also what is asked for a moment later, and clocks that go on.
    await pause(CHANGE_MS);
    return (await cpu()) - before;
  };
  const [started, ended] = [[], []];
  for (let change = 0; change < CHANGES; change += 1) {
    let task;
    started.push(await cost_of(async () => { [task] = await claim('graph'); }));
    ended.push(await cost_of(() =>
      post(`/v1/executions/${encodeURIComponent(task.execution_id)}/complete`, { task_token: task.task_token, result: '{}' })));
  }
  await context.close();
  return { flow_1000_nodes_open_ms: opened, flow_1000_nodes_change_cpu_p50_ms: middle(started), flow_1000_nodes_change_cpu_p95_ms: at95(started),
    flow_1000_nodes_read_again_cpu_p95_ms: at95(ended) };
}

/// Megabytes an hour, by the line through what was in use after each collection.
async function heap() {
  const { context, page, tools } = await fresh();
  await page.goto(`${url}/console/#/executions`);
  await page.waitForSelector('tr[data-id]');
  await tools.send('HeapProfiler.enable');
  const points = [];
  const begun = Date.now();
  // Caches and compiled code fill at first.
  await pause(Math.min(20_000, Number(busy_seconds) * 200));
  while (Date.now() - begun < Number(busy_seconds) * 1000) {
    await tools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await tools.send('Runtime.getHeapUsage');
    points.push({ x: (Date.now() - begun) / 3_600_000, y: usedSize / 1_048_576 });
    await pause(5000);
  }
  await context.close();
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [mx, my] = [mean((point) => point.x), mean((point) => point.y)];
  const slope = points.reduce((sum, { x, y }) => sum + (x - mx) * (y - my), 0) / points.reduce((sum, { x }) => sum + (x - mx) ** 2, 0);
  return { heap_growth_mb_per_hour: slope, heap_mb: points.at(-1).y, heap_measured_s: Number(busy_seconds) };
}

let load;
try {
  say(`storing ${STORED} executions, ${FRAMES} frames, a flow of ${NODES} nodes`);
  await store_executions();
  const talker = await store_frames();
  const graph = await store_flow();
  say('quiet: frames and flow');
  const figures = await frames(talker);
  say(JSON.stringify(figures));
  Object.assign(figures, await flow(graph));
  say(JSON.stringify(figures));
  const rates = [];
  load = spawn('node', [join(dirname(fileURLToPath(import.meta.url)), 'console_load.mjs'), url, String(EVENTS_PER_S)],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  load.stdout.on('data', (text) => rates.push(...String(text).trim().split('\n').map(Number)));
  await pause(3000);
  say('busy: first load, scrolling, memory');
  for (const measure of [first_load, scroll, heap]) {
    Object.assign(figures, await measure());
    say(JSON.stringify(figures));
  }
  figures.live_events_per_s = middle(rates);
  console.log(JSON.stringify(figures));
} finally {
  load?.kill('SIGKILL');
  await browser.close();
}
