import { groupOf, type TypeMeta } from "../object.ts";
import type { Problem } from "../problems/problem.ts";
import { type ApiFailure, apiProblem } from "./api-failure.ts";

/**
 * Returns the error for a failed discovery of a kind.
 * Discovery can fail for all kinds, or only for the kinds of one aggregated API server.
 */
export function discoveryProblem(
  cluster: { readonly server: string },
  { apiVersion, kind }: TypeMeta,
  failure: ApiFailure,
): Problem {
  if (failure.reason !== "other")
    return apiProblem(cluster, "read the kinds that the API server serves", failure);
  const problem = apiProblem(
    cluster,
    `find out whether the API server serves ${kind} of ${apiVersion}`,
    failure,
  );
  const group = groupOf(apiVersion);
  if (!group.includes(".")) return problem;
  const service = `${apiVersion.slice(group.length + 1)}.${group}`;
  const fix = `Run \`kubectl describe apiservice ${service}\` to find the fault of its API server, then run again`;
  return { ...problem, fix };
}
