import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problem.ts";
import type { DeployOutcome } from "./carry-out.ts";
import { commitTreeAt } from "./commit-source.ts";
import { compileDeployment } from "./compile-deployment.ts";
import { isChanged } from "./find-changed.ts";
import { listDeployments } from "./list-deployments.ts";
import type { World } from "./world.ts";

/** What became of one of several deployments. */
export type DeploymentOutcome =
  | { readonly type: "done"; readonly deployment: Deployment; readonly outcome: DeployOutcome }
  | {
      readonly type: "refused";
      readonly deployment: Deployment;
      readonly problems: readonly Problem[];
    };

/** The deployments among `chosen` that a push changed; all of them when there is no commit to compare with. */
export async function changedByPush(
  world: World,
  chosen: readonly Deployment[],
  base: string | undefined,
  inline: readonly string[],
): Promise<readonly Deployment[]> {
  if (base === undefined) return chosen;
  const source = await commitTreeAt(world, base);
  const listed = await listDeployments(source.tree, world.repositoryName);
  const earlier = new Map((listed.ok ? listed.value : []).map((each) => [each.name, each]));
  const changed: Deployment[] = [];
  for (const deployment of chosen) {
    const before = earlier.get(deployment.name);
    const head = await compileDeployment(world.source, deployment, inline);
    const old = before === undefined ? undefined : await compileDeployment(source, before, inline);
    const compared = {
      deployment,
      before,
      base: old?.ok ? old.value.compilation : undefined,
      head: head.ok ? head.value.compilation : undefined,
    };
    if (await isChanged(world, base, compared)) changed.push(deployment);
  }
  return changed;
}

/** One after the other, dependencies first. After a failure, what depends on it is not touched; the rest goes on. */
export async function deployInOrder(
  deployments: readonly Deployment[],
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
): Promise<readonly DeploymentOutcome[]> {
  const outcomes: DeploymentOutcome[] = [];
  const failed = new Set<string>();
  for (const deployment of dependenciesFirst(deployments)) {
    const cause = deployment.dependsOn.find((name) => failed.has(name));
    const outcome =
      cause === undefined ? await attempt(deployment, deployOne) : notAttempted(deployment, cause);
    if (outcome.type === "refused" || !outcome.outcome.result.succeeded)
      failed.add(deployment.name);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function attempt(
  deployment: Deployment,
  deployOne: (deployment: Deployment) => Promise<DeployOutcome>,
): Promise<DeploymentOutcome> {
  try {
    return { type: "done", deployment, outcome: await deployOne(deployment) };
  } catch (error) {
    if (error instanceof UserError)
      return { type: "refused", deployment, problems: error.problems };
    throw error;
  }
}

function notAttempted(deployment: Deployment, cause: string): DeploymentOutcome {
  const what = `${deployment.name} was not attempted, because ${cause}, which it depends on, failed`;
  return {
    type: "refused",
    deployment,
    problems: [{ where: [], what, fix: `Mend ${cause} first` }],
  };
}

/** deployments.yaml is free of cycles; names outside of the given ones are deployed already or not changed. */
function dependenciesFirst(deployments: readonly Deployment[]): readonly Deployment[] {
  const byName = new Map(deployments.map((each) => [each.name, each]));
  const ordered = new Set<Deployment>();
  const visit = (deployment: Deployment) => {
    if (ordered.has(deployment)) return;
    for (const name of [...deployment.dependsOn].sort()) {
      const other = byName.get(name);
      if (other !== undefined) visit(other);
    }
    ordered.add(deployment);
  };
  for (const deployment of [...deployments].sort((a, b) => (a.name < b.name ? -1 : 1)))
    visit(deployment);
  return [...ordered];
}
