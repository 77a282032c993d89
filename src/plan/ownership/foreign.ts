import { referencesAmong, writtenText } from "../../model/apply-time-reference.ts";
import { nameOf, nameOfKey } from "../../model/object.ts";
import { declaredAt, type Problem } from "../../model/problems/problem.ts";
import type { LiveObjects } from "../../model/release.ts";
import { foreignness, hasLostOwners, isNamedFor, type Owner } from "../../ssa/protection.ts";
import type { DeclaredObject, ResolvedObject } from "../declared/objects.ts";

/** The facts that identify the live objects of a deployment. */
export interface Identity extends Owner {
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
  readonly isNamesake: boolean;
}

/**
 * The live objects that don't belong to this deployment, by key.
 * qvs reads nothing of them, however they are declared.
 */
export type Foreign = ReadonlyMap<string, ForeignObject>;

/**
 * Finds the declared and live objects that aren't marked as this deployment's.
 * If the marks are missing because the field owners were cleared, the record of declared objects
 * decides.
 */
export function foreignAmong(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  { isOtherSource, adopt, ...owner }: Identity,
  recorded: ReadonlyMap<string, unknown> = new Map(),
): Foreign {
  const elsewhere = `the releases of ${owner.deployment} were not created from here`;
  return new Map(
    objects.flatMap(({ key }) => {
      const existing = live.get(key);
      if (existing === undefined) return [];
      const isNamesake = isOtherSource || isNamedFor(existing, owner.deployment);
      if (adopt && isNamesake) return [];
      if (!isOtherSource && recorded.has(key) && hasLostOwners(existing, owner)) return [];
      const foreign = foreignness(existing, owner);
      const why = foreign?.detail ?? (isOtherSource ? elsewhere : undefined);
      return why === undefined ? [] : [[key, { why, claim: foreign?.claim, isNamesake }] as const];
    }),
  );
}

/**
 * Returns the errors for references to values that only a live object outside this deployment has.
 * Previews and deployments both reject them.
 */
export function foreignReads(
  objects: readonly ResolvedObject[],
  foreign: Foreign,
): readonly Problem[] {
  return objects.flatMap((desired) => {
    const found = desired.late
      .flatMap(({ pieces }) => referencesAmong(pieces))
      .filter(({ on, declared }) => declared === undefined && foreign.has(on));
    const byText = new Map(found.map((reference) => [reference.text, reference]));
    return [...byText.values()].map((reference) => {
      const { why, claim } = foreign.get(reference.on) ?? { why: "" };
      const claiming = claim === undefined ? "" : `, or, if it is this deployment's, run ${claim}`;
      return {
        code: "foreign-object",
        subjects: [nameOf(desired.id)],
        what: `${nameOf(desired.id)} refers to ${writtenText([reference])}, but ${nameOfKey(reference.on)} exists already and is not this deployment's: ${why}`,
        fix: `Give the value by a parameter, or deploy the object without the reference first, so that it is this deployment's${claiming}`,
        where: declaredAt(desired),
      };
    });
  });
}
