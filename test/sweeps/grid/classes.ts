import type { GridCase } from "../../support/rollout-pieces.ts";
import { admissionClasses } from "./cases/admission.ts";
import { baseClasses } from "./cases/all.ts";
import { argoClasses } from "./cases/argo.ts";
import { canaryClasses } from "./cases/canaries.ts";
import { claimClasses } from "./cases/claims.ts";
import { combinedClasses } from "./cases/combined.ts";
import { evictionClasses } from "./cases/evictions.ts";
import { invalidClasses } from "./cases/invalid.ts";
import { mixedClasses } from "./cases/mixed.ts";
import { neighbourClasses } from "./cases/neighbours.ts";
import { nodeClasses } from "./cases/nodes.ts";
import { orderClasses } from "./cases/order.ts";
import { ordinalClasses } from "./cases/ordinals.ts";
import { pairClasses } from "./cases/pairs.ts";
import { quotaClasses } from "./cases/quotas.ts";
import { refusedClasses } from "./cases/refused.ts";
import { roomClasses } from "./cases/room.ts";
import { ruleClasses } from "./cases/rules.ts";
import { surroundingClasses } from "./cases/surroundings.ts";
import { termClasses } from "./cases/terms.ts";
import { updateClasses } from "./cases/updates.ts";
import { versionClasses } from "./cases/versions.ts";
import { volumeClasses } from "./cases/volumes.ts";

type Classes = readonly (readonly GridCase[])[];

/** All cases, grouped by topic. */
export const classes: Classes = [
  ...[baseClasses, nodeClasses, roomClasses, updateClasses],
  ...[surroundingClasses, volumeClasses, claimClasses, argoClasses],
  ...[termClasses, pairClasses, mixedClasses, refusedClasses, neighbourClasses],
  ...[combinedClasses, ruleClasses, orderClasses, ordinalClasses, quotaClasses],
  ...[admissionClasses, evictionClasses, canaryClasses, versionClasses, invalidClasses],
].flatMap((each) => Object.values<readonly GridCase[]>(each));

/**
 * Selects as many cases as a CI run has time for: the first of each class, then the second of each,
 * and so on. So only a run of all cases plays the later cases of large classes. Put both sides of a
 * boundary first in a new class.
 */
export function byTurns(among: Classes, count: number): readonly GridCase[] {
  const longest = Math.max(...among.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => turn)
    .flatMap((turn) => among.flatMap((cases) => cases.slice(turn, turn + 1)))
    .slice(0, count);
}
