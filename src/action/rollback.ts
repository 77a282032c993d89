import { deployInOrder } from "../commands/deploy-changed.ts";
import { listDeployments } from "../commands/list-deployments.ts";
import { rollback } from "../commands/rollback.ts";
import { UserError, userError } from "../errors.ts";
import type { ActionContext } from "./context.ts";
import type { Inputs } from "./inputs.ts";
import { reportOutcomes } from "./report-outcomes.ts";

/** workflow_dispatch with a revision: one deployment's recorded release again. */
export async function rollBack(inputs: Inputs, context: ActionContext): Promise<void> {
  const { world } = context;
  const to = revisionOf(inputs.revision);
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  const chosen = listed.value.filter(inputs.isChosen).map(inputs.adjusted);
  if (chosen.length !== 1) {
    throw userError(
      `rolling back needs exactly one deployment, but ${chosen.length} are chosen`,
      `Set the input deployment to one of ${listed.value.map(({ name }) => name).join(", ")}`,
    );
  }
  const outcomes = await deployInOrder(chosen, (deployment) =>
    rollback(world, deployment, to, inputs.options),
  );
  await reportOutcomes(outcomes, undefined, inputs, context);
}

function revisionOf(text: string): number | "previous" {
  if (text === "previous") return text;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw userError(`input revision is "${text}"`, "Give the number of a release, or previous");
}
