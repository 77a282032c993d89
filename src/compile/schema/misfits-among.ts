import type { Resource } from "../../model/compilation.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Cue } from "../../ports/cue.ts";
import type { RawResource } from "../export-resources.ts";
import { places } from "../places.ts";
import type { Quoting } from "../problems/quoting.ts";
import { type Kinds, typesAmong } from "./kinds.ts";
import { misfitProblems, placeOf } from "./misfit-problems.ts";

/**
 * The comparison of manifests with the schemas of their kinds
 * (docs/reference/adapters.md#fields-of-manifests).
 */
export interface KindCheck {
  readonly kinds: Kinds;
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
export function misfitsAmong(
  raw: readonly RawResource[],
  resources: readonly Resource[],
  { kinds, definitions, strict }: KindCheck,
  quoting: Quoting,
  cue: Cue,
): { readonly problems: readonly Problem[]; readonly notices: readonly Problem[] } {
  const values = new Map(raw.map(({ stage, id, value }) => [`${stage}/${id}`, value] as const));
  const manifests = resources.filter((each) => each.type === "manifest");
  const typeOf = typesAmong(kinds, [...definitions, ...manifests.map(({ object }) => object)]);
  const wrong: Problem[] = [];
  const missing: Problem[] = [];
  const unchecked = new Map<string, Problem>();
  for (const { stage, id, object, pulumi = false } of manifests) {
    const value = values.get(`${stage}/${id}`);
    const type = typeOf(textAt(object, "apiVersion") ?? "", textAt(object, "kind") ?? "");
    if (value === undefined) continue;
    if (type === undefined) {
      const kind = `${textAt(object, "apiVersion")}/${textAt(object, "kind")}`;
      unchecked.set(
        kind,
        unchecked.get(kind) ?? notChecked(`${stage}/${id}`, kind, placeOf(value, [], cue)),
      );
      continue;
    }
    const resource = { stage, id, object, value, pulumi };
    const found = misfitProblems(resource, type, kinds.version, quoting, cue);
    wrong.push(...found.wrong);
    missing.push(...found.missing);
  }
  return strict
    ? { problems: [...wrong, ...missing], notices: [...unchecked.values()] }
    : { problems: [], notices: wrong };
}

function notChecked(resource: string, kind: string, position: Position | undefined): Problem {
  return {
    code: "unknown-kind",
    where: places(position),
    what: `Resource ${resource} is not checked: what ${kind} may have is not known without a cluster`,
    fix: "Name the folder of its CustomResourceDefinition with --crds, or compare it with the cluster: `qvs diff`",
  };
}
