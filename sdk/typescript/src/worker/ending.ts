import { backoffMs, pause } from '../client/backoff.js';
import { ApiError, ConnectError } from '../client/errors.js';
import type { Suspend } from '../client/models.js';
import { isRetryable } from '../client/transport.js';
import { type Lease, leaseEnded } from './lease.js';
import type { Ended } from './run.js';

const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;

/** What came of the call that ends a task. */
export type GivenBack = 'ended' | 'lost' | 'held';

/**
 * Makes the call that ends a task, again and again while no answer comes and the lease lasts. `held` when the wait was over
 * before it began: the task is still ours and has to go on.
 */
export async function giveBack(lease: Lease, ended: Ended): Promise<GivenBack> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await send(lease, ended);
      return (answer as { lease_held?: boolean }).lease_held ? 'held' : 'ended';
    } catch (error) {
      if (error instanceof ApiError && leaseEnded(error.code)) {
        lease.lose(error.message);
        return 'lost';
      }
      if (!isRetryable(error)) {
        if (ended.route === 'fail' || !(error instanceof ApiError)) throw error;
        // What this execution asked for cannot be: that is its failure, and nobody else's.
        const reason = `${ended.route} was refused: ${error.message}`;
        return giveBack(lease, { route: 'fail', body: { reason, category: 'refused_by_server', no_retry: true } });
      }
      // No renewal gets through either; whoever claims it next goes on.
      if (error instanceof ConnectError && Date.now() > lease.expiresAt) {
        lease.lose('its lease ran out while the server was away');
        return 'lost';
      }
      await pause(backoffMs(attempt, FIRST_PAUSE_MS, MOST_PAUSE_MS));
    }
  }
}

function send(lease: Lease, ended: Ended): Promise<unknown> {
  const { tasks } = lease.client;
  const id = lease.executionId;
  const token = { task_token: lease.task.task_token };
  const once = { attempts: 1 };
  switch (ended.route) {
    case 'complete':
      return tasks.complete({ execution_id: id, ...token, ...ended.body }, once);
    case 'fail':
      return tasks.fail(id, { ...token, ...ended.body }, once);
    case 'delay':
      return tasks.delay(id, { ...token, ...ended.body }, once);
    case 'suspend': {
      const { steps, ...body } = ended.body;
      return tasks.suspend(id, { ...token, ...body, ...(steps.length > 0 ? { steps } : {}) } as Suspend, once);
    }
    case 'call-children':
      return tasks.callChildren(id, { ...token, ...ended.body } as Parameters<typeof tasks.callChildren>[1], once);
  }
}
