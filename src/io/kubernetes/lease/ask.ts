import type { GiveWayRules } from "../../../model/cluster/lock-run.ts";
import { textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { askerOn, runOn, withAsker } from "./notes.ts";
import { holderOf } from "./object.ts";

interface Asking {
  /** Who we are, for others to see. */
  readonly holder: string;
  readonly giveWay?: GiveWayRules | undefined;
  onAsked?(holder: string): void;
}

/**
 * Asks a holder to give way, once: by a note on its Lease, which is written only over the very state that we have seen, so it can
 * take nothing from anybody. Answers with the Lease as it is then. Where the note is refused we wait as if there were no way to ask.
 */
export function createAsking(
  cluster: Pick<Cluster, "replace">,
  { holder: by, giveWay, onAsked }: Asking,
): (lease: KubeObject) => Promise<KubeObject> {
  const settled = new Set<string>();
  return async (lease) => {
    const acquisition = `${holderOf(lease)} ${textAt(lease, "spec", "acquireTime")}`;
    if (giveWay === undefined || settled.has(acquisition)) return lease;
    const holder = runOn(lease);
    if (holder === undefined || !(await giveWay.asks(holder))) {
      settled.add(acquisition);
      return lease;
    }
    // Another one asks already: that is as good, unless we are newer than that one, too.
    const other = askerOn(lease);
    if (other !== undefined && !(await giveWay.asks(other))) return lease;
    const answer = await cluster.replace(withAsker(lease, { ...giveWay.self, by }));
    if (!answer.ok && answer.failure.reason === "conflict") return lease;
    settled.add(acquisition);
    if (!answer.ok) return lease;
    onAsked?.(holderOf(lease));
    return answer.value;
  };
}
