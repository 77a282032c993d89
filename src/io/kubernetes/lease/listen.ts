import type { Challenger, YieldRules } from "../../../model/cluster/lock-run.ts";
import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { askerOn } from "./notes.ts";
import { isSameAcquisition } from "./object.ts";

/**
 * The interval between two reads by the holder, in milliseconds. A watch would be faster, but needs
 * a permission that today's Roles don't grant.
 */
const lookInterval = 2_000;

interface Listening {
  readonly clock: Clock;
  /** Ends the listening. */
  readonly until: AbortSignal;
  readonly yieldRules: YieldRules | undefined;
}

/**
 * Resolves with the run that asks this holder to yield, if the rules allow it. Undefined if the
 * listening ends first. It doesn't detect a lost Lease; the renewal does.
 */
export async function listenForAsker(
  cluster: Pick<Cluster, "read">,
  held: KubeObject,
  { clock, until, yieldRules }: Listening,
): Promise<Challenger | undefined> {
  if (yieldRules === undefined) return undefined;
  while (await slept(clock, until)) {
    const live = await cluster.read(addressOf(held));
    if (!live.ok || live.value === undefined || !isSameAcquisition(live.value, held)) continue;
    const asker = askerOn(live.value);
    if (asker !== undefined && (await yieldRules.yieldsTo(asker))) {
      return until.aborted ? undefined : asker;
    }
  }
  return undefined;
}

async function slept(clock: Clock, until: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(lookInterval, until);
    return !until.aborted;
  } catch {
    return false;
  }
}
