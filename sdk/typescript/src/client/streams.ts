import { readBytes } from './bytes.js';
import { decode } from './codec.js';
import { apiError } from './errors.js';
import { executionPath } from './executions.js';
import { type CallOptions, Group } from './group.js';
import type { FeedEvent, FeedGap, FeedPage, FeedQuery, Frame, FramePage, StreamQuery } from './models.js';
import { type FollowOptions, follow, type ServerEvent } from './sse.js';
import { escapeId } from './transport.js';

/** What a followed stream yields besides frames: another attempt began, or frames were lost to retention. */
export interface StreamFrame {
  readonly attemptIndex: number;
  readonly type: string;
  /** Text where the frame holds text, the value where it holds JSON, else bytes. */
  readonly data: unknown;
  readonly at: number;
  /** To go on behind this frame. */
  readonly cursor: string;
  readonly frame: Frame;
}

/** Which frames to follow, and from where. */
export interface FollowStreamOptions extends FollowOptions {
  /** Begin behind this frame. */
  cursor?: string;
}

/** An event of a feed, or what was lost of it. */
export type FeedItem = ({ readonly gap?: undefined } & FeedEvent) | { readonly gap: FeedGap };

/** The value of a frame's payload. */
export function frameData(frame: Frame): unknown {
  const data = readBytes(frame.fields, 'payload');
  return frame.fields.encoding === 'json' ? decode({ data, encoding: '' }) : data;
}

function failed(event: ServerEvent): void {
  if (event.event === 'error') throw apiError(503, event.data);
}

/** Output of executions, and feeds of what the engine does. */
export class Streams extends Group {
  read(
    id: string,
    attemptIndex: number,
    query: StreamQuery & { from?: string; to?: string; limit?: number } = {},
  ): Promise<FramePage> {
    return this.get(executionPath(id, `/attempts/${attemptIndex}/stream`), query);
  }

  /** Frames behind `after`, waiting up to `block_ms` for the first. */
  tail(
    id: string,
    attemptIndex: number,
    query: StreamQuery & { after?: string; block_ms?: number; limit?: number } = {},
    options?: CallOptions,
  ): Promise<FramePage> {
    return this.get(executionPath(id, `/attempts/${attemptIndex}/stream/tail`), query, options, query.block_ms ?? 0);
  }

  info(id: string, attemptIndex: number): Promise<Record<string, unknown>> {
    return this.get(executionPath(id, `/attempts/${attemptIndex}/stream/info`));
  }

  summary(
    id: string,
    attemptIndex: number,
    query: { after_version?: number; block_ms?: number } = {},
  ): Promise<{ document: unknown; version: number; [member: string]: unknown }> {
    return this.get(executionPath(id, `/attempts/${attemptIndex}/summary`), query, undefined, query.block_ms ?? 0);
  }

  /** Frames of all attempts as they come, until the execution has ended; reconnects where it was. */
  async *follow(id: string, options: FollowStreamOptions = {}): AsyncGenerator<StreamFrame, void, undefined> {
    const query = { mode: 'all_attempts' };
    const last = (event: ServerEvent): boolean => event.event === 'end';
    for await (const event of follow(this.transport, executionPath(id, '/stream'), query, {
      ...options,
      lastEventId: options.cursor,
      last,
    })) {
      failed(event);
      if (event.event !== 'frame') continue;
      const frame = JSON.parse(event.data) as Frame;
      const cursor = event.id ?? `${frame.attempt_index ?? 0}:${frame.id}`;
      yield {
        attemptIndex: frame.attempt_index ?? Number(cursor.split(':')[0]),
        type: frame.fields.frame_type,
        data: frameData(frame),
        at: frame.fields.ts,
        cursor,
        frame,
      };
    }
  }

  /** One page of a feed. */
  poll(
    families: string | string[],
    query: FeedQuery & { limit?: number; block_ms?: number } = {},
    options?: CallOptions,
  ): Promise<FeedPage> {
    return this.get(`/v1/streams/${familyList(families)}`, query, options, query.block_ms ?? 0);
  }

  /** Events of one or several families over all executions, or those that the query names. */
  feed(families: string | string[], query: FeedQuery = {}, options: FollowOptions = {}): Feed {
    return new Feed(this.transport, `/v1/streams/${familyList(families)}/subscribe`, query, options);
  }

  /** All events of one execution, from its beginning. */
  executionFeed(id: string, query: FeedQuery = {}, options: FollowOptions = {}): Feed {
    return new Feed(this.transport, executionPath(id, '/feed'), query, options);
  }

  /** All events of one flow, from its beginning. */
  flowFeed(id: string, query: FeedQuery = {}, options: FollowOptions = {}): Feed {
    return new Feed(this.transport, `/v1/flows/${escapeId(id)}/feed`, query, options);
  }
}

function familyList(families: string | string[]): string {
  return (Array.isArray(families) ? families : [families]).map(escapeId).join(',');
}

/**
 * An endless feed. After a lost connection it goes on behind the last checkpoint, so events may repeat (`event_id` tells);
 * nothing is lost without a gap that says so. Keep `cursor` to go on in another process.
 */
export class Feed implements AsyncIterable<FeedItem> {
  #cursor: string | undefined;
  readonly #events: () => AsyncGenerator<ServerEvent, void, undefined>;

  constructor(transport: Group['transport'], path: string, query: FeedQuery, options: FollowOptions) {
    this.#cursor = query.cursor;
    this.#events = () => {
      const { cursor: _, ...rest } = query;
      return follow(transport, path, rest, { ...options, lastEventId: this.#cursor, last: () => false });
    };
  }

  /** Where to go on; undefined until the server has said it for the first time. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedItem, void, undefined> {
    for await (const event of this.#events()) {
      failed(event);
      if (event.event === 'checkpoint')
        this.#cursor = event.id ?? (JSON.parse(event.data) as { cursor: string }).cursor;
      else if (event.event === 'gap') yield { gap: JSON.parse(event.data) as FeedGap };
      else yield JSON.parse(event.data) as FeedEvent;
    }
  }
}
