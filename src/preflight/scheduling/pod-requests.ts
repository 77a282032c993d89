import {
  type Amounts,
  podResources,
  readAmounts,
  sumAmounts,
} from "../../model/cluster/pod-resources.ts";
import { at, type Json } from "../../model/json.ts";

/**
 * Returns the free resources that a Pod requires on a node, with the overhead of its runtime.
 * Every Pod uses one of the places that a node has for Pods.
 */
export function podRequests(spec: Json): Amounts {
  const overhead = readAmounts(at(spec, "overhead"));
  return sumAmounts(podResources(spec, "requests"), overhead, new Map([["pods", 1]]));
}
