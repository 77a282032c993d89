import type { Challenger, LockRun } from "../../../model/cluster/lock-run.ts";
import { isObject, type Json, type JsonObject, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
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
export function readHolderRun(lease: KubeObject): LockRun | undefined {
  return parseRun(readNote(lease, lockRunAnnotation));
}

/** Returns the Lease with a note that asks its current holder to yield. */
export function addChallenger(lease: KubeObject, { by, does, commit }: Challenger): KubeObject {
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
export function readChallenger(lease: KubeObject): Challenger | undefined {
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
