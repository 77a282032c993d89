import type { LiveObjects } from "../../model/deployments/release.ts";
import { nameFromKey, nameOf } from "../../model/object.ts";
import { selectReferences, writtenText } from "../../model/plan/apply-time-reference.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import {
  type DeploymentIdentity,
  foreignProtection,
  hasLostManagedFields,
  matchesDeploymentName,
} from "../../ssa/protection.ts";
import type { DeclaredObject, ResolvedObject } from "../declared/objects.ts";

/** The facts that identify the live objects of a deployment. */
export interface OwnershipFacts extends DeploymentIdentity {
  /** True if qvs adopts the objects that a deployment of this name created elsewhere. */
  readonly adopt: boolean;
  /**
   * True if the releases come from another repository or config. Their objects aren't this
   * deployment's.
   */
  readonly isOtherSource: boolean;
}

/** A live object that doesn't belong to this deployment. */
export interface ForeignObject {
  readonly why: string;
  /**
   * The command that assigns the object to this deployment. Set if an earlier version might have
   * created it.
   */
  readonly claim?: string | undefined;
  /**
   * True if a deployment of this name elsewhere created the object.
   * Its field managers have the same names as this deployment's, so no field would change its
   * owner. qvs must show nothing of the object, because the author of a pull request chooses the
   * name of a deployment.
   */
  readonly nameCollides: boolean;
}

/**
 * The live objects that don't belong to this deployment, by key.
 * qvs reads nothing of them, however they are declared.
 */
export type ForeignObjects = ReadonlyMap<string, ForeignObject>;

/**
 * Finds the declared and live objects that aren't marked as this deployment's.
 * If the marks are missing because the field owners were cleared, the record of declared objects
 * decides.
 */
export function findForeignObjects(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  { isOtherSource, adopt, ...owner }: OwnershipFacts,
  recorded: ReadonlyMap<string, unknown> = new Map(),
): ForeignObjects {
  const elsewhere = `another repository or config created the releases of ${owner.deployment}`;
  return new Map(
    objects.flatMap(({ key }) => {
      const existing = live.get(key);
      if (existing === undefined) return [];
      const nameCollides = isOtherSource || matchesDeploymentName(existing, owner.deployment);
      if (adopt && nameCollides) return [];
      if (!isOtherSource && recorded.has(key) && hasLostManagedFields(existing, owner)) return [];
      const foreign = foreignProtection(existing, owner);
      const why = foreign?.detail ?? (isOtherSource ? elsewhere : undefined);
      return why === undefined
        ? []
        : [[key, { why, claim: foreign?.claim, nameCollides }] as const];
    }),
  );
}

/**
 * Returns the errors for references to values that only a live object outside this deployment has.
 * Previews and deployments both reject them.
 */
export function foreignReferenceProblems(
  objects: readonly ResolvedObject[],
  foreign: ForeignObjects,
): readonly Problem[] {
  return objects.flatMap((desired) => {
    const found = desired.applyTimeReferences
      .flatMap(({ pieces }) => selectReferences(pieces))
      .filter(({ on, declared }) => declared === undefined && foreign.has(on));
    const byText = new Map(found.map((reference) => [reference.text, reference]));
    return [...byText.values()].map((reference) => {
      const { why, claim } = foreign.get(reference.on) ?? { why: "" };
      const target = nameFromKey(reference.on);
      const adoptAdvice =
        claim === undefined
          ? []
          : [`assign ${target} to this deployment if it belongs to it: ${claim}`];
      return {
        code: "foreign-object",
        subjects: [nameOf(desired.id)],
        what: `${nameOf(desired.id)} refers to ${writtenText([reference])} outside this deployment`,
        why: `${target} exists already, but ${why}`,
        fix: "Pass the value as a parameter",
        otherwise: [
          `first deploy ${target} without the reference, so that this deployment adopts it`,
          ...adoptAdvice,
        ],
        where: declarationPlaces(desired),
      };
    });
  });
}
