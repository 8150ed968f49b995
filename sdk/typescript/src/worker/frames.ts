import { bytesFields } from '../client/bytes.js';
import type { NewFrame } from '../client/models.js';
import type { Lease } from './lease.js';

const FLUSH_AFTER_MS = 20;
const FRAMES_MOST = 256;
const BYTES_MOST = 512 * 1024;

/** Gathers the frames of one run for at most 20 ms and appends them in order. Who adds too many waits. */
export class FrameWriter {
  #frames: NewFrame[] = [];
  #bytes = 0;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(private readonly lease: Lease) {}

  /** Takes a frame. A failure of an earlier append is thrown here. */
  async add(type: string, payload: string | Uint8Array, encoding?: string): Promise<void> {
    this.#throwFailure();
    this.#seq += 1;
    this.#frames.push({
      frame_type: type,
      seq: this.#seq,
      ts: Date.now(),
      ...bytesFields('payload', payload),
      ...(encoding ? { encoding } : {}),
    });
    this.#bytes += payload.length;
    if (this.#frames.length >= FRAMES_MOST || this.#bytes >= BYTES_MOST) {
      await this.flush();
    } else {
      this.#timer ??= setTimeout(() => {
        this.#send();
      }, FLUSH_AFTER_MS);
    }
  }

  /** Sends what was added, and waits for what is being sent. */
  async flush(): Promise<void> {
    await this.#send();
    this.#throwFailure();
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#drain());
    return this.#sending;
  }

  // A failure is kept for the handler's next use of the stream.
  async #drain(): Promise<void> {
    while (this.#frames.length > 0 && this.#failure === undefined) {
      const frames = this.#frames.splice(0, FRAMES_MOST);
      this.#bytes = 0;
      try {
        // `seq` makes the repeat of an append whose answer was lost the same append.
        const { client, task } = this.lease;
        const body = { task_token: task.task_token, frames };
        await this.lease.call(() => client.tasks.appendFrames(task.execution_id, task.attempt_index, body));
      } catch (error) {
        this.#failure = error;
      }
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
