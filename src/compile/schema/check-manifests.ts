import type { Resource } from "../../model/compilation.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Cue } from "../../ports/cue.ts";
import { distinctPlaces } from "../distinct-places.ts";
import type { RawResource } from "../export-resources.ts";
import type { Quoting } from "../problems/quoting.ts";
import { createTypeLookup, type KindTypes } from "./kind-types.ts";
import { fieldPosition, violationProblems } from "./schema-violation-problems.ts";

/**
 * The comparison of manifests with the schemas of their kinds
 * (docs/reference/adapters.md#fields-of-manifests).
 */
export interface SchemaCheck {
  readonly kinds: KindTypes;
  /** CustomResourceDefinitions that aren't compiled. Compiled ones have priority. */
  readonly definitions: readonly JsonObject[];
  /** True if schema violations are errors instead of notices. */
  readonly strict: boolean;
}

/**
 * Compares the manifests of a compilation with the schemas of their kinds.
 * Only a strict check treats violations as errors and reports missing fields. The cluster can be
 * newer, and a manifest can declare only a part of an existing object. A strict check also returns
 * a notice for each unknown kind.
 */
export function checkManifests(
  raw: readonly RawResource[],
  resources: readonly Resource[],
  { kinds, definitions, strict }: SchemaCheck,
  quoting: Quoting,
  cue: Cue,
): { readonly problems: readonly Problem[]; readonly notices: readonly Problem[] } {
  const values = new Map(raw.map(({ stage, id, value }) => [`${stage}/${id}`, value] as const));
  const manifests = resources.filter((each) => each.type === "manifest");
  const findType = createTypeLookup(kinds, [
    ...definitions,
    ...manifests.map(({ object }) => object),
  ]);
  const wrong: Problem[] = [];
  const missing: Problem[] = [];
  const unchecked = new Map<string, Problem>();
  for (const { stage, id, object, pulumi = false } of manifests) {
    const value = values.get(`${stage}/${id}`);
    const type = findType(textAt(object, "apiVersion") ?? "", textAt(object, "kind") ?? "");
    if (value === undefined) continue;
    if (type === undefined) {
      const kind = `${textAt(object, "apiVersion")}/${textAt(object, "kind")}`;
      unchecked.set(
        kind,
        unchecked.get(kind) ??
          uncheckedNotice(`${stage}/${id}`, kind, fieldPosition(value, [], cue)),
      );
      continue;
    }
    const resource = { stage, id, object, value, pulumi };
    const found = violationProblems(resource, type, kinds.version, quoting, cue);
    wrong.push(...found.wrong);
    missing.push(...found.missing);
  }
  return strict
    ? { problems: [...wrong, ...missing], notices: [...unchecked.values()] }
    : { problems: [], notices: wrong };
}

function uncheckedNotice(resource: string, kind: string, position: Position | undefined): Problem {
  return {
    code: "unknown-kind",
    where: distinctPlaces(position),
    what: `Resource ${resource} isn't checked`,
    facts: [{ label: "kind", value: kind }],
    why: "qvs doesn't know the schema of this kind without a cluster",
    fix: "Name the directory of its CustomResourceDefinition with --crds",
    otherwise: ["run `qvs diff` to compare it with the cluster"],
  };
}
