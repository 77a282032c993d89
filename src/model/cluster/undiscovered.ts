import { groupOf, type KubeObject } from "../object.ts";
import type { Problem } from "../problems/problem.ts";
import { type ApiFailure, apiProblem } from "./api-failure.ts";

/**
 * Returns the error for a failed discovery of a kind.
 * Discovery can fail for all kinds, or only for the kinds of one aggregated API server.
 */
export function undiscovered(
  cluster: { readonly server: string },
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
  failure: ApiFailure,
): Problem {
  if (failure.reason !== "other") return apiProblem(cluster, "read which kinds it serves", failure);
  const problem = apiProblem(cluster, `read whether it serves ${kind} of ${apiVersion}`, failure);
  const group = groupOf(apiVersion);
  if (!group.includes(".")) return problem;
  const service = `${apiVersion.slice(group.length + 1)}.${group}`;
  const fix = `Check the API server that serves it: \`kubectl describe apiservice ${service}\` says what is wrong with it; then run again`;
  return { ...problem, fix };
}
