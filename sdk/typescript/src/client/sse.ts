import { backoffMs, pause } from './backoff.js';
import { ConnectError } from './errors.js';
import { isRetryable, type Transport } from './transport.js';

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** How a stream is followed. */
export interface FollowOptions {
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** For how long to try to get back to a server that is away, in ms (600,000). */
  patienceMs?: number;
}

const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;
// The server says something at least every 15 s.
const SILENCE_MS = 45_000;
const EVENT_BYTES_MOST = 16 * 1024 * 1024;

/** Cuts text that comes in pieces into events. */
export class EventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  push(text: string): ServerEvent[] {
    this.#rest += text;
    if (this.#rest.length > EVENT_BYTES_MOST) throw new ConnectError('the server sent an event that does not end');
    const lines = this.#rest.split(/\r\n|\n/);
    this.#rest = lines.pop() ?? '';
    const events: ServerEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0)
          events.push({ event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id });
        this.#event = '';
        this.#data = [];
        this.#id = undefined;
      } else {
        this.#field(line);
      }
    }
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    if (name === 'data') this.#data.push(value);
    if (name === 'id') this.#id = value;
  }
}

/**
 * Server-sent events of a route, over as many connections as it takes: each begins behind the last event that had an id.
 * Ends when the server answers 204, when the caller stops, or when `last` says that an event was the last one.
 */
export async function* follow(
  transport: Transport,
  path: string,
  query: object,
  options: FollowOptions & { lastEventId?: string | undefined; last: (event: ServerEvent) => boolean },
): AsyncGenerator<ServerEvent, void, undefined> {
  let lastEventId = options.lastEventId;
  const patienceMs = options.patienceMs ?? 600_000;
  let failures = 0;
  let aliveAt = Date.now();
  for (;;) {
    try {
      for await (const event of connection(transport, path, query, lastEventId, options.signal)) {
        failures = 0;
        aliveAt = Date.now();
        if (event.event === 'shutdown') break;
        if (event.id !== undefined) lastEventId = event.id;
        yield event;
        if (options.last(event)) return;
      }
    } catch (error) {
      if (error === FINISHED || options.signal?.aborted) return;
      if (!isRetryable(error) || Date.now() - aliveAt > patienceMs) throw error;
    }
    if (options.signal?.aborted) return;
    await pause(backoffMs(failures, FIRST_PAUSE_MS, MOST_PAUSE_MS), options.signal);
    failures += 1;
  }
}

const FINISHED = Symbol('finished');

async function* connection(
  transport: Transport,
  path: string,
  query: object,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const end = new AbortController();
  const stop = (): void => end.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  let silence = setTimeout(stop, SILENCE_MS);
  try {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId) headers['last-event-id'] = lastEventId;
    const response = await transport.open({
      method: 'GET',
      path,
      query,
      headers,
      repeatable: true,
      signal: end.signal,
    });
    if (response.status === 204 || !response.body) throw FINISHED;
    const reader = response.body.getReader();
    const text = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const piece = await reader.read();
      if (piece.done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MS);
      yield* parser.push(text.decode(piece.value, { stream: true }));
    }
  } catch (error) {
    if (error === FINISHED || isRetryable(error) || (error as { errorClass?: string }).errorClass) throw error;
    throw new ConnectError(`the stream ${path} broke off`, { cause: error });
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', stop);
    stop();
  }
}
