/** A pause before try `attempt` (from 0): doubling from `firstMs` to `mostMs`, and a random half of it. */
export function backoffMs(attempt: number, firstMs: number, mostMs: number): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return full / 2 + (Math.random() * full) / 2;
}

/** Resolves after `ms`, or earlier when `signal` fires; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
