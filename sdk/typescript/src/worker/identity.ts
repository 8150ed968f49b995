import { createHash } from 'node:crypto';

const BUDGETS = '7d3f9a52-6c1e-5f0b-9a7d-3b1c5e9f2a40';
const OBJECTS = '6ba7b812-9dad-11d1-80b4-00c04fd430c8';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The UUID of version 5 for a name. */
export function uuid5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const text = hash.toString('hex');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** The id of a budget: a UUID stays what it is, a name always gives the same UUID, in every SDK. */
export function budgetId(name: string): string {
  return UUID.test(name) ? name.toLowerCase() : uuid5(BUDGETS, name);
}

/** The key under which a report of usage is counted once. */
export function spendKey(executionId: string, name: string): string {
  return uuid5(OBJECTS, `${executionId}/${name}`);
}
