import { holdsOneOf } from "../model/apply-time-reference.ts";
import { type Compilation, type Manifest, stages } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { JsonObject } from "../model/json.ts";
import { UserError } from "../model/problems/errors.ts";
import { ok, type Problem, problemsOf, type Result } from "../model/problems/problem.ts";
import { withoutClusterFields } from "../plan/declared/cluster-fields.ts";
import { declareObjects } from "../plan/declared/declare-objects.ts";
import { nullWarnings } from "../plan/declared/nulls.ts";
import { type OnlyShown, resolveReferences } from "../plan/declared/references.ts";
import { linkObjects } from "../plan/order/edges.ts";
import { orderObjects } from "../plan/order/order.ts";
import type { World } from "../ports/world.ts";
import { mayHoldSecrets } from "../redaction/secret-like.ts";
import { contentOf, renderManifests, renderPulumi } from "../report/diff/manifests.ts";
import { toYaml } from "../report/text/yaml.ts";
import { layoutJson, renderLayout } from "../report/trace/layout.ts";
import { shownTrace } from "../report/trace/shown-trace.ts";
import { type Asked, compileDeployment } from "../sources/compile-deployment.ts";

export interface CompileOutput {
  readonly compilation: Compilation;
  /** `stage/id` in the order in which a deployment would apply them. */
  readonly order: readonly string[];
}

/**
 * QVS config → manifests (docs/reference/cli.md#qvs-compile). Throws a UserError with all errors. A trace is where
 * every field comes from, which all formats but the plain manifests show.
 */
export async function compile(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  asked: Asked = {},
): Promise<CompileOutput> {
  const compiled = await compileDeployment(world.source, deployment, inline, "show", asked);
  if (!compiled.ok) throw new UserError(compiled.problems);
  const { compilation } = compiled.value;
  const wrong = wrongReferences(compilation);
  if (wrong.length > 0) throw new UserError(wrong);
  const order = deployOrder(deployment, compilation);
  if (!order.ok) throw new UserError(order.problems);
  const nulls = nullWarnings(compilation, asked.definitions);
  const warnings = [...compilation.warnings, ...nulls];
  return { compilation: { ...compilation, warnings }, order: order.value };
}

/** For stdout. */
export function compileText({ compilation, order }: CompileOutput): string {
  return renderManifests(compilation, order);
}

/** For `--format json`: everything that a script may need. Values are in the manifests only. */
export function compileJson({ compilation }: CompileOutput): JsonObject {
  const byStage = stages.map((stage) => {
    const members = compilation.resources.filter((resource) => resource.stage === stage);
    return [stage, Object.fromEntries(members.map((each) => [each.id, contentOf(each)]))] as const;
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
  /** It may hold values of Secrets. */
  readonly isPrivate: boolean;
}

/** For `-o DIR`: relative path → file. A group's `/` makes a folder. */
export function compileFiles({ compilation }: CompileOutput): ReadonlyMap<string, OutputFile> {
  const { hides = [] } = compilation;
  const files = new Map<string, OutputFile>();
  for (const resource of compilation.resources) {
    if (resource.type === "foreign" && resource.provider === "pulumi-yaml") continue;
    const path = `${resource.stage}/${manifestPath(resource.id)}`;
    const content = contentOf(resource);
    const isPrivate = mayHoldSecrets(content) || holdsOneOf(hides, JSON.stringify(content));
    files.set(path, { text: toYaml(content), isPrivate });
  }
  const pulumi = renderPulumi(compilation);
  if (pulumi !== undefined) files.set("Pulumi.yaml", { text: pulumi, isPrivate: true });
  files.set("layout.yaml", { text: renderLayout(compilation), isPrivate: false });
  return files;
}

/**
 * The file of a resource below its stage's folder. Ids are text of the adapter's author: none may lead out of the
 * folder or be hidden, no two may share a file, and no file may have the name of another one's folder. So every unusual
 * character is percent-encoded, `%20` for a space.
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

/** Built-in kinds without a namespace; others are unknown without a cluster. */
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
 * `stage/id` in deploy order, as far as it is known without a cluster, or why there is none: objects that wait for each
 * other. Empty if the objects themselves can't be deployed, which `diff` and `deploy` report.
 */
function deployOrder(deployment: Deployment, compilation: Compilation): Result<readonly string[]> {
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  const declared = declareObjects(manifests.map(withoutForeignReferences(manifests)), {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (_apiVersion, kind) => !clusterScoped.has(kind),
    shown: onlyShown(compilation.resources),
  });
  if (!declared.ok) return ok([]);
  const linked = linkObjects(declared.value, () => true);
  const ordered = linked.ok ? orderObjects(declared.value, linked.value.graph) : linked;
  return ordered.ok
    ? ok(ordered.value.map(({ stage, resource }) => `${stage}/${resource}`))
    : ordered;
}

/** A reference that leads nowhere is one whatever the cluster holds. What Pulumi makes is for Pulumi to find. */
function wrongReferences({ resources }: Compilation): readonly Problem[] {
  const manifests = resources.filter((resource) => resource.type === "manifest");
  return problemsOf(resolveReferences(manifests.map(withoutClusterFields), onlyShown(resources)));
}

function onlyShown(resources: Compilation["resources"]): OnlyShown {
  return { foreign: resources.filter(({ type }) => type === "foreign").map(({ id }) => id) };
}

/** A value that Pulumi makes decides nothing about the order of the manifests. */
function withoutForeignReferences(manifests: readonly Manifest[]): (one: Manifest) => Manifest {
  const ids = new Set(manifests.map(({ id }) => id));
  return (one) => ({ ...one, dependsOn: one.dependsOn.filter((id) => ids.has(id)) });
}
