import { type TestContext, test } from "vitest";

/** The classes of attacks in SECURITY.md. */
export type AttackClass =
  | "start-up"
  | "live values"
  | "fields of Secrets"
  | "foreign text"
  | "names of built-ins"
  | "unmerged code"
  | "forged records"
  | "written values"
  | "bounds"
  | "credentials";

declare module "vitest" {
  interface TaskMeta {
    attack?: { readonly class: AttackClass; readonly inputs: number };
  }
}

/**
 * Declares a table of hostile inputs of one class. Each one is a separate test, and is counted at
 * the end of the run.
 */
export function attacks<T>(
  attackClass: AttackClass,
  name: string,
  inputs: readonly T[],
  run: (input: T, context: TestContext) => Promise<void> | void,
): void {
  test.for(inputs)(name, async (input, context) => {
    countInputs(context, attackClass, 1);
    await run(input, context);
  });
}

/** Counts the inputs of a test that tries several at once. */
export function countInputs({ task }: TestContext, attackClass: AttackClass, inputs: number): void {
  task.meta.attack = { class: attackClass, inputs };
}
