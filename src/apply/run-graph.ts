import type { Edge } from "../model/plan.ts";

/** A task that runs after other tasks. */
export interface GraphStep {
  readonly key: string;
  readonly after: readonly Edge[];
}

/**
 * Runs every step as soon as all steps that it depends on are done.
 * If a step's run returns false, that step and every step after it count as not done. Edges to keys
 * outside the steps are already satisfied.
 */
export async function runGraph<S extends GraphStep>(
  steps: readonly S[],
  run: (step: S) => Promise<boolean>,
): Promise<void> {
  assertOrder(steps);
  const done = new Map<string, Promise<boolean>>();
  for (const step of steps) {
    const before = step.after.map((edge) => done.get(edge.on) ?? true);
    const start = async () => (await Promise.all(before)).every(Boolean) && run(step);
    done.set(step.key, start());
  }
  await Promise.all(done.values());
}

/**
 * Throws if an edge points forward, which is a bug in the planner.
 * A plan lists no step before its dependencies.
 */
function assertOrder(steps: readonly GraphStep[]): void {
  const position = new Map(steps.map((step, index) => [step.key, index]));
  for (const [index, step] of steps.entries()) {
    const misplaced = step.after.find((edge) => (position.get(edge.on) ?? -1) >= index);
    if (misplaced !== undefined)
      throw new Error(`The plan lists ${step.key} before ${misplaced.on}`);
  }
}
