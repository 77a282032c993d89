import type { Asker, LockRun } from "../../../model/cluster/lock-run.ts";
import { isObject, type Json, type JsonObject, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { holderOf, isSameAcquisition } from "./object.ts";

/** What runs tell each other on a Lease. Anybody who may write the Lease can have put it there, so all of it is checked. */

const lockRunAnnotation = "vs.axis-dev.io/run";
const giveWayAnnotation = "vs.axis-dev.io/give-way";

/** What the run that takes the Lease notes of itself; whatever was noted for an earlier one goes with that. */
export function notesOf(run: LockRun | undefined): Readonly<Record<string, string>> | undefined {
  if (run === undefined) return undefined;
  return { [lockRunAnnotation]: JSON.stringify({ does: run.does, commit: run.commit }) };
}

/** What the holder does; undefined where it does not say, as an older version of this program. */
export function runOn(lease: KubeObject): LockRun | undefined {
  return asRun(noteOn(lease, lockRunAnnotation));
}

/** The Lease with our request to its holder of this moment. */
export function withAsker(lease: KubeObject, { by, does, commit }: Asker): KubeObject {
  const { holderIdentity, acquireTime } = specOf(lease);
  const note = JSON.stringify({ holderIdentity, acquireTime, by, does, commit });
  const { annotations } = lease.metadata;
  const noted = { ...(isObject(annotations) ? annotations : {}), [giveWayAnnotation]: note };
  return { ...lease, metadata: { ...lease.metadata, annotations: noted } };
}

/** Who asks the present holder to give way; what was asked of another one, or of its earlier run, does not count. */
export function askerOn(lease: KubeObject): Asker | undefined {
  const note = noteOn(lease, giveWayAnnotation);
  const run = asRun(note);
  const by = textAt(note, "by");
  if (run === undefined || by === undefined || holderOf(lease) === "") return undefined;
  const isMeant = isSameAcquisition({ ...lease, spec: note ?? {} }, lease);
  return isMeant ? { ...run, by: by.slice(0, longestName) } : undefined;
}

/** A run URL or user@host; more is nonsense. */
const longestName = 300;

function specOf(lease: KubeObject): JsonObject {
  return isObject(lease.spec) ? lease.spec : {};
}

function noteOn(lease: KubeObject, name: string): JsonObject | undefined {
  const text = textAt(lease, "metadata", "annotations", name);
  if (text === undefined) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function asRun(note: JsonObject | undefined): LockRun | undefined {
  const does = textAt(note, "does");
  const commit = textAt(note, "commit");
  if (does !== "deploy" && does !== "rollback") return undefined;
  return { does, commit: commit !== undefined && fullId.test(commit) ? commit : undefined };
}

const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
