import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { Client } from '../src/index.js';
import { withServer } from './support.js';

const world = withServer();

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** The method of the client for each route, and the model of its body. */
const ROUTES: Readonly<Record<string, [method: string, body?: string]>> = {
  'GET /healthz': ['admin.health'],
  'GET /readyz': ['admin.ready'],
  'GET /metrics': ['admin.metrics'],
  'GET /openapi.json': ['admin.openapi'],
  'GET /v1/admin/audit': ['admin.audit'],
  'POST /v1/admin/backup': ['admin.backup'],
  'POST /v1/admin/executions/{id}/attempts/{idx}/annotations': ['admin.annotate'],
  'POST /v1/admin/rotate-waitpoint-secret': ['admin.rotateWaitpointSecret'],
  'GET /v1/admin/waitpoint-kids': ['admin.waitpointKids'],
  'GET /v1/capabilities': ['admin.capabilities'],
  'GET /v1/approvals': ['executions.approvals'],
  'GET /v1/overview': ['admin.overview'],
  'POST /v1/budgets': ['budgets.create', 'CreateBudget'],
  'GET /v1/budgets': ['budgets.list'],
  'GET /v1/budgets/{id}': ['budgets.describe'],
  'PUT /v1/budgets/{id}': ['budgets.update', 'UpdateBudget'],
  'POST /v1/budgets/{id}/attach': ['budgets.attach', 'Scope'],
  'POST /v1/budgets/{id}/detach': ['budgets.detach', 'Scope'],
  'POST /v1/budgets/{id}/release': ['budgets.release'],
  'POST /v1/budgets/{id}/reset': ['budgets.reset'],
  'POST /v1/budgets/{id}/spend': ['budgets.spend', 'Spend'],
  'POST /v1/budgets/{id}/usage': ['budgets.usage', 'Usage'],
  'POST /v1/executions': ['executions.create', 'CreateExecution'],
  'GET /v1/executions': ['executions.list'],
  'POST /v1/executions/batch': ['executions.createBatch'],
  'GET /v1/executions/{id}': ['executions.describe'],
  'POST /v1/executions/{id}/approve': ['executions.approve', 'Approve'],
  'GET /v1/executions/{id}/attempts': ['executions.attempts'],
  'GET /v1/executions/{id}/attempts/{idx}/stream': ['streams.read'],
  'POST /v1/executions/{id}/attempts/{idx}/stream': ['tasks.appendFrames', 'AppendFrames'],
  'GET /v1/executions/{id}/attempts/{idx}/stream/info': ['streams.info'],
  'GET /v1/executions/{id}/attempts/{idx}/stream/sse': ['streams.follow'],
  'GET /v1/executions/{id}/attempts/{idx}/stream/tail': ['streams.tail'],
  'GET /v1/executions/{id}/attempts/{idx}/summary': ['streams.summary'],
  'POST /v1/executions/{id}/call-children': ['tasks.callChildren', 'CallChildren'],
  'POST /v1/executions/{id}/cancel': ['executions.cancel'],
  'GET /v1/executions/{id}/children': ['executions.children'],
  'POST /v1/executions/{id}/complete': ['tasks.complete', 'CompleteTask'],
  'POST /v1/executions/{id}/delay': ['tasks.delay', 'DelayTask'],
  'GET /v1/executions/{id}/explain': ['executions.explain'],
  'POST /v1/executions/{id}/fail': ['tasks.fail', 'FailTask'],
  'GET /v1/executions/{id}/feed': ['streams.executionFeed'],
  'GET /v1/executions/{id}/inputs/{name}': ['executions.input'],
  'GET /v1/executions/{id}/lease-history': ['executions.leaseHistory'],
  'GET /v1/executions/{id}/payload': ['executions.payload'],
  'GET /v1/executions/{id}/pending-waitpoints': ['executions.pendingWaitpoints'],
  'PUT /v1/executions/{id}/priority': ['executions.setPriority'],
  'POST /v1/executions/{id}/priority': ['executions.setPriority'],
  'POST /v1/executions/{id}/progress': ['tasks.progress'],
  'POST /v1/executions/{id}/reclaim': ['executions.reclaim', 'Reclaim'],
  'POST /v1/executions/{id}/release': ['tasks.release'],
  'POST /v1/executions/{id}/release-hold': ['executions.releaseHold'],
  'POST /v1/executions/{id}/renew': ['tasks.renewOne'],
  'POST /v1/executions/{id}/replay': ['executions.replay', 'Replay'],
  'GET /v1/executions/{id}/result': ['executions.result'],
  'POST /v1/executions/{id}/resume': ['executions.resume'],
  'GET /v1/executions/{id}/resume-signals': ['tasks.resumeSignals'],
  'POST /v1/executions/{id}/revoke-lease': ['executions.revokeLease'],
  'POST /v1/executions/{id}/signal': ['executions.signal', 'SendSignal'],
  'GET /v1/executions/{id}/signals': ['executions.signals'],
  'GET /v1/executions/{id}/state': ['executions.state'],
  'POST /v1/executions/{id}/steps': ['tasks.recordSteps'],
  'GET /v1/executions/{id}/steps': ['executions.steps'],
  'GET /v1/executions/{id}/stream': ['streams.follow'],
  'POST /v1/executions/{id}/suspend': ['tasks.suspend', 'Suspend'],
  'GET /v1/executions/{id}/suspension': ['executions.suspension'],
  'GET /v1/executions/{id}/suspension/condition': ['executions.suspensionCondition'],
  'GET /v1/executions/{id}/tags': ['executions.tags'],
  'PUT /v1/executions/{id}/tags': ['executions.setTags'],
  'POST /v1/executions/{id}/take-over': ['executions.takeOver'],
  'POST /v1/executions/{id}/usage': ['tasks.usage', 'TaskUsage'],
  'GET /v1/executions/{id}/wait': ['executions.wait'],
  'POST /v1/executions/{id}/wait-children': ['tasks.waitChildren'],
  'POST /v1/executions/{id}/waitpoints': ['tasks.createWaitpoint', 'CreateWaitpoint'],
  'POST /v1/executions/{id}/waitpoints/{wp}/close': ['tasks.closeWaitpoint'],
  'POST /v1/executions/{id}/waitpoints/{wp}/link': ['executions.createApprovalLink', 'CreateApprovalLink'],
  'DELETE /v1/executions/{id}/waitpoints/{wp}/link': ['executions.revokeApprovalLinks'],
  'GET /v1/executions/{id}/waitpoints/{wp}/signals': ['executions.waitpointSignals'],
  'GET /v1/executions/{id}/waitpoints/{wp}/token': ['executions.waitpointToken'],
  'POST /v1/flows': ['flows.create', 'CreateFlow'],
  'GET /v1/flows': ['flows.list'],
  'POST /v1/flows/submit': ['flows.submit', 'SubmitFlow'],
  'GET /v1/flows/{id}': ['flows.describe'],
  'POST /v1/flows/{id}/cancel': ['flows.cancel'],
  'PUT /v1/flows/{id}/edge-groups/{eid}': ['flows.setEdgeGroup'],
  'POST /v1/flows/{id}/edges': ['flows.stageEdge', 'StageEdge'],
  'GET /v1/flows/{id}/edges': ['flows.edges'],
  'POST /v1/flows/{id}/edges/apply': ['flows.applyEdge'],
  'POST /v1/flows/{id}/expand': ['flows.expand', 'ExpandFlow'],
  'GET /v1/flows/{id}/feed': ['streams.flowFeed'],
  'GET /v1/flows/{id}/graph': ['flows.graph'],
  'POST /v1/flows/{id}/members': ['flows.addMember'],
  'GET /v1/flows/{id}/members': ['flows.members'],
  'POST /v1/flows/{id}/seal': ['flows.seal'],
  'GET /v1/flows/{id}/summary': ['flows.summary'],
  'PUT /v1/flows/{id}/tags': ['flows.setTags'],
  'GET /v1/lanes': ['lanes.list'],
  'PUT /v1/lanes/{lane}': ['lanes.set', 'SetLane'],
  'DELETE /v1/lanes/{lane}': ['lanes.delete'],
  'POST /v1/quotas': ['quotas.create', 'CreateQuota'],
  'GET /v1/quotas': ['quotas.list'],
  'GET /v1/quotas/{id}': ['quotas.describe'],
  'PUT /v1/quotas/{id}': ['quotas.update', 'UpdateQuota'],
  'POST /v1/quotas/{id}/attach': ['quotas.attach', 'Scope'],
  'POST /v1/quotas/{id}/detach': ['quotas.detach', 'Scope'],
  'GET /v1/streams/{families}': ['streams.poll'],
  'GET /v1/streams/{families}/subscribe': ['streams.feed'],
  'GET /v1/workers': ['workers.list'],
  'POST /v1/workers/{worker_id}/claim': ['workers.grant', 'ClaimGrant'],
  'PUT /v1/workers/{worker_id}/instances/{instance_id}': ['workers.register', 'RegisterWorker'],
  'DELETE /v1/workers/{worker_id}/instances/{instance_id}': ['workers.deregister'],
  'POST /v1/workers/{worker_id}/instances/{instance_id}/heartbeat': ['workers.heartbeat'],
  'GET /v1/workers/{worker_id}/instances/{instance_id}/leases': ['workers.leases'],
  'POST /v1/workers/{worker_id}/leases/renew': ['tasks.renew', 'RenewLeases'],
  'POST /v1/workers/{worker_id}/tasks/claim': ['tasks.claim', 'ClaimTasks'],
};

/** Older names and other forms of what a model has. */
const NOT_OFFERED = new Set(['input_payload', 'lease', 'flow_id@POST /v1/flows/{id}/cancel']);

/** What the client can already do and servers of this state may not know. */
const NEWER = new Set([
  'CompleteTask.steps',
  'DelayTask.steps',
  'FailTask.steps',
  'Suspend.steps',
  'Replay.keep_steps',
  'ClaimTasks.kinds',
  'POST /v1/executions/{id}/call-children',
  'GET /v1/executions/{id}/children',
  'POST /v1/executions/{id}/steps',
  'GET /v1/executions/{id}/steps',
]);

function memberNames(): Map<string, Set<string>> {
  const file = fileURLToPath(new URL('../../src/client/models.ts', import.meta.url));
  const program = ts.createProgram([file], { strict: true, target: ts.ScriptTarget.ES2022 });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  assert.ok(source);
  const names = new Map<string, Set<string>>();
  ts.forEachChild(source, node => {
    if (!ts.isInterfaceDeclaration(node)) return;
    const type = checker.getTypeAtLocation(node.name);
    names.set(node.name.text, new Set(checker.getPropertiesOfType(type).map(property => property.name)));
  });
  return names;
}

test('every route has a method, every method a route, and bodies have the same members, both ways', async () => {
  const { client } = world.server.app();
  const document = (await client.admin.openapi()) as unknown as Document;
  const models = memberNames();
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const route = `${method.toUpperCase()} ${path}`;
      const known = ROUTES[route];
      if (!known) {
        problems.push(`${route} has no method`);
        continue;
      }
      seen.add(route);
      let schema = operation.requestBody?.content?.['application/json']?.schema;
      if (schema?.$ref) schema = document.components?.schemas?.[schema.$ref.split('/').pop() ?? ''];
      if (!known[1]) continue;
      const ours = models.get(known[1]) ?? new Set();
      const theirs = new Set(Object.keys(schema?.properties ?? {}));
      const offered = (name: string): boolean => !NOT_OFFERED.has(name) && !NOT_OFFERED.has(`${name}@${route}`);
      for (const name of theirs)
        if (!ours.has(name) && offered(name)) problems.push(`${known[1]} lacks ${name} of ${route}`);
      for (const name of ours)
        if (!theirs.has(name) && !NEWER.has(`${known[1]}.${name}`))
          problems.push(`${route} does not know ${known[1]}.${name}`);
    }
  }
  for (const route of Object.keys(ROUTES))
    if (!seen.has(route) && !NEWER.has(route)) problems.push(`the server has no ${route}`);
  for (const [name] of Object.values(ROUTES)) {
    const [group = '', method = ''] = name.split('.');
    const found = (client[group as keyof Client] as unknown as Record<string, unknown> | undefined)?.[method];
    if (typeof found !== 'function') problems.push(`there is no client.${name}`);
  }
  assert.deepEqual(problems, []);
});

test('the client entry needs nothing of Node', () => {
  const file = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    strict: true,
    noEmit: true,
  });
  const messages = ts.getPreEmitDiagnostics(program).map(one => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
  assert.deepEqual(messages, []);
  const sources = program.getSourceFiles().filter(one => one.fileName.includes('/src/'));
  for (const one of sources) assert.doesNotMatch(one.text, /from 'node:/, one.fileName);
  assert.ok(sources.every(one => one.fileName.includes('/src/client/')));
});

test('the client is what it says', () => {
  assert.throws(() => new Client({ url: 'localhost:9090' }), /http:/);
  assert.throws(() => new Client({ token: ' ' }), /blank/);
  assert.equal(new Client({ url: 'http://h:1/' }).url, 'http://h:1');
});
