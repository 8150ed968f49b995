// The worker program of the conformance scenarios (sdk/conformance/README.md).
import { appendFileSync } from 'node:fs';
import { App, exponential, Fatal, fixed } from '../../src/index.js';

interface Fault {
  readonly request?: number;
  readonly call?: string;
  readonly nth?: number;
  readonly when: string;
  readonly do: 'kill' | 'freeze' | 'cut';
}

function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const lane = needed('CONFORMANCE_LANE');

function append(variable: string, line: string): void {
  appendFileSync(needed(variable), `${line}\n`);
}

function effect(what: string): void {
  append('CONFORMANCE_EFFECTS', what);
  append('CONFORMANCE_CALLS', `effect ${what}`);
}

const faults = JSON.parse(process.env.CONFORMANCE_FAULTS || '[]') as Fault[];
const byCall = new Map<string, number>();
let total = 0;

/** What befalls a request, before it is sent or after its reply; true cuts its line. */
function befalls(request: string, call: string, at: { total: number; nth: number }, when: string): boolean {
  for (const fault of faults) {
    const here = fault.request === at.total || (fault.call === call && fault.nth === at.nth);
    if (!here || fault.when !== when) continue;
    if (fault.do === 'cut') return true;
    if (fault.do === 'kill') append('CONFORMANCE_CALLS', `killed ${when} ${request}`);
    process.kill(process.pid, fault.do === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  }
  return false;
}

const faulty: typeof fetch = async (input, init) => {
  const { pathname } = new URL(String(input));
  const request = `${init?.method ?? 'GET'} ${decodeURIComponent(pathname)}`;
  const call = pathname.slice(pathname.lastIndexOf('/') + 1);
  total += 1;
  byCall.set(call, (byCall.get(call) ?? 0) + 1);
  const at = { total, nth: byCall.get(call) ?? 0 };
  append('CONFORMANCE_CALLS', request);
  if (befalls(request, call, at, 'before')) throw new TypeError('cut before it was sent');
  const response = await fetch(input, init);
  await response.clone().arrayBuffer();
  append('CONFORMANCE_CALLS', `replied ${request}`);
  if (befalls(request, call, at, 'after')) throw new TypeError('cut before the reply came');
  return response;
};

const app = new App({ fetch: faulty, lane });
const forever = (): Promise<never> => new Promise(() => undefined);

app.task('echo', (_ctx, n: number) => {
  effect(`echo ${n}`);
  return n;
});

app.task('slow', async (ctx, ms: number) => {
  effect('slow');
  await new Promise(resolve => setTimeout(resolve, ms));
  return ctx.attemptIndex;
});

app.task('long', async ctx => {
  effect('begun');
  await new Promise((_, reject) => {
    ctx.signal.addEventListener('abort', () => {
      effect('cancelled');
      reject(ctx.signal.reason);
    });
  });
});

app.task('returned', ctx => {
  effect('begun');
  return ctx.attemptType === 'initial' ? forever() : ctx.attemptType;
});

app.task('flaky', { retry: { attempts: 5, backoff: fixed('10ms') } }, (ctx, goodAt: number) => {
  if (ctx.attemptIndex < goodAt) throw new Error('not yet');
  return ctx.attemptIndex;
});

const translate = app.task('translate', (ctx, input: { sources: string[]; lang: string }) =>
  ctx.step('translate', () => {
    effect(`translate ${input.lang}`);
    return `${input.lang}:${input.sources.at(-1)}`;
  }),
);

app.task(
  'research',
  { retry: { attempts: 5, backoff: exponential('10ms', { max: '1s' }) }, timeout: '10m' },
  async (ctx, question: string) => {
    const sources = await ctx.step('search', () => {
      effect('search');
      return [question, 'rayleigh'];
    });
    for (const word of ['Because ', 'of ', sources.at(-1) ?? '']) await ctx.stream(word);
    await ctx.spend({ tokens: 812, costUsd: '0.0123' });
    const decision = await ctx.approval('publish', { ask: 'Publish this?', to: 'legal', timeout: '3d' });
    if (!decision.approved) throw new Fatal(`rejected by ${decision.by}`);
    await ctx.sleep('100ms');
    const parts = await ctx.gather(['de', 'fr'].map(lang => translate.of({ sources, lang })));
    return { parts };
  },
);

await app.run({ leaseTtl: needed('CONFORMANCE_LEASE'), drain: '3s' });
