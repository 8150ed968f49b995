// A worker for the crash tests: the research task, whose every HTTP call can be the last thing the process does.
//
// SKETCH_LANE is its lane, SKETCH_LEASE how long its leases last, SKETCH_EFFECTS the file that notes side effects,
// SKETCH_KILL is `<n>:before` or `<n>:after`: the process kills itself with SIGKILL before the n-th counted call is sent, or
// after its reply has come.
import { appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { App, exponential, Fatal, type Task } from '../../src/index.js';

const { SKETCH_LANE: lane = 'agents', SKETCH_LEASE: lease = '10s', SKETCH_EFFECTS: effects } = process.env;
const kill = process.env.SKETCH_KILL;

function effect(name: string): void {
  if (effects) appendFileSync(effects, `${name}\n`);
}

export interface Sketch {
  research: Task<string, { question: string; by: string; parts: string[] }>;
  translate: Task<{ sources: string[]; lang: string }, string>;
}

/** The sketch of the SDKs: a step, a stream, spending, an approval, a sleep, children. */
export function sketch(app: App): Sketch {
  const translate = app.task('translate', { lane }, async (ctx, input: { sources: string[]; lang: string }) => {
    return ctx.step('translate', () => {
      effect(`translate-${input.lang}`);
      return `${input.lang}:${input.sources.join('+')}`;
    });
  });
  const research = app.task(
    'research',
    { lane, retry: { attempts: 5, backoff: exponential('1s', { max: '1m' }) }, timeout: '10m' },
    async (ctx, question: string) => {
      const sources = await ctx.step('search', () => {
        effect('search');
        return [`${question}-1`, `${question}-2`];
      });
      for (const token of ['thin', 'king']) await ctx.stream(token);
      await ctx.flush();
      await ctx.spend({ tokens: 812, costUsd: '0.0123' });
      const decision = await ctx.approval('publish', { ask: 'Publish this?', to: 'legal', timeout: '3d' });
      if (!decision.approved) throw new Fatal(`rejected by ${decision.by}`);
      await ctx.step('announce', () => effect('announce'));
      await ctx.sleep('20ms');
      const parts = await ctx.gather([translate.of({ sources, lang: 'de' }), translate.of({ sources, lang: 'fr' })]);
      await ctx.step('store', () => effect('store'));
      return { question, by: decision.by, parts };
    },
  );
  return { research, translate };
}

/** Calls that every run makes in the same order; polls that find nothing, renewals and presence are none. */
function counted(url: string, body: string): boolean {
  if (url.includes('/tasks/claim')) return body.includes('"completions"');
  return url.includes('/v1/executions/');
}

function deadly(point: string): typeof fetch {
  const [at, when] = point.split(':');
  let calls = 0;
  const die = (): never => {
    process.kill(process.pid, 'SIGKILL');
    throw new Error('killed');
  };
  return async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    const counts = counted(String(input), body);
    if (counts) calls += 1;
    const mine = counts && calls === Number(at);
    if (mine && when === 'before') die();
    const response = await fetch(input, init);
    if (mine && when === 'after') {
      await response.clone().text();
      die();
    }
    // A claim that brought something is a place to die, too, with nothing but its reply.
    if (!counts && String(input).includes('/tasks/claim') && (await response.clone().text()).includes('task_token')) {
      calls += 1;
      if (calls === Number(at)) die();
    }
    return response;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const app = new App(kill ? { fetch: deadly(kill) } : {});
  sketch(app);
  await app.run({ leaseTtl: lease, poll: '2s', drain: '3s', concurrency: 4, log: () => undefined });
}
