import type { Answer } from "../../model/cluster/api-failure.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { withoutHeld } from "./held-by-old.ts";
import { type DryRunRequest, refusalIn } from "./step.ts";

/*
 * An object that is made again is first tried by a dry-run under another name, while the old one is there. What only the old one stands in
 * the way of, and gives back when it is deleted, says nothing against the new one.
 */

/** Short enough that every kind of name can be made longer by our ending. */
const keptLength = 40;

/** The object as if there were none of its name, for a dry-run that shows what the server would make of it. */
export function withTemporaryName(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  // A part of a name may not begin with our hyphen, and half a character can't be sent.
  const kept = [...idOf(object).name]
    .slice(0, keptLength)
    .join("")
    .replace(/(?<![.-])[.-]+$/, "");
  return { ...object, metadata: { ...metadata, name: `${kept}-qvs-preview` } };
}

/** The same, without what the old one holds and only one object may have. */
export function besideOld(object: KubeObject, live: KubeObject): KubeObject {
  return withoutHeld(withTemporaryName(object), live);
}

/**
 * Asks about an object that was refused under another name, which rules of definitions and policies may be about. The server looks at all of
 * an object before it answers that there is one of its name, so that answer says that nothing is wrong with it.
 */
export function byItsName(object: KubeObject, live: KubeObject): DryRunRequest {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { verb: "create", object: withoutHeld({ ...object, metadata }, live) };
}

export function isTakenByItsName(answers: readonly Answer<KubeObject>[]): boolean {
  return refusalIn(answers)?.reason === "already-exists";
}

/** Why nobody knows more of an object that only its own name is right for. */
export const onlyByItsName =
  "the server takes it under its own name only, so what becomes of it is not known";
