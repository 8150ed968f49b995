import { MalformedResponse } from './errors.js';
import type { Transport } from './transport.js';

/** How one call may be adjusted. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** Base of the groups of routes. */
export class Group {
  protected readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected async get<T>(path: string, query?: object, options?: CallOptions, waitMs = 0): Promise<T> {
    const answer = await this.transport.json<T>({
      method: 'GET',
      path,
      query,
      repeatable: true,
      waitMs,
      signal: options?.signal,
    });
    return present(answer, path);
  }

  /** A change that is the same when it is made twice. */
  protected async put<T>(method: string, path: string, body: unknown = {}, query?: object): Promise<T> {
    return present(await this.transport.json<T>({ method, path, body, query, repeatable: true }), path);
  }

  /** A change that must not be repeated by machinery. */
  protected async once<T>(method: string, path: string, body: unknown = {}, query?: object): Promise<T> {
    return present(await this.transport.json<T>({ method, path, body, query, repeatable: false }), path);
  }

  /** Every item of a listing, page by page. */
  protected async *pages<T>(path: string, items: string, query: object): AsyncGenerator<T, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: Record<string, unknown> = await this.get(path, { ...query, ...(cursor ? { cursor } : {}) });
      yield* page[items] as T[];
      cursor = page.next_cursor as string | null | undefined;
    } while (cursor);
  }
}

function present<T>(answer: T | undefined, path: string): T {
  if (answer === undefined) throw new MalformedResponse(`${path} answered nothing`);
  return answer;
}
