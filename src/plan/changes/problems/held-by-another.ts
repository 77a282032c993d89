import { isDeniedByAdmission } from "../../../model/cluster/api-messages/admission.ts";
import { isValueTaken } from "../../../model/cluster/api-messages/state.ts";
import { contendedValues } from "../../../model/cluster/contended-values.ts";
import { type ExclusiveValue, exclusiveValues } from "../../../model/cluster/exclusive-values.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../../model/object.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";
import type { Cure } from "./record-cures.ts";

/**
 * Replaces the fix if another object has something that only one object can have.
 * An object of this deployment can be about to be deleted.
 */
export function withHolder(
  problem: Problem,
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Problem {
  const claimsOf = claimsMeant(problem);
  if (claimsOf === undefined) return problem;
  const held = keysOf(claimsOf, live);
  const claims = claimsOf(desired.object).filter(({ key }) => !held.has(key));
  for (const { key, fix } of claims) {
    const holder = holderOf(key, claimsOf, desired, input);
    if (holder !== undefined) return { ...problem, ...cureBeside(holder, fix, desired, input) };
    if (claims.length === 1 && claimsOf === exclusiveValues)
      return { ...problem, why: "Another object already has this value", fix, otherwise: [] };
  }
  return problem;
}

type ClaimsOf = (object: KubeObject) => readonly ExclusiveValue[];

/**
 * Returns the claims that a problem is about.
 * Webhooks use their own words if another object has the host of an Ingress.
 */
function claimsMeant({ facts = [] }: Problem): ClaimsOf | undefined {
  const message = facts.find(({ label }) => label === "answer")?.value ?? "";
  if (isValueTaken({ message })) return exclusiveValues;
  const isDuplicate = /\b(already|duplicate|conflicts?|in use|taken|exists)\b/i.test(message);
  return isDeniedByAdmission({ message }) && isDuplicate ? contendedValues : undefined;
}

/** Finds the object of this deployment that has the claim. */
function holderOf(
  claim: string,
  claimsOf: ClaimsOf,
  { key: own }: DesiredObject,
  { observed: { live, inventory } }: PlanInput,
): KubeObject | undefined {
  return inventory
    .map(({ id }) => keyOf(id))
    .filter((key) => key !== own)
    .map((key) => live.get(key))
    .find((object) => keysOf(claimsOf, object).has(claim));
}

function cureBeside(
  holder: KubeObject,
  fix: string,
  { id }: DesiredObject,
  { desired: { byKey } }: PlanInput,
): Cure {
  const holderId = idOf(holder);
  const name = nameOf(holderId);
  if (byKey.has(keyOf(holderId))) {
    return { why: `${name} already has this value`, fix, otherwise: [] };
  }
  return {
    why: `${name} has this value until qvs deletes it, which is the last step`,
    fix: `Keep the name ${holderId.name}`,
    otherwise: [`first deploy once without ${nameOf(id)}`, within(fix)],
  };
}

/** Changes a sentence for use within another sentence. */
function within(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
}

function keysOf(claimsOf: ClaimsOf, object: KubeObject | undefined): ReadonlySet<string> {
  return new Set(object && claimsOf(object).map(({ key }) => key));
}
