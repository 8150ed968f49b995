export interface ServerEvent {
    event: string;
    data: string;
    id: string | undefined;
}

/** Takes server-sent events apart as they arrive, in whatever pieces. */
export class SseParser {
    #rest = "";
    #event = "";
    #data: string[] = [];
    #id: string | undefined;

    push(text: string): ServerEvent[] {
        const lines = (this.#rest + text).split("\n");
        this.#rest = lines.pop() ?? "";
        const found: ServerEvent[] = [];
        for (const raw of lines) {
            const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
            if (line === "") {
                if (this.#event !== "" || this.#data.length > 0)
                    found.push({ event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n"), id: this.#id });
                this.#event = "";
                this.#data = [];
                this.#id = undefined;
                continue;
            }
            if (line.startsWith(":")) continue;
            const colon = line.indexOf(":");
            const name = colon < 0 ? line : line.slice(0, colon);
            const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
            if (name === "event") this.#event = value;
            else if (name === "data") this.#data.push(value);
            else if (name === "id") this.#id = value;
        }
        return found;
    }
}
