import { utf8, utf8OrNothing } from './bytes.js';
import { DecodeError } from './errors.js';

/** Encodings that both SDKs write. */
export const JSON_ENCODING = 'json';
export const BYTES_ENCODING = 'bytes';

/** A value as the store keeps it: text or bytes, and how to read them. No data is no value at all. */
export interface Encoded {
  readonly data: string | Uint8Array | undefined;
  readonly encoding: string;
}

/** Turns a value into bytes: `Uint8Array` stays as it is, `undefined` is nothing, all else becomes JSON. */
export function encode(value: unknown): Encoded {
  if (value === undefined || value === null) return { data: undefined, encoding: '' };
  if (value instanceof Uint8Array) return { data: value, encoding: BYTES_ENCODING };
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined)
    throw new DecodeError(`a ${typeof value} cannot be written as JSON; return plain data or a Uint8Array`);
  return { data: text, encoding: JSON_ENCODING };
}

/** The value of what `encode`, the other SDK, or any client stored. Bytes that are no JSON stay text or bytes. */
export function decode({ data, encoding }: Encoded): unknown {
  if (encoding === BYTES_ENCODING) return typeof data === 'string' ? utf8(data) : (data ?? new Uint8Array());
  if (data === undefined || data.length === 0) return null;
  const text = typeof data === 'string' ? data : utf8OrNothing(data);
  if (text === undefined) {
    if (encoding === JSON_ENCODING) throw new DecodeError('the bytes are no UTF-8, hence no JSON');
    return data;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (encoding === JSON_ENCODING) throw new DecodeError(`not JSON: ${(error as Error).message}`);
    return text;
  }
}
