import type { Challenger, LockRun, YieldRules } from "../../../model/cluster/deployment-lock.ts";
import { isObject, type Json, type JsonObject, textAt } from "../../../model/json.ts";
import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { isSameAcquisition, leaseHolder } from "./lease-object.ts";

/**
 * The notes that runs write for each other on a Lease. Anyone who can write the Lease can write
 * them, so qvs checks all of them.
 */

const lockRunAnnotation = "vs.axis-dev.io/run";
const yieldAnnotation = "vs.axis-dev.io/give-way";

/** Returns the notes of the run that takes the Lease. They replace all notes for an earlier run. */
export function runNotes(run: LockRun | undefined): Readonly<Record<string, string>> | undefined {
  if (run === undefined) return undefined;
  return { [lockRunAnnotation]: JSON.stringify({ does: run.does, commit: run.commit }) };
}

/**
 * Returns the run of the holder. Undefined if the holder recorded none, as older versions of qvs
 * do.
 */
function readHolderRun(lease: KubeObject): LockRun | undefined {
  return parseRun(readNote(lease, lockRunAnnotation));
}

/** Returns the Lease with a note that asks its current holder to yield. */
function addChallenger(lease: KubeObject, { by, does, commit }: Challenger): KubeObject {
  const { holderIdentity, acquireTime } = leaseSpec(lease);
  const note = JSON.stringify({ holderIdentity, acquireTime, by, does, commit });
  const { annotations } = lease.metadata;
  const noted = { ...(isObject(annotations) ? annotations : {}), [yieldAnnotation]: note };
  return { ...lease, metadata: { ...lease.metadata, annotations: noted } };
}

/**
 * Returns the run that asks the current holder to yield. Requests to another holder, or to an
 * earlier run of the same holder, don't count.
 */
function readChallenger(lease: KubeObject): Challenger | undefined {
  const note = readNote(lease, yieldAnnotation);
  const run = parseRun(note);
  const by = textAt(note, "by");
  if (run === undefined || by === undefined || leaseHolder(lease) === "") return undefined;
  const isMeant = isSameAcquisition({ ...lease, spec: note ?? {} }, lease);
  return isMeant ? { ...run, by: by.slice(0, longestName) } : undefined;
}

/** The maximum length of a run URL or user@host. */
const longestName = 300;

function leaseSpec(lease: KubeObject): JsonObject {
  return isObject(lease.spec) ? lease.spec : {};
}

function readNote(lease: KubeObject, name: string): JsonObject | undefined {
  const text = textAt(lease, "metadata", "annotations", name);
  if (text === undefined) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseRun(note: JsonObject | undefined): LockRun | undefined {
  const does = textAt(note, "does");
  const commit = textAt(note, "commit");
  if (does !== "deploy" && does !== "rollback") return undefined;
  return { does, commit: commit !== undefined && fullId.test(commit) ? commit : undefined };
}

const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

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
