import { DecodeError } from '../client/errors.js';

/**
 * The Standard Schema interface (version 1), which zod, valibot, arktype and others implement.
 * Any of them may say what a task takes and what a step holds.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** What is wrong with a value, and where. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const ISSUES_SHOWN = 5;

/** The value as the schema reads it; {@link DecodeError} when it does not fit. */
export async function validate<Output>(schema: StandardSchema<unknown, Output>, value: unknown): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const told = result.issues.slice(0, ISSUES_SHOWN).map(issue => {
    const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part)).join('.');
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new DecodeError(told.join('; '));
}
