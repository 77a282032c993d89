import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import { oneLine } from "../readiness/status/one-line.ts";
import { type Run, record } from "../run.ts";
import { cureFor } from "./cure.ts";
import { gatherEvidence } from "./evidence.ts";
import type { Explanation } from "./explain-failure.ts";

/** What failed. */
export interface Subject {
  readonly key: string;
  readonly id: ObjectId;
  readonly resource?: string;
}

/** Ends the run because of one object. Always false: the object is not as planned. */
export function fail(run: Run, subject: Subject, explanation: Explanation): false {
  run.halt.fail();
  const { key, id, resource } = subject;
  const { fix } = explanation;
  const what = oneLine(explanation.what);
  record(run, key, "failed", what);
  run.failures.set(key, { key, name: nameOf(id), resource, what, fix, evidence: undefined });
  run.world.progress.report({ type: "failed", key, why: what });
  return false;
}

/** The same for an object that was written but does not become ready: the cluster is asked why. */
export async function failWithEvidence(
  run: Run,
  subject: Subject,
  what: string,
  object: KubeObject,
): Promise<false> {
  fail(run, subject, { what, fix: "" });
  const evidence = await gatherEvidence(run.world.cluster, object);
  const known = run.failures.get(subject.key);
  if (known === undefined) return false;
  run.failures.set(subject.key, { ...known, fix: cureFor(evidence, what), evidence });
  return false;
}
