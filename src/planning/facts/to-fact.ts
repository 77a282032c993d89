import type { ApiResult } from "../../model/cluster/api-failure.ts";
import type { ClusterFact } from "../../preflight/cluster-facts.ts";

/** Converts an answer to a fact: a value, or the reason why it is unknown. */
export function toFact<A, T>(answer: ApiResult<A>, pick: (value: A) => T): ClusterFact<T> {
  if (answer.ok) return { known: true, value: pick(answer.value) };
  return { known: false, why: answer.failure.message };
}
