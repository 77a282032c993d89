import { referencesAmong, writtenText } from "../../model/apply-time-reference.ts";
import { nameOf, nameOfKey } from "../../model/object.ts";
import { declaredAt, type Problem } from "../../model/problems/problem.ts";
import type { LiveObjects } from "../../model/release.ts";
import { foreignness, hasLostOwners, isNamedFor, type Owner } from "../../ssa/protection.ts";
import type { DeclaredObject, ResolvedObject } from "../declared/objects.ts";

/** What tells which live objects are a deployment's own. */
export interface Identity extends Owner {
  /** What a deployment of this name has made elsewhere is taken over. */
  readonly adopt: boolean;
  /** Its releases come from another repository or config, so what they made is not this one's. */
  readonly isOtherSource: boolean;
}

/** An object that is not this deployment's own. */
export interface ForeignObject {
  readonly why: string;
  /** The command that makes it this deployment's, where an earlier version may have made it. */
  readonly claim?: string | undefined;
  /**
   * A deployment of this name elsewhere has made it. Its field managers are called as ours are, so that nothing in it would change
   * owner, and nothing of it may be shown: whoever opens a pull request chooses what a deployment is called.
   */
  readonly isNamesake: boolean;
}

/** Live objects that are not this deployment's own, by key: nothing of them is read for it, however they are declared. */
export type Foreign = ReadonlyMap<string, ForeignObject>;

/**
 * Of the objects that are declared and exist, those that do not say themselves that they belong to this deployment. Where they can't say
 * it any more, since their owners were cleared, a record of what was declared says it.
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

/** References to what only a live object of somebody else could tell: in a preview as in a deployment they are refused. */
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
