// A page on which people say yes or no to what waits, with nothing but Node's own server.
//
//   node approval_page.js      then open the address that it prints
import { createServer, type IncomingMessage } from 'node:http';
import { App, type Waitpoint } from 'flowfabric';

const app = new App();
const publish = app.task('publish', { lane: 'pages' }, async (ctx, text: string) => {
  const decision = await ctx.approval<string>('publish', { ask: `Publish "${text}"?`, to: 'editors', timeout: '3d' });
  return decision.approved ? `published, says ${decision.by}` : `kept back, says ${decision.by}`;
});

const html = (text: string): string => text.replace(/[&<>"']/g, one => `&#${one.charCodeAt(0)};`);

function question(waitpoint: Waitpoint): string {
  const prompt = (waitpoint.approval as { prompt?: string } | undefined)?.prompt ?? waitpoint.waitpoint_key;
  return `<form method="post"><p>${html(prompt)}</p>
    <input type="hidden" name="execution" value="${html(waitpoint.execution_id)}">
    <input name="by" placeholder="your name" required>
    <button name="answer" value="approve">Yes</button> <button name="answer" value="reject">No</button></form>`;
}

async function page(): Promise<string> {
  const questions: string[] = [];
  for await (const waitpoint of app.client.executions.approvals()) questions.push(question(waitpoint));
  return `<!doctype html><meta charset="utf-8"><title>Approvals</title><h1>Approvals</h1>${questions.join('') || '<p>Nothing to decide.</p>'}`;
}

async function read(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > 10_000) throw new Error('too long');
  }
  return new URLSearchParams(body);
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST') {
      const form = await read(request);
      const handle = publish.handle(form.get('execution') ?? '');
      const by = form.get('by') ?? '';
      await (form.get('answer') === 'approve' ? handle.approve('publish', by) : handle.reject('publish', by));
      response.writeHead(303, { location: '/' }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(await page());
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end((error as Error).message);
  }
});

const working = app.run();
const handle = await publish.submit('The sky is blue');
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}`);
});
console.log(await handle.result());
await working;
server.close();
