import type { Deployment } from "../model/deployments/deployment.ts";
import type { JsonObject } from "../model/json.ts";
import { containsSecret } from "../model/plan/apply-time-reference.ts";
import { UserError } from "../model/problems/errors.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import { type Compilation, type Manifest, stages } from "../model/sources/compilation.ts";
import { withoutClusterFields } from "../plan/declared/cluster-fields.ts";
import { declareObjects } from "../plan/declared/declare-objects.ts";
import { nullWarnings } from "../plan/declared/manifest-nulls.ts";
import { resolveReferences, type ShowOnly } from "../plan/declared/references.ts";
import { linkObjects } from "../plan/order/edges.ts";
import { orderObjects } from "../plan/order/order.ts";
import type { World } from "../ports/world.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { renderManifests, renderPulumi, resourceContent } from "../report/diff/render-manifests.ts";
import { toYaml } from "../report/text/yaml.ts";
import { layoutJson, renderLayout } from "../report/trace/render-layout.ts";
import { shownTrace } from "../report/trace/shown-trace.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";
import type { CompileParts } from "../sources/evaluate-deployment.ts";

export interface CompileOutput {
  readonly compilation: Compilation;
  /** The resources as `stage/id`, in the order of a deployment. */
  readonly order: readonly string[];
}

/**
 * Compiles a config into manifests (docs/reference/cli/compile.md).
 * Throws a UserError with all errors. A trace contains the source of each field; every format
 * except the plain manifests shows it.
 */
export async function compile(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  parts: CompileParts = {},
): Promise<CompileOutput> {
  const compiled = await compileDeployment(world.source, deployment, inline, "show", parts);
  if (!compiled.ok) throw new UserError(compiled.problems);
  const { compilation } = compiled.value;
  const ofCharts = compilation.resources.flatMap((each) =>
    each.type === "foreign" ? (each.problems ?? []) : [],
  );
  // Without the objects of a chart, the manifests can't be checked.
  if (parts.check === true && ofCharts.length > 0) throw new UserError(ofCharts);
  const wrong = checkReferences(compilation);
  if (wrong.length > 0) throw new UserError([...ofCharts, ...wrong]);
  const order = deployOrder(deployment, compiled.value);
  if (!order.ok) throw new UserError([...ofCharts, ...order.problems]);
  const nulls = nullWarnings(compilation, parts.definitions);
  const warnings = [...compilation.warnings, ...ofCharts, ...nulls];
  return { compilation: { ...compilation, warnings }, order: order.value };
}

/** Renders the manifests for stdout. */
export function compileText({ compilation, order }: CompileOutput): string {
  return renderManifests(compilation, order);
}

/** Returns the output of `--format json`, for scripts. Only the manifests contain values. */
export function compileJson({ compilation }: CompileOutput): JsonObject {
  const byStage = stages.map((stage) => {
    const members = compilation.resources.filter((resource) => resource.stage === stage);
    return [
      stage,
      Object.fromEntries(members.map((each) => [each.id, resourceContent(each)])),
    ] as const;
  });
  const plain = JSON.parse(
    JSON.stringify({
      stages: Object.fromEntries(byStage),
      pulumi: compilation.pulumi ?? null,
      layout: layoutJson(compilation.layout),
      trace: compilation.trace === undefined ? null : shownTrace(compilation),
      warnings: compilation.warnings,
      inputs: compilation.inputs,
    }),
  ) as JsonObject;
  return plain;
}

export interface OutputFile {
  readonly text: string;
  /** True if the file can contain values of Secrets. */
  readonly isPrivate: boolean;
}

/** Returns the files of `-o DIR` by relative path. A `/` in a group makes a directory. */
export function compileFiles({ compilation }: CompileOutput): ReadonlyMap<string, OutputFile> {
  const { hides = [] } = compilation;
  const files = new Map<string, OutputFile>();
  for (const resource of compilation.resources) {
    if (resource.type === "foreign" && resource.provider === "pulumi-yaml") continue;
    const path = `${resource.stage}/${manifestPath(resource.id)}`;
    const content = resourceContent(resource);
    const isPrivate = canContainSecrets(content) || containsSecret(hides, JSON.stringify(content));
    files.set(path, { text: toYaml(content), isPrivate });
  }
  const pulumi = renderPulumi(compilation);
  if (pulumi !== undefined) files.set("Pulumi.yaml", { text: pulumi, isPrivate: true });
  files.set("layout.yaml", { text: renderLayout(compilation), isPrivate: false });
  return files;
}

/**
 * Returns the file of a resource in its stage's directory.
 * The adapter's author chooses ids. An id must not lead out of the directory or make a hidden file.
 * Two ids must not share a file, and no file can have the name of another file's directory. Unusual
 * characters are therefore percent-encoded, such as `%20` for a space.
 */
export function manifestPath(id: string): string {
  const names = id.split("/").map(plainName);
  const folders = names.slice(0, -1).map((name) => name.replace(/\.(?=yaml$)/i, "%2E"));
  return `${[...folders, names.at(-1)].join("/")}.yaml`;
}

function plainName(name: string): string {
  if (name === "") return "%";
  return name.replace(/[^\w.-]/gu, percent).replace(/^\./, "%2E");
}

function percent(char: string): string {
  const bytes = [...new TextEncoder().encode(char)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Kinds without a namespace. Without a cluster, qvs can't know the scope of other kinds. */
const clusterScoped = new Set([
  "APIService",
  "ClusterIssuer",
  "ClusterRole",
  "ClusterRoleBinding",
  "ClusterSecretStore",
  "CustomResourceDefinition",
  "IngressClass",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
]);

/**
 * Returns `stage/id` in the order of a deployment, as far as it is known without a cluster. Fails
 * if objects depend on each other in a cycle, or on a check that doesn't exist.
 * Returns an empty list if the objects can't be deployed, which `diff` and `deploy` report.
 */
function deployOrder(
  { name, namespace }: Deployment,
  { compilation, checks }: CompiledDeployment,
): Result<readonly string[]> {
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  const declared = declareObjects(manifests.map(withoutForeignReferences(manifests)), {
    deployment: name,
    namespace,
    isNamespaced: (_apiVersion, kind) => !clusterScoped.has(kind),
    shown: onlyShown(compilation.resources),
  });
  if (!declared.ok) return ok([]);
  const linked = linkObjects(declared.value, () => true, { namespace, checks });
  if (!linked.ok) return linked;
  const { graph, missing } = linked.value;
  if (missing.length > 0) return failed(missing);
  const ordered = orderObjects(declared.value, graph);
  return ordered.ok
    ? ok(ordered.value.map(({ stage, resource }) => `${stage}/${resource}`))
    : ordered;
}

/**
 * Returns the errors of references to missing resources, which don't depend on the cluster.
 * References to Pulumi resources aren't checked.
 */
function checkReferences({ resources }: Compilation): readonly Problem[] {
  const manifests = resources.filter((resource) => resource.type === "manifest");
  return resultProblems(
    resolveReferences(manifests.map(withoutClusterFields), onlyShown(resources)),
  );
}

function onlyShown(resources: Compilation["resources"]): ShowOnly {
  return { foreign: resources.filter(({ type }) => type === "foreign").map(({ id }) => id) };
}

/**
 * Returns a function that removes dependencies on Pulumi resources, which don't affect the order of
 * the manifests.
 */
function withoutForeignReferences(manifests: readonly Manifest[]): (one: Manifest) => Manifest {
  const ids = new Set(manifests.map(({ id }) => id));
  return (one) => ({ ...one, dependsOn: one.dependsOn.filter((id) => ids.has(id)) });
}
