import type { Deployment } from "../model/deployment.ts";

/**
 * Why the cluster that a deployment is aimed at must not be asked; undefined when it may. The target branch decides which
 * clusters there are: a pull request must not aim our credentials elsewhere, not even by leaving a context out.
 */
export function unknownContext(
  { context }: Deployment,
  before: readonly Deployment[],
): string | undefined {
  if (before.length === 0)
    return "the target branch has no deployments yet, so nothing there says which cluster may be asked";
  if (before.some((each) => each.context === context)) return undefined;
  return context === undefined
    ? "it names no context, and no deployment of the target branch uses the kubeconfig's current one yet"
    : `no deployment of the target branch uses the context "${context}" yet`;
}
