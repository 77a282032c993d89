import { type TestContext, test } from "vitest";

/** What an attacker tries, as SECURITY.md tells it. */
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

/** A table of hostile inputs of one class. Each is a test of its own, and is counted at the end of the run. */
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

/** For a test that tries several inputs at once. */
export function countInputs({ task }: TestContext, attackClass: AttackClass, inputs: number): void {
  task.meta.attack = { class: attackClass, inputs };
}
