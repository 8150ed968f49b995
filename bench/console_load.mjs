// Keeps a server busy beside console_browser.mjs: creates, claims and completes work so that about <rate> events a second
// appear in the feed. Prints the rate it reached, once a second. Arguments: URL, events a second.
const [url, wanted] = process.argv.slice(2);
const LANE = 'live';
/// An execution that is created, claimed and completed: lease acquired, lease released, completed.
const EVENTS_EACH = 3;
const TICK_MS = 100;

async function call(path, body) {
  const reply = await fetch(url + path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (reply.status === 204) return {};
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/// What subscribers see; ours counts for all.
let seen = 0;
async function count() {
  const reply = await fetch(`${url}/v1/streams/completion,lease_history/subscribe`, { headers: { Accept: 'text/event-stream' } });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of reply.body) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = parts.pop();
    for (const line of parts) if (line === 'event: completion' || line === 'event: lease_history') seen += 1;
  }
}

function create(n) {
  const executions = Array.from({ length: n }, () => ({ namespace: 'default', lane_id: LANE, execution_kind: 'live', payload: '{}' }));
  return call('/v1/executions/batch', { executions });
}

const count_ends = count();
count_ends.catch((error) => { console.error(error); process.exit(1); });
let owed = 0;
let held = [];
let before = 0;
let told = Date.now();
let next = Date.now();
for (;;) {
  owed += (Number(wanted) / EVENTS_EACH) * (TICK_MS / 1000);
  const n = Math.floor(owed);
  owed -= n;
  if (n > 0) await create(n);
  const completions = held.map((task) => ({ execution_id: task.execution_id, task_token: task.task_token, result: '{}' }));
  const given = await call('/v1/workers/load/tasks/claim', {
    worker_instance_id: 'load-1', lanes: [LANE], max_tasks: Math.min(256, Math.max(1, 2 * n)), wait_ms: 0, lease_ttl_ms: 60000,
    ...(completions.length > 0 ? { completions } : {}) });
  held = given.tasks ?? [];
  const now = Date.now();
  if (now - told >= 1000) {
    console.log(Math.round(((seen - before) * 1000) / (now - told)));
    before = seen;
    told = now;
  }
  next += TICK_MS;
  if (next < now) next = now;
  await new Promise((done) => setTimeout(done, next - now));
}
