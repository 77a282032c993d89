import type { Problem } from "../model/problem.ts";
import type { Cluster, ClusterFailure } from "../ports.ts";

/** A refusal of the API server in the words of somebody who has to mend it. */
export function clusterProblem(cluster: Cluster, doing: string, failure: ClusterFailure): Problem {
  // What says that the server cannot be reached names it already.
  const at = failure.reason === "unreachable" ? "" : ` at ${cluster.server}`;
  return { where: [], what: `Cannot ${doing}${at}: ${failure.message}`, fix: cure(failure) };
}

function cure({ reason }: ClusterFailure): string {
  switch (reason) {
    case "unreachable":
      return "Check that the cluster runs, and the server's address in the kubeconfig";
    case "unauthorized":
      return "Renew the credentials of this kubeconfig context";
    case "forbidden":
      return "Have an administrator grant what is missing, or use a context whose user may do this";
    case "not-found":
    case "already-exists":
    case "conflict":
    case "invalid":
    case "expired":
    case "unknown-kind":
    case "other":
      return "Read the server's answer above; running again is safe";
  }
}
