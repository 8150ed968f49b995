/** Offset, sixteen bytes, and what of them can be read. */
export function hexDump(raw: Uint8Array): string {
    const lines: string[] = [];
    for (let at = 0; at < raw.length; at += 16) {
        const part = [...raw.subarray(at, at + 16)];
        const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
        const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
        lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${text}`);
    }
    return lines.join("\n");
}
