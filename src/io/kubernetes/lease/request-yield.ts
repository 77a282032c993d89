import type { YieldRules } from "../../../model/cluster/lock-run.ts";
import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { leaseHolder } from "./lease-object.ts";
import { addChallenger, readChallenger, readHolderRun } from "./notes.ts";

interface YieldRequestContext {
  /** The identity of this run, which other users see. */
  readonly holder: string;
  readonly yieldRules?: YieldRules | undefined;
  onYieldRequested?(holder: string): void;
}

/**
 * Returns a function that asks a holder once to yield, by a note on its Lease. It writes the note
 * only over the state that was read, so it can't overwrite another change. It resolves with the
 * resulting Lease. If the API server rejects the note, this run waits as if it hadn't asked.
 */
export function createYieldRequester(
  cluster: Pick<Cluster, "replace">,
  { holder: by, yieldRules, onYieldRequested }: YieldRequestContext,
): (lease: KubeObject) => Promise<KubeObject> {
  const settled = new Set<string>();
  return async (lease) => {
    const acquisition = `${leaseHolder(lease)} ${textAt(lease, "spec", "acquireTime")}`;
    if (yieldRules === undefined || settled.has(acquisition)) return lease;
    const holder = readHolderRun(lease);
    if (holder === undefined || !(await yieldRules.mayChallenge(holder))) {
      settled.add(acquisition);
      return lease;
    }
    // Another run already asks. That is enough, unless this run is newer than that run, too.
    const other = readChallenger(lease);
    if (other !== undefined && !(await yieldRules.mayChallenge(other))) return lease;
    const answer = await cluster.replace(addChallenger(lease, { ...yieldRules.self, by }));
    if (!answer.ok && answer.failure.reason === "conflict") return lease;
    settled.add(acquisition);
    if (!answer.ok) return lease;
    onYieldRequested?.(leaseHolder(lease));
    return answer.value;
  };
}
