import { backoffMs, pause } from './backoff.js';
import { type ApiError, apiError, ConfigError, ConnectError, MalformedResponse } from './errors.js';

/** Where the server is and how to talk to it. */
export interface ClientOptions {
  /** Default: `FF_SERVER_URL`, else `http://127.0.0.1:9090`. */
  url?: string;
  /** Bearer token of the API. Default: `FF_API_TOKEN`. */
  token?: string;
  /** For how long one request may take, in ms (30,000); a request that waits adds its wait. */
  timeoutMs?: number;
  /** How often a request that may be repeated is sent (4). */
  attempts?: number;
  /** What sends the requests; the platform's `fetch` by default. */
  fetch?: typeof fetch;
}

/** A request to the server. */
export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** Sent as they are, with `application/octet-stream`. */
  readonly octets?: Uint8Array | undefined;
  readonly headers?: Record<string, string>;
  /** Sending it twice does no more than sending it once. */
  readonly repeatable: boolean;
  /** How long the server is asked to wait. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's number of tries. */
  readonly attempts?: number;
}

const FIRST_PAUSE_MS = 50;
const MOST_PAUSE_MS = 2000;

function setting(name: string): string | undefined {
  const process = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process;
  return process?.env?.[name] || undefined;
}

function queryText(query: object | undefined): string {
  if (!query) return '';
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) parts.append(name, String(item));
  }
  const text = parts.toString();
  return text && `?${text}`;
}

/** One part of a path, escaped. */
export function escapeId(id: string): string {
  return encodeURIComponent(id);
}

/** Sends requests, turns refusals into errors and repeats what may be repeated. */
export class Transport {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;
  readonly #attempts: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    this.url = (options.url ?? setting('FF_SERVER_URL') ?? 'http://127.0.0.1:9090').replace(/\/+$/, '');
    if (!/^https?:\/\//.test(this.url))
      throw new ConfigError(`the server's URL "${this.url}" begins with neither http:// nor https://`);
    if (options.token !== undefined && options.token.trim() === '') throw new ConfigError('the API token is blank');
    this.#token = options.token ?? setting('FF_API_TOKEN');
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#attempts = Math.max(1, options.attempts ?? 4);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** The decoded JSON answer; undefined for 204. */
  async json<T>(sending: Sending): Promise<T | undefined> {
    return this.#repeat(sending, async () => {
      const { status, text } = await this.#read(sending, response => response.text());
      if (status === 204) return undefined;
      try {
        return JSON.parse(text) as T;
      } catch {
        throw new MalformedResponse(`${sending.method} ${sending.path} answered ${status} without JSON`);
      }
    });
  }

  /** The bytes of the answer. */
  async bytes(sending: Sending): Promise<Uint8Array> {
    return this.#repeat(sending, async () => {
      const { text } = await this.#read(sending, async response => new Uint8Array(await response.arrayBuffer()));
      return text;
    });
  }

  /** The answer's text. */
  async text(sending: Sending): Promise<string> {
    return this.#repeat(sending, async () => (await this.#read(sending, response => response.text())).text);
  }

  /** An answer whose body is read as it comes; sent once. The caller ends it through `signal`. */
  async open(sending: Sending): Promise<Response> {
    const response = await this.#send(sending, sending.signal);
    if (!response.ok) throw apiError(response.status, await response.text());
    return response;
  }

  async #repeat<T>(sending: Sending, once: () => Promise<T>): Promise<T> {
    const most = sending.repeatable ? (sending.attempts ?? this.#attempts) : 1;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once();
      } catch (error) {
        if (attempt + 1 >= most || !isRetryable(error) || sending.signal?.aborted) throw error;
        await pause(backoffMs(attempt, FIRST_PAUSE_MS, MOST_PAUSE_MS), sending.signal);
        if (sending.signal?.aborted) throw error;
      }
    }
  }

  async #read<T>(sending: Sending, body: (response: Response) => Promise<T>): Promise<{ status: number; text: T }> {
    const limit = new AbortController();
    const end = (): void => limit.abort();
    const timer = setTimeout(end, this.#timeoutMs + (sending.waitMs ?? 0));
    sending.signal?.addEventListener('abort', end, { once: true });
    if (sending.signal?.aborted) end();
    try {
      const response = await this.#send(sending, limit.signal);
      if (!response.ok) throw apiError(response.status, await response.text());
      return { status: response.status, text: await body(response) };
    } catch (error) {
      if (isOurs(error)) throw error;
      throw connectError(sending, error);
    } finally {
      clearTimeout(timer);
      sending.signal?.removeEventListener('abort', end);
    }
  }

  async #send(sending: Sending, signal: AbortSignal | undefined): Promise<Response> {
    const headers: Record<string, string> = { ...sending.headers };
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    let body: string | Uint8Array | undefined;
    if (sending.octets) {
      headers['content-type'] = 'application/octet-stream';
      body = sending.octets;
    } else if (sending.body !== undefined) {
      headers['content-type'] = 'application/json';
      body = JSON.stringify(sending.body);
    }
    try {
      return await this.#fetch(this.url + sending.path + queryText(sending.query), {
        method: sending.method,
        headers,
        ...(body === undefined ? {} : { body: body as BodyInit }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      throw connectError(sending, error);
    }
  }
}

function isOurs(error: unknown): boolean {
  return error instanceof ConnectError || error instanceof MalformedResponse || isApiError(error);
}

function isApiError(error: unknown): error is ApiError {
  return typeof error === 'object' && error !== null && 'errorClass' in error;
}

/** Whether repeating a request after `error` can help. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ConnectError || error instanceof MalformedResponse || (isApiError(error) && error.retryable);
}

function connectError(sending: Sending, error: unknown): ConnectError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new ConnectError(`no answer to ${sending.method} ${sending.path}: ${why}`, { cause: error });
}
