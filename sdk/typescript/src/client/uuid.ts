let mint: (() => string) | undefined = (
  globalThis as { crypto?: { randomUUID?: () => string } }
).crypto?.randomUUID?.bind(globalThis.crypto);

/** Node 18 has no global `crypto`; the entry for Node gives its own source. */
export function setUuidSource(source: () => string): void {
  mint = source;
}

function fromRandom(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16));
  digits[12] = '4';
  digits[16] = (8 + Math.floor(Math.random() * 4)).toString(16);
  const text = digits.join('');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** A fresh id. Pages without a secure context, too, get one that is unique, though not a secret. */
export function uuid(): string {
  return mint ? mint() : fromRandom();
}
