import { Executions } from './executions.js';
import { Flows } from './flows.js';
import { Budgets, Lanes, Quotas } from './limits.js';
import { Streams } from './streams.js';
import { Tasks } from './tasks.js';
import { type ClientOptions, Transport } from './transport.js';
import { Admin, Workers } from './workers.js';

/**
 * Everything of the API, a method per route. Ids are escaped here; refusals are thrown as {@link ApiError}.
 * A request is repeated only when doing it twice is the same as doing it once.
 *
 * Runs in browsers as well as in Node.
 */
export class Client {
  readonly transport: Transport;
  readonly executions: Executions;
  readonly streams: Streams;
  readonly flows: Flows;
  readonly budgets: Budgets;
  readonly quotas: Quotas;
  readonly lanes: Lanes;
  readonly workers: Workers;
  readonly admin: Admin;
  /** What a worker calls about a task that it holds. */
  readonly tasks: Tasks;

  constructor(options: ClientOptions = {}) {
    this.transport = new Transport(options);
    this.executions = new Executions(this.transport);
    this.streams = new Streams(this.transport);
    this.flows = new Flows(this.transport);
    this.budgets = new Budgets(this.transport);
    this.quotas = new Quotas(this.transport);
    this.lanes = new Lanes(this.transport);
    this.workers = new Workers(this.transport);
    this.admin = new Admin(this.transport);
    this.tasks = new Tasks(this.transport);
  }

  /** The server's address. */
  get url(): string {
    return this.transport.url;
  }
}
