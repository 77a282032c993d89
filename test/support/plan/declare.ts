import { parse } from "yaml";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Problem, Result } from "../../../src/model/problems/problem.ts";
import type { Manifest, Stage } from "../../../src/model/sources/compilation.ts";
import { declareObjects } from "../../../src/plan/declared/declare-objects.ts";
import type { Placement } from "../../../src/plan/declared/normalize.ts";
import type { DeclaredObject } from "../../../src/plan/declared/objects.ts";
import { describeProblem } from "../describe-problem.ts";

/** Cluster-scoped kinds of the examples. `Unknown` is a kind that the cluster doesn't serve. */
const clusterScoped =
  /^(Namespace|CustomResourceDefinition|ClusterIssuer|ClusterRole|ClusterRoleBinding|ClusterSecretStore|StorageClass|IngressClass|PriorityClass|RuntimeClass|.*WebhookConfiguration|.*AdmissionPolicy(Binding)?|APIService)$/;

export const placement: Placement = {
  deployment: "shop-test",
  namespace: "shop",
  isNamespaced: (_apiVersion, kind) => (kind === "Unknown" ? undefined : !clusterScoped.test(kind)),
};

/** The parsed manifests. Many tests of a file repeat the same text. */
const parsed = new Map<string, readonly Manifest[]>();

/**
 * Returns manifests from YAML whose fields are `stage/id`. `dependsOn` next to `kind` sets
 * references to resource IDs, and `pulumi` sets Pulumi's rules.
 */
export function manifestsFrom(yaml: string): readonly Manifest[] {
  const manifests = parsed.get(yaml) ?? parseManifests(yaml);
  parsed.set(yaml, manifests);
  return manifests;
}

function parseManifests(yaml: string): readonly Manifest[] {
  const resources = (parse(yaml) ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.entries(resources).map(([path, { dependsOn, pulumi, ...object }]) => {
    const slash = path.indexOf("/");
    return {
      type: "manifest",
      stage: path.slice(0, slash) as Stage,
      id: path.slice(slash + 1),
      object: object as JsonObject,
      dependsOn: (dependsOn ?? []) as readonly string[],
      ...(pulumi === true ? { pulumi } : {}),
    };
  });
}

export function declare(yaml: string): readonly DeclaredObject[] {
  const declared = declareObjects(manifestsFrom(yaml), placement);
  if (!declared.ok) throw new Error(problemText(declared.problems));
  return declared.value;
}

export function problemText(problems: readonly Problem[]): string {
  return problems.map((problem) => describeProblem({ ...problem, where: [] })).join("\n");
}

/** Returns the value or the problems as text. */
export function shown<T>(result: Result<T>, show: (value: T) => string): string {
  return result.ok ? show(result.value) : problemText(result.problems);
}

/** Removes the indentation of a template literal in a test. */
export function text(indented: string): string {
  const lines = indented.replace(/^\n/, "").trimEnd().split("\n");
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const depth = Math.min(...depths);
  return lines.map((line) => line.slice(depth)).join("\n");
}
