import { signal } from "@preact/signals";

/** The API is beside the console, whatever path a proxy serves both below. */
const BASE = globalThis.location === undefined ? "" : new URL("..", location.origin + location.pathname).href.replace(/\/$/, "");
const TOKEN_KEY = "flowfabric.token";

export const signedOut = signal(false);
let token: string | undefined = globalThis.sessionStorage?.getItem(TOKEN_KEY) ?? undefined;

export function signIn(given: string, keep: boolean): void {
    token = given;
    if (keep) sessionStorage.setItem(TOKEN_KEY, given);
    else sessionStorage.removeItem(TOKEN_KEY);
    signedOut.value = false;
}

export function signOut(): void {
    token = undefined;
    sessionStorage.removeItem(TOKEN_KEY);
    signedOut.value = true;
}

export const hasToken = (): boolean => token !== undefined;

export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        message: string,
        readonly retryable: boolean,
    ) {
        super(message);
    }
}

export interface Ask {
    method?: string;
    body?: unknown;
    signal?: AbortSignal | undefined;
    headers?: Record<string, string>;
    /** Tried instead of the one that is kept, to sign in with. */
    token?: string;
}

export function url(path: string): string {
    return BASE + path;
}

async function refusal(reply: Response): Promise<ApiError> {
    const text = await reply.text();
    try {
        const body = JSON.parse(text) as { error?: string; code?: string; retryable?: boolean };
        return new ApiError(
            reply.status,
            body.code ?? "unknown",
            body.error ?? `The server answered ${reply.status}.`,
            body.retryable ?? false,
        );
    } catch {
        return new ApiError(reply.status, "unknown", `The server answered ${reply.status}.`, reply.status >= 500);
    }
}

/** The answer as it is; throws an ApiError for any refusal. */
export async function ask(path: string, options: Ask = {}): Promise<Response> {
    const headers: Record<string, string> = { ...options.headers };
    const bearer = options.token ?? token;
    if (bearer !== undefined) headers.Authorization = `Bearer ${bearer}`;
    const init: RequestInit = { method: options.method ?? "GET", headers, cache: "no-store" };
    if (options.signal) init.signal = options.signal;
    if (options.body !== undefined) {
        headers["Content-Type"] = "application/json";
        init.body = JSON.stringify(options.body);
    }
    let reply: Response;
    try {
        reply = await fetch(url(path), init);
    } catch (error) {
        if (options.signal?.aborted) throw error;
        throw new ApiError(
            0,
            "unreachable",
            "The server does not answer. Check that it runs; the console goes on by itself when it is back.",
            true,
        );
    }
    if (reply.status === 401 && options.token === undefined) signedOut.value = true;
    if (!reply.ok) throw await refusal(reply);
    return reply;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const reply = await ask(path, { signal });
    return (await reply.json()) as T;
}

export async function send<T = unknown>(method: string, path: string, body: unknown = {}): Promise<T> {
    const reply = await ask(path, { method, body });
    return (reply.status === 204 ? null : await reply.json()) as T;
}

export const executionPath = (id: string, rest = ""): string => `/v1/executions/${encodeURIComponent(id)}${rest}`;

/** Null where there is nothing of the kind, which is a plain answer for many records. */
export async function getOrNull<T>(path: string, signal?: AbortSignal): Promise<T | null> {
    try {
        return await get<T>(path, signal);
    } catch (error) {
        if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return null;
        throw error;
    }
}
