import type { Finding } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { findingsOf } from "../preflight/preflight.ts";
import { readFacts } from "./read-facts.ts";

/** What the cluster would do with a plan that nobody has to be asked for. */
export async function preflight(
  cluster: Cluster,
  plan: Plan,
  declared: readonly DeclaredObject[],
  concurrency: number,
): Promise<readonly Finding[]> {
  const facts = await readFacts(cluster, plan, concurrency);
  const places = new Map(declared.map(({ key, where }) => [key, where]));
  return findingsOf({ plan, facts, placeOf: (key) => places.get(key) });
}
