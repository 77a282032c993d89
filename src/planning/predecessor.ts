import { stages } from "../model/compilation.ts";
import { nameOf } from "../model/object.ts";
import { type Change, fieldManager, type PlanPolicy } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import { listed } from "../model/text/closest.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { readReadableReleases } from "../releases/store.ts";
import { isOfPredecessor } from "../ssa/protection.ts";
import type { PlanningContext } from "./planning-context.ts";

export interface Predecessor {
  /** The name that the deployment had before; undefined where nothing is recorded by such a name. */
  readonly name: string | undefined;
  readonly blockers: readonly Problem[];
}

const none: Predecessor = { name: undefined, blockers: [] };

/**
 * Whose objects go on under the name of this deployment (docs/reference/config.md#renamed-deployments): only those of a deployment that was
 * deployed from here. Otherwise an entry could take what belongs to another repository.
 */
export async function findPredecessor(context: PlanningContext): Promise<Predecessor> {
  const { cluster, deployment, source, adopt } = context;
  const { renamedFrom: name } = deployment;
  if (name === undefined) return none;
  const before = { ...deployment, name };
  const recorded = await readReadableReleases(cluster, before, context);
  if (!recorded.ok) return { ...none, blockers: recorded.problems };
  const { releases } = recorded.value;
  if (releases.length === 0) return none;
  const other = adopt ? undefined : problemOfOtherSource(releases, source, before);
  return other === undefined ? { name, blockers: [] } : { ...none, blockers: [other] };
}

/** All that its two field managers hold becomes this deployment's. */
export function withPredecessor(policy: PlanPolicy, name: string | undefined): PlanPolicy {
  if (name === undefined) return policy;
  const { conflicts } = policy;
  const managers = stages.map((stage) => fieldManager(name, stage));
  const takeover = [...conflicts.takeover, ...managers];
  return { ...policy, conflicts: { ...conflicts, takeover } };
}

/** Told once of all of them, since nothing else happens to most. */
export function noticeOfRename(
  changes: readonly Change[],
  predecessor: string | undefined,
  { deployment, namespace }: { readonly deployment: string; readonly namespace: string },
): readonly Problem[] {
  const owner = { predecessor, deployment, namespace };
  const names = changes.flatMap(({ id, live }) =>
    live !== undefined && isOfPredecessor(live, owner) ? [nameOf(id)] : [],
  );
  if (names.length === 0) return [];
  return [
    {
      code: "renamed-deployment",
      what: `"${deployment}" goes on with what "${predecessor}" has deployed, without recreating it: ${listed(names, mostNames)}`,
      fix: "Nothing has to be done; once it is deployed, renamed-from can be removed",
      where: [],
    },
  ];
}

const mostNames = 5;
