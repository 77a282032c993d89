import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { groupOf, nameOf } from "../../model/object.ts";
import { declarationPlaces, mapProblemTexts, type Problem } from "../../model/problems/problem.ts";
import type { Compilation, Manifest } from "../../model/sources/compilation.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { scrubberOf } from "../../redaction/scrub.ts";
import { customSchemas } from "../../validation/custom-types.ts";
import {
  hasNullField,
  type NullRules,
  removeStrayNulls,
  type StrayNull,
} from "../../validation/nulls.ts";
import { withoutClusterFields } from "./cluster-fields.ts";
import type { DeclaredObject } from "./objects.ts";

/** A function that returns the rules for null in a kind. */
export type FindNullRules = (apiVersion: string, kind: string) => NullRules;

/** Returns the rules for a kind without a known definition if no cluster is asked. */
export function unknownRules(): NullRules {
  return { by: "nothing" };
}

/** An object without its stray nulls, and the details of these nulls. */
export interface SettledNulls {
  readonly object: JsonObject;
  readonly nulls: DeclaredNulls | undefined;
}

/** The nulls of a manifest that qvs leaves out. */
export interface DeclaredNulls {
  readonly stray: readonly StrayNull[];
  readonly rules: NullRules;
}

/**
 * Decides which nulls of a manifest are sent, for previews and deployments alike
 * (docs/reference/ownership.md#null).
 */
export function settleNulls(object: JsonObject, findRules: FindNullRules): SettledNulls {
  const rules = findRules(textAt(object, "apiVersion") ?? "", textAt(object, "kind") ?? "");
  const { object: settled, stray } = removeStrayNulls(object, rules);
  return { object: settled, nulls: stray.length === 0 ? undefined : { stray, rules } };
}

/** Returns the rules of the kinds that the manifests define; `others` supplies the rest. */
export function manifestNullRules(
  manifests: readonly Pick<Manifest, "object">[],
  others: FindNullRules,
): FindNullRules {
  const schemas = customSchemas(manifests.map(({ object }) => object));
  return (apiVersion, kind) => {
    if (isBuiltInGroup(groupOf(apiVersion))) return { by: "built-in kind" };
    const schema = schemas.get(`${apiVersion}/${kind}`);
    return schema === undefined ? others(apiVersion, kind) : { by: "schema", schema };
  };
}

/**
 * Lists the kinds whose schema decides about a null and that the manifests don't define, sorted.
 */
export function kindsWithNulls(
  manifests: readonly Pick<Manifest, "object">[],
): readonly { readonly apiVersion: string; readonly kind: string }[] {
  const findRules = manifestNullRules(manifests, unknownRules);
  const kinds = manifests.flatMap(({ object }) => {
    const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((name) => textAt(object, name));
    const isOpen = hasNullField(object) && findRules(apiVersion, kind).by === "nothing";
    return isOpen ? [[`${apiVersion}/${kind}`, { apiVersion, kind }] as const] : [];
  });
  return [...new Map(kinds)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** Returns a notice for each object with nulls that qvs doesn't send, and for each reason. */
export function nullNotices(objects: readonly DeclaredObject[]): readonly Problem[] {
  return objects.flatMap((object) => objectNullNotices(nameOf(object.id), object.nulls, object));
}

/**
 * Returns the same notices for manifests if no cluster is asked.
 * `definitions` are CustomResourceDefinitions that the deployment doesn't declare.
 */
export function nullWarnings(
  { resources, hides = [] }: Pick<Compilation, "resources" | "hides">,
  crds: readonly JsonObject[] = [],
): readonly Problem[] {
  const manifests = resources.filter((resource) => resource.type === "manifest");
  const defined = crds.map((object) => ({ object }));
  const findRules = manifestNullRules(manifests, manifestNullRules(defined, unknownRules));
  // Field names can come from parameters.
  const { hide } = scrubberOf(hides);
  return manifests.map(withoutClusterFields).flatMap((manifest) => {
    const { nulls } = settleNulls(manifest.object, findRules);
    const notices = objectNullNotices(`Resource ${manifest.stage}/${manifest.id}`, nulls, manifest);
    return notices.map((notice) => mapProblemTexts(notice, hide));
  });
}

function objectNullNotices(
  name: string,
  nulls: DeclaredNulls | undefined,
  declared: Pick<Manifest, "where">,
): readonly Problem[] {
  const byReason = Map.groupBy(nulls?.stray ?? [], ({ why }) => why);
  return [...byReason].map(([why, stray]): Problem => {
    const paths = summarizeList(
      stray.map(({ path }) => fieldPath(path)),
      maxListed,
    );
    const { what = "fields with the value null aren't sent", ...advice } = reasonAdvice(
      why,
      nulls?.rules,
    );
    return {
      code: "null-omitted",
      subjects: [name],
      what: `${name}: ${what}`,
      ...advice,
      facts: [{ label: "fields", value: paths }, ...(advice.facts ?? [])],
      where: declarationPlaces(declared),
    };
  });
}

const maxListed = 10;

type NullAdvice = Pick<Problem, "why" | "facts" | "fix" | "otherwise"> & { readonly what?: string };

function reasonAdvice(why: StrayNull["why"], rules: NullRules | undefined): NullAdvice {
  switch (why) {
    // Observed for Secrets, ConfigMaps, Deployments, Services and quotas in Kubernetes 1.36.
    case "built-in kind":
      return notSentAdvice(
        "The API server stores null in no built-in kind: it omits the field, or stores an empty value in a map",
      );
    case "metadata":
      return notSentAdvice(
        "The API server stores null in no metadata: it omits the field, or stores an empty label or annotation",
      );
    case "not nullable":
      return notSentAdvice(
        "The CustomResourceDefinition doesn't declare `nullable: true` there",
        allowNull,
      );
    case "default":
      return notSentAdvice(
        "The CustomResourceDefinition has a default and no `nullable: true` there",
        allowNull,
      );
    case "no field":
      return notSentAdvice("The CustomResourceDefinition has no such field");
    case "unknown":
      return unknownAdvice(rules);
  }
}

const allowNull = "declare `nullable: true` in the CustomResourceDefinition";

function notSentAdvice(why: string, ...others: readonly string[]): NullAdvice {
  return {
    why,
    fix: "Remove the field from the adapter",
    otherwise: ['give the field a value, such as "" for a key of a map', ...others],
  };
}

function unknownAdvice(rules: NullRules | undefined): NullAdvice {
  const answer = rules?.by === "nothing" ? rules.why : undefined;
  if (answer === undefined) {
    return {
      what: "fields with the value null might not be sent",
      why: "qvs sends null only if the schema of the kind keeps it, which it can't find out without a cluster",
      fix: "Compare with the cluster: qvs diff",
    };
  }
  const allowed = "allow this identity to get the CustomResourceDefinition";
  return {
    ...notSentAdvice("qvs can't read the schema of the kind", allowed),
    facts: [{ label: "answer", value: answer }],
  };
}
