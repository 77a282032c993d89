import { isTaken } from "../../../model/cluster/api-words/state.ts";
import { exclusiveClaims } from "../../../model/cluster/exclusive-claims.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../../model/object.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";

/** What to do where another object has what only one may have; an object of this deployment may be about to be deleted. */
export function withHolder(
  problem: Problem,
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Problem {
  if (!isTaken({ message: problem.what })) return problem;
  const held = keysOf(live);
  const claims = exclusiveClaims(desired.object).filter(({ key }) => !held.has(key));
  for (const { key, fix } of claims) {
    const holder = holderOf(key, desired, input);
    if (holder !== undefined) return { ...problem, fix: cureBeside(holder, fix, desired, input) };
    if (claims.length === 1) return { ...problem, fix: `Another object has it: ${within(fix)}` };
  }
  return problem;
}

/** Of this deployment. */
function holderOf(
  claim: string,
  { key: own }: DesiredObject,
  { observed: { live, inventory } }: PlanInput,
): KubeObject | undefined {
  return inventory
    .map(({ id }) => keyOf(id))
    .filter((key) => key !== own)
    .map((key) => live.get(key))
    .find((object) => keysOf(object).has(claim));
}

function cureBeside(
  holder: KubeObject,
  fix: string,
  { id }: DesiredObject,
  { desired: { byKey } }: PlanInput,
): string {
  const holderId = idOf(holder);
  return byKey.has(keyOf(holderId))
    ? `${nameOf(holderId)} has it: ${within(fix)}`
    : `${nameOf(holderId)} has it until it is deleted, which comes last: ${within(fix)}, or deploy once without ${nameOf(id)} before`;
}

/** A sentence within another one. */
function within(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
}

function keysOf(object: KubeObject | undefined): ReadonlySet<string> {
  return new Set(object && exclusiveClaims(object).map(({ key }) => key));
}
