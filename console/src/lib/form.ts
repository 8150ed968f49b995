import { words } from "./format";

/** The question for one member of an answer, made of the schema that an approval brings along. */
export interface FormField {
    name: string;
    label: string;
    kind: "text" | "number" | "area" | "choice";
    value?: string;
    choices?: string[];
    hint?: string;
}

interface Schema {
    type?: unknown;
    enum?: unknown;
    title?: unknown;
    description?: unknown;
    default?: unknown;
    properties?: Record<string, unknown>;
    required?: unknown;
}

const FIELDS_MOST = 30;
const TEXTS = { yes: true, no: false } as const;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

function members(form: unknown): [string, Schema][] {
    const properties = isObject(form) && isObject(form.properties) ? form.properties : {};
    return Object.entries(properties)
        .slice(0, FIELDS_MOST)
        .map(([name, schema]) => [name, isObject(schema) ? (schema as Schema) : {}]);
}

function isRequired(form: unknown, name: string): boolean {
    return isObject(form) && Array.isArray(form.required) && form.required.includes(name);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

/** The members of the answer as fields; what is no plain value is written as JSON. */
export function formFields(form: unknown): FormField[] {
    return members(form).map(([name, schema]) => {
        const field: FormField = { name, label: typeof schema.title === "string" ? schema.title : words(name), kind: "text" };
        if (!isRequired(form, name)) field.hint = "Need not be given.";
        if (typeof schema.description === "string") field.hint = schema.description;
        if (schema.default !== undefined)
            field.value = schema.type === "boolean" ? (schema.default ? "yes" : "no") : textOf(schema.default);
        if (Array.isArray(schema.enum)) return { ...field, kind: "choice", choices: ["", ...schema.enum.map(textOf)] };
        if (schema.type === "boolean") return { ...field, kind: "choice", choices: ["", "yes", "no"] };
        if (schema.type === "number" || schema.type === "integer") return { ...field, kind: "number" };
        if (schema.type === "object" || schema.type === "array")
            return { ...field, kind: "area", hint: `${field.hint ?? ""} JSON.`.trim() };
        return field;
    });
}

function typed(schema: Schema, label: string, text: string): unknown {
    if (Array.isArray(schema.enum)) return schema.enum.find((one) => textOf(one) === text);
    if (schema.type === "boolean") return TEXTS[text as keyof typeof TEXTS];
    if (schema.type === "number" || schema.type === "integer") {
        const value = Number(text);
        if (!Number.isFinite(value)) throw new Error(`“${label}” takes a number.`);
        if (schema.type === "integer" && !Number.isInteger(value)) throw new Error(`“${label}” takes a whole number.`);
        return value;
    }
    if (schema.type === "object" || schema.type === "array") {
        try {
            return JSON.parse(text) as unknown;
        } catch {
            throw new Error(`“${label}” takes JSON.`);
        }
    }
    return text;
}

/** The answer as the schema types it; throws a sentence for what is missing or no number. */
export function formAnswer(form: unknown, values: Record<string, string>): Record<string, unknown> {
    const answer: Record<string, unknown> = {};
    for (const [name, schema] of members(form)) {
        const label = typeof schema.title === "string" ? schema.title : words(name);
        const text = values[name] ?? "";
        if (text.trim() === "") {
            if (isRequired(form, name)) throw new Error(`“${label}” is needed.`);
            continue;
        }
        answer[name] = typed(schema, label, text);
    }
    return answer;
}
