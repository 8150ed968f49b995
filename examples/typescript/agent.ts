// An agent with tools and an approval. Its model is made up, so that it runs anywhere; every call of it is a step, so a
// crash after the third tool call goes on at the fourth.
//
//   flowfabric dev             a server
//   node agent.js "Why is the sky blue?"
import { App, Fatal } from 'flowfabric';

interface Turn {
  say: string;
  tool?: { name: 'search' | 'calculate'; input: string };
}

/** Stands for a language model: two tool calls, then an answer. */
function model(question: string, turns: string[]): Turn {
  if (turns.length === 0) return { say: 'I look it up. ', tool: { name: 'search', input: question } };
  if (turns.length === 1) return { say: 'And how much is it? ', tool: { name: 'calculate', input: '400 + 50' } };
  return { say: `${turns[0]}; ${turns[1]} nm.` };
}

const tools = {
  search: (input: string) => `"${input}": short waves scatter more`,
  calculate: (input: string) => String(input.split('+').reduce((sum, part) => sum + Number(part), 0)),
};

export const app = new App();

export const agent = app.task('agent', { lane: 'agents', timeout: '10m' }, async (ctx, question: string) => {
  const turns: string[] = [];
  for (let turn = 1; turn <= 10; turn += 1) {
    const { say, tool } = await ctx.step(`think-${turn}`, async () => {
      const next = model(question, turns);
      await ctx.stream(next.say); // within the step, so that a later run does not say it again
      return next;
    });
    if (!tool) {
      const decision = await ctx.approval('publish', { timeout: '3d' });
      if (!decision.approved) throw new Fatal(`rejected by ${decision.by || 'nobody'}`);
      return { answer: say, approvedBy: decision.by };
    }
    turns.push(await ctx.step(`tool-${turn}`, () => tools[tool.name](tool.input)));
    await ctx.log('used a tool', { tool: tool.name });
  }
  throw new Fatal('too many turns');
});

const worker = app.worker();
const working = worker.run();
const handle = await agent.submit(process.argv[2] ?? 'Why is the sky blue?');
while ((await handle.pending()).length === 0) await new Promise(resolve => setTimeout(resolve, 100));
await handle.approve('publish', 'ada');
for await (const token of handle.stream()) process.stdout.write(token);
console.log('\n', await handle.result());
await worker.stop();
await working;
