/** One event of a worker, for the log of the program. */
export interface WorkerEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Fixed text. */
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Where a worker's events go. */
export type WorkerLog = (event: WorkerEvent) => void;

/** Warnings and errors as JSON lines on standard error. */
export function logToStderr(event: WorkerEvent): void {
  if (event.level === 'debug' || event.level === 'info') return;
  process.stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), ...event })}\n`);
}
