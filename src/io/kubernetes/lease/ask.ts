import type { YieldRules } from "../../../model/cluster/lock-run.ts";
import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { askerOn, runOn, withAsker } from "./notes.ts";
import { holderOf } from "./object.ts";

interface Asking {
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
export function createAsking(
  cluster: Pick<Cluster, "replace">,
  { holder: by, yieldRules, onYieldRequested }: Asking,
): (lease: KubeObject) => Promise<KubeObject> {
  const settled = new Set<string>();
  return async (lease) => {
    const acquisition = `${holderOf(lease)} ${textAt(lease, "spec", "acquireTime")}`;
    if (yieldRules === undefined || settled.has(acquisition)) return lease;
    const holder = runOn(lease);
    if (holder === undefined || !(await yieldRules.mayChallenge(holder))) {
      settled.add(acquisition);
      return lease;
    }
    // Another run already asks. That is enough, unless this run is newer than that run, too.
    const other = askerOn(lease);
    if (other !== undefined && !(await yieldRules.mayChallenge(other))) return lease;
    const answer = await cluster.replace(withAsker(lease, { ...yieldRules.self, by }));
    if (!answer.ok && answer.failure.reason === "conflict") return lease;
    settled.add(acquisition);
    if (!answer.ok) return lease;
    onYieldRequested?.(holderOf(lease));
    return answer.value;
  };
}
