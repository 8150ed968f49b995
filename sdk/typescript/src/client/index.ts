/**
 * The client alone, for browsers and for programs that only submit and watch.
 *
 * @packageDocumentation
 */
export { Client } from './client.js';
export { decode, type Encoded, encode } from './codec.js';
export { type Duration, toMs } from './duration.js';
export * from './errors.js';
export type { CallOptions } from './group.js';
export * from './models.js';
export type { FollowOptions } from './sse.js';
export { Feed, type FeedItem, type FollowStreamOptions, frameData, type StreamFrame } from './streams.js';
export type { TaskCallOptions } from './tasks.js';
export type { ClientOptions } from './transport.js';
