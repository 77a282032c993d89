import type { Challenger, YieldRules } from "../../../model/cluster/lock-run.ts";
import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { isSameAcquisition } from "./lease-object.ts";
import { readChallenger } from "./notes.ts";

/**
 * The interval between two reads by the holder, in milliseconds. A watch would be faster, but needs
 * a permission that today's Roles don't grant.
 */
const readInterval = 2_000;

interface AwaitOptions {
  readonly clock: Clock;
  /** Ends the listening. */
  readonly until: AbortSignal;
  readonly yieldRules: YieldRules | undefined;
}

/**
 * Resolves with the run that asks this holder to yield, if the rules allow it. Undefined if the
 * listening ends first. It doesn't detect a lost Lease; the renewal does.
 */
export async function awaitChallenger(
  cluster: Pick<Cluster, "read">,
  held: KubeObject,
  { clock, until, yieldRules }: AwaitOptions,
): Promise<Challenger | undefined> {
  if (yieldRules === undefined) return undefined;
  while (await slept(clock, until)) {
    const live = await cluster.read(addressOf(held));
    if (!live.ok || live.value === undefined || !isSameAcquisition(live.value, held)) continue;
    const challenger = readChallenger(live.value);
    if (challenger !== undefined && (await yieldRules.yieldsTo(challenger))) {
      return until.aborted ? undefined : challenger;
    }
  }
  return undefined;
}

async function slept(clock: Clock, until: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(readInterval, until);
    return !until.aborted;
  } catch {
    return false;
  }
}
