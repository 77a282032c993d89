import type { Edge } from "../model/plan.ts";

/** Something to do after other things are done. */
export interface Step {
  readonly key: string;
  readonly after: readonly Edge[];
}

/**
 * Runs every step as soon as all steps that it comes after are done. A step whose run answers false, and everything
 * after it, counts as not done. Edges to keys that are not among the steps are satisfied already.
 */
export async function runGraph<S extends Step>(
  steps: readonly S[],
  run: (step: S) => Promise<boolean>,
): Promise<void> {
  refuseWrongOrder(steps);
  const done = new Map<string, Promise<boolean>>();
  for (const step of steps) {
    const before = step.after.map((edge) => done.get(edge.on) ?? true);
    const start = async () => (await Promise.all(before)).every(Boolean) && run(step);
    done.set(step.key, start());
  }
  await Promise.all(done.values());
}

/** A plan lists nothing before what it depends on, so an edge that points forward is a bug of the planner's. */
function refuseWrongOrder(steps: readonly Step[]): void {
  const position = new Map(steps.map((step, index) => [step.key, index]));
  for (const [index, step] of steps.entries()) {
    const late = step.after.find((edge) => (position.get(edge.on) ?? -1) >= index);
    if (late !== undefined) throw new Error(`The plan lists ${step.key} before ${late.on}`);
  }
}
