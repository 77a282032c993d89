import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import type { Compilation, Manifest } from "../../model/compilation.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { groupOf, nameOf } from "../../model/object.ts";
import { declaredAt, type Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { hiddenTexts, textsToHide } from "../../redaction/hide-texts.ts";
import { schemasAmong } from "../../schema/custom-types.ts";
import {
  hasNullField,
  type NullRules,
  type StrayNull,
  withoutStrayNulls,
} from "../../schema/nulls.ts";
import { withoutClusterFields } from "./cluster-fields.ts";
import type { DeclaredObject } from "./objects.ts";

/** A function that returns the rules for null in a kind. */
export type NullRulesOf = (apiVersion: string, kind: string) => NullRules;

/** Returns the rules for a kind without a known definition if no cluster is asked. */
export function noRules(): NullRules {
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
export function settleNulls(object: JsonObject, rulesOf: NullRulesOf): SettledNulls {
  const rules = rulesOf(textAt(object, "apiVersion") ?? "", textAt(object, "kind") ?? "");
  const { object: settled, stray } = withoutStrayNulls(object, rules);
  return { object: settled, nulls: stray.length === 0 ? undefined : { stray, rules } };
}

/** Returns the rules of the kinds that the manifests define; `others` supplies the rest. */
export function nullRulesAmong(
  manifests: readonly Pick<Manifest, "object">[],
  others: NullRulesOf,
): NullRulesOf {
  const schemas = schemasAmong(manifests.map(({ object }) => object));
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
  const rulesOf = nullRulesAmong(manifests, noRules);
  const kinds = manifests.flatMap(({ object }) => {
    const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((name) => textAt(object, name));
    const isOpen = hasNullField(object) && rulesOf(apiVersion, kind).by === "nothing";
    return isOpen ? [[`${apiVersion}/${kind}`, { apiVersion, kind }] as const] : [];
  });
  return [...new Map(kinds)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** Returns a notice for each object with nulls that qvs doesn't send, and for each reason. */
export function nullNotices(objects: readonly DeclaredObject[]): readonly Problem[] {
  return objects.flatMap((object) => noticesOf(nameOf(object.id), object.nulls, object));
}

/**
 * Returns the same notices for manifests if no cluster is asked.
 * `definitions` are CustomResourceDefinitions that the deployment doesn't declare.
 */
export function nullWarnings(
  { resources, hides = [] }: Pick<Compilation, "resources" | "hides">,
  definitions: readonly JsonObject[] = [],
): readonly Problem[] {
  const manifests = resources.filter((resource) => resource.type === "manifest");
  const defined = definitions.map((object) => ({ object }));
  const rulesOf = nullRulesAmong(manifests, nullRulesAmong(defined, noRules));
  // Field names can come from parameters.
  const { hide } = hiddenTexts(hides.flatMap(textsToHide));
  return manifests.map(withoutClusterFields).flatMap((manifest) => {
    const { nulls } = settleNulls(manifest.object, rulesOf);
    const notices = noticesOf(`Resource ${manifest.stage}/${manifest.id}`, nulls, manifest);
    return notices.map((notice) => ({ ...notice, what: hide(notice.what) }));
  });
}

function noticesOf(
  name: string,
  nulls: DeclaredNulls | undefined,
  declared: Pick<Manifest, "where">,
): readonly Problem[] {
  const byReason = Map.groupBy(nulls?.stray ?? [], ({ why }) => why);
  return [...byReason].map(([why, stray]): Problem => {
    const paths = listed(
      stray.map(({ path }) => fieldPath(path)),
      mostNamed,
    );
    const { told, fix } = wordsOf(why, paths, nulls?.rules);
    const where = declaredAt(declared);
    return { code: "null-left-out", subjects: [name], what: `${name}: ${told}`, fix, where };
  });
}

const mostNamed = 10;

const remove = "Remove the field from the adapter, or give it a value";

const allow = `${remove}; or declare \`nullable: true\` in the CustomResourceDefinition`;

interface Words {
  readonly told: string;
  readonly fix: string;
}

function wordsOf(why: StrayNull["why"], paths: string, rules: NullRules | undefined): Words {
  const notSent = (reason: string, fix = remove) => ({
    told: `null is not sent at ${paths}: ${reason}`,
    fix,
  });
  switch (why) {
    case "built-in kind":
      return notSent("the API server stores null in no field of a built-in kind");
    case "metadata":
      return notSent("the API server stores null in no metadata");
    case "not nullable":
      return notSent("the CustomResourceDefinition doesn't declare `nullable: true` there", allow);
    case "default":
      return notSent(
        "the CustomResourceDefinition has a default and no `nullable: true` there",
        allow,
      );
    case "no field":
      return notSent("the CustomResourceDefinition has no such field");
    case "unknown":
      return unknown(paths, rules);
  }
}

function unknown(paths: string, rules: NullRules | undefined): Words {
  const why = rules?.by === "nothing" ? rules.why : undefined;
  return why === undefined
    ? {
        told: `null is sent at ${paths} only if the schema of the kind keeps it, which is not known without a cluster`,
        fix: "Compare with the cluster: `qvs diff`",
      }
    : {
        told: `null is not sent at ${paths}: the schema of the kind is not known: ${why}`,
        fix: `${remove}; or allow this identity to get the CustomResourceDefinition`,
      };
}
