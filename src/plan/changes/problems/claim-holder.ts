import { isValueTaken } from "../../../model/cluster/api-messages/api-message.ts";
import { isDeniedByAdmission } from "../../../model/cluster/api-messages/denials.ts";
import {
  contendedValues,
  type ExclusiveValue,
  exclusiveValues,
} from "../../../model/cluster/exclusive-values.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../../model/object.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";
import type { ProblemFix } from "./record-fixes.ts";

/**
 * Replaces the fix if another object has something that only one object can have.
 * An object of this deployment can be about to be deleted.
 */
export function withClaimHolder(
  problem: Problem,
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Problem {
  const findClaims = claimFinder(problem);
  if (findClaims === undefined) return problem;
  const held = claimKeys(findClaims, live);
  const claims = findClaims(desired.object).filter(({ key }) => !held.has(key));
  for (const { key, fix } of claims) {
    const holder = findHolder(key, findClaims, desired, input);
    if (holder !== undefined) return { ...problem, ...holderFix(holder, fix, desired, input) };
    if (claims.length === 1 && findClaims === exclusiveValues)
      return { ...problem, why: "Another object already has this value", fix, otherwise: [] };
  }
  return problem;
}

type FindClaims = (object: KubeObject) => readonly ExclusiveValue[];

/**
 * Returns the claims that a problem is about.
 * Webhooks use their own words if another object has the host of an Ingress.
 */
function claimFinder({ facts = [] }: Problem): FindClaims | undefined {
  const message = facts.find(({ label }) => label === "answer")?.value ?? "";
  if (isValueTaken({ message })) return exclusiveValues;
  const isDuplicate = /\b(already|duplicate|conflicts?|in use|taken|exists)\b/i.test(message);
  return isDeniedByAdmission({ message }) && isDuplicate ? contendedValues : undefined;
}

/** Finds the object of this deployment that has the claim. */
function findHolder(
  claim: string,
  findClaims: FindClaims,
  { key: own }: DesiredObject,
  { observed: { live, inventory } }: PlanInput,
): KubeObject | undefined {
  return inventory
    .map(({ id }) => keyOf(id))
    .filter((key) => key !== own)
    .map((key) => live.get(key))
    .find((object) => claimKeys(findClaims, object).has(claim));
}

function holderFix(
  holder: KubeObject,
  fix: string,
  { id }: DesiredObject,
  { desired: { byKey } }: PlanInput,
): ProblemFix {
  const holderId = idOf(holder);
  const name = nameOf(holderId);
  if (byKey.has(keyOf(holderId))) {
    return { why: `${name} already has this value`, fix, otherwise: [] };
  }
  return {
    why: `${name} has this value until qvs deletes it, which is the last step`,
    fix: `Keep the name ${holderId.name}`,
    otherwise: [`first deploy once without ${nameOf(id)}`, lowercaseFirst(fix)],
  };
}

/** Changes a sentence for use within another sentence. */
function lowercaseFirst(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
}

function claimKeys(findClaims: FindClaims, object: KubeObject | undefined): ReadonlySet<string> {
  return new Set(object && findClaims(object).map(({ key }) => key));
}
