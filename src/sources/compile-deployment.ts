import { type Deployment, objectNamespace } from "../model/deployments/deployment.ts";
import type { DeploymentCheck } from "../model/deployments/deployment-checks.ts";
import type { InputConfig } from "../model/deployments/release.ts";
import { textAt } from "../model/json.ts";
import { groupOf } from "../model/object.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import { catchProblems } from "../model/problems/errors.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import {
  type CapabilityAnswer,
  type Compilation,
  resourceKey,
} from "../model/sources/compilation.ts";
import { distinctSources } from "../model/sources/locked-source.ts";
import type { ConfigSource } from "../ports/world.ts";
import { type BoundDeployment, type ReadDeployment, readDeployment } from "./bind-deployment.ts";
import {
  asksCluster,
  type CapabilityRound,
  type CapabilitySource,
  checksVersion,
} from "./charts/capabilities.ts";
import { withAssumptions } from "./charts/capability-problems.ts";
import { withoutNameConflicts } from "./charts/deletion-hooks.ts";
import { compileInRounds, type SettledRound } from "./charts/settle-capabilities.ts";
import type { RepeatableChart } from "./charts/value-origins.ts";
import {
  type CompileParts,
  type CompilePurpose,
  type CompileRound,
  evaluateDeployment,
} from "./evaluate-deployment.ts";
import { withOmittedPackages } from "./omitted-packages.ts";
import type { OpenedModules, OpenModule } from "./open-modules.ts";

/** The compilation of a deployment, and the input that a release records. */
export interface CompiledDeployment {
  readonly compilation: Compilation;
  readonly input: InputConfig;
  readonly checks: readonly DeploymentCheck[];
  /** The hooks that a deletion runs, in their order. */
  readonly deletionHooks: readonly DeletionHook[];
  /** The charts of the config, for renderings with other values. */
  readonly charts: readonly RepeatableChart[];
  /** The answers of the cluster that decided about the objects of charts. */
  readonly capabilities: readonly CapabilityAnswer[];
  /** The questions of charts that the cluster didn't answer. They block a deployment. */
  readonly unanswered: readonly Problem[];
}

/** A compilation or its errors. */
type CompileOutcome = Result<CompiledDeployment> & {
  /** Set if the cluster decides about the objects of a chart. */
  readonly asksCluster?: true | undefined;
  /** Set if the version of the cluster decides if a chart can be rendered. */
  readonly checksVersion?: true | undefined;
};

/**
 * Compiles a deployment to manifests. Its charts see the version and the APIs of `cluster`, with
 * those that the deployment itself defines.
 */
export async function compileDeployment(
  source: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
  purpose: CompilePurpose,
  parts: CompileParts = {},
  cluster?: CapabilitySource,
): Promise<CompileOutcome> {
  const read = await readDeployment(source, deployment, inline);
  if (!read.ok) return read;
  const rounds = await compileInRounds(
    (round) => compileOnce(source, deployment, read.value, { purpose, parts, round }),
    cluster,
    parts.kubernetes,
  );
  return rounds.type === "settled"
    ? settled(rounds.compiled, rounds.round, rounds)
    : { ...failed(rounds.problems), asksCluster: true };
}

function settled(
  compiled: Result<Omit<CompiledDeployment, "capabilities" | "unanswered">>,
  { asked }: CapabilityRound,
  { answers: capabilities, unanswered, notices }: SettledRound,
): CompileOutcome {
  const asks = {
    ...(asked.some(asksCluster) ? { asksCluster: true as const } : {}),
    ...(asked.some(checksVersion) ? { checksVersion: true as const } : {}),
  };
  if (!compiled.ok) {
    const problems = compiled.problems.map((each) => withAssumptions(each, notices));
    return { ...failed([...problems, ...unanswered]), ...asks };
  }
  const { compilation } = compiled.value;
  const warnings = [...compilation.warnings, ...notices];
  const value = { ...compiled.value, compilation: { ...compilation, warnings } };
  return { ...ok({ ...value, capabilities, unanswered }), ...asks };
}

async function compileOnce(
  source: ConfigSource,
  deployment: Deployment,
  read: ReadDeployment,
  { purpose, parts, round }: CompileRound,
): Promise<Result<Omit<CompiledDeployment, "capabilities" | "unanswered">>> {
  const evaluated = await evaluateDeployment(source, read, { purpose, parts, round });
  if (!evaluated.ok) {
    const { modules } = read.parsed;
    return failed(await withOmittedPackages(source.tree, modules, evaluated.problems));
  }
  const { bound, compiled } = evaluated.value;
  const unstored = kindsWithoutObjectsProblems(compiled);
  if (unstored.length > 0) return failed(unstored);
  const { text, opened, params, origins, hides, checks, notices, irreproducible, charts } = bound;
  const locked = distinctSources(bound.locked);
  const embedded = await catchProblems(() => requireEmbedded(source, bound, compiled.inputs));
  if (!embedded.ok) return embedded;
  const inputs = await listFilesRead(source, deployment, opened, compiled.inputs);
  const hooks = withoutNameConflicts(
    bound.deletionHooks,
    compiled.resources.flatMap((each) => (each.type === "manifest" ? [each.object] : [])),
    objectNamespace(deployment),
  );
  const tracked = lfsNotices(await source.tree.trackedByLfs(inputs));
  const found = [...opened.notices, ...notices, ...tracked, ...hooks.notices];
  const warnings = [...found, ...compiled.warnings];
  const { health } = compiled;
  const input = {
    ...{ config: text, params, modules: moduleCommits(opened.modules), ...origins },
    ...(health === undefined ? {} : { health }),
  };
  const random = irreproducible.length === 0 ? {} : { irreproducible };
  const compilation = { ...compiled, ...random, hides, locked, warnings, inputs };
  return ok({ compilation, input, checks, charts, deletionHooks: hooks.hooks });
}

function moduleCommits(modules: readonly OpenModule[]): InputConfig["modules"] {
  return modules.flatMap(({ reference, commit }) =>
    commit === undefined ? [] : [{ name: reference.name, commit }],
  );
}

/**
 * Reads the files that CUE embeds, which are the only ones that the engine reads from disk. Throws
 * a UserError for a pointer of Git LFS.
 */
async function requireEmbedded(
  { tree, isWorkingTree }: ConfigSource,
  { inputs, request: { config } }: BoundDeployment,
  read: readonly string[],
): Promise<void> {
  if (!isWorkingTree) return;
  const known = new Set([config.file, ...inputs.flatMap(({ files }) => files)]);
  const embedded = read.filter((path) => !path.endsWith(".cue") && !known.has(path));
  await Promise.all(embedded.map((path) => tree.readBytes(path)));
}

/** Returns the notice for the files of which a commit has only pointers. */
function lfsNotices(files: readonly string[]): readonly Problem[] {
  if (files.length === 0) return [];
  return [
    {
      code: "tracked-by-lfs",
      where: files.slice(0, maxPlaces).map((file) => ({ file, line: 1, column: 1 })),
      what: `Git LFS tracks ${files.length === 1 ? `"${files[0]}"` : `${files.length} files that qvs reads`}`,
      why: "qvs reads the content here. A commit has only a pointer, so the Action reports an error",
      fix: "Remove the pattern with `filter=lfs` that matches the file from .gitattributes, and commit the content",
    },
  ];
}

/** A deployment can read hundreds of files. A few places are enough to identify them. */
const maxPlaces = 5;

/**
 * Returns all files that the compilation of a deployment reads, sorted. `compiled` contains the
 * files that the engine read.
 * The target of a link is included too.
 */
export async function listFilesRead(
  { tree }: ConfigSource,
  { params }: Deployment,
  { lock }: Pick<OpenedModules, "lock">,
  compiled: readonly string[],
): Promise<readonly string[]> {
  const read = new Set([...compiled, ...params, ...lock]);
  const paths = await Promise.all([...read].map((path) => tree.linkedPaths(path)));
  return [...new Set(paths.flat())].sort();
}

/** Reports the manifests of kinds that the API server doesn't store. */
export function kindsWithoutObjectsProblems({ resources }: Compilation): readonly Problem[] {
  return resources.flatMap((resource): readonly Problem[] => {
    if (resource.type !== "manifest") return [];
    const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((name) =>
      textAt(resource.object, name),
    );
    if (!isWithoutObjects(apiVersion, kind)) return [];
    return [
      {
        code: "kind-without-objects",
        where: declarationPlaces(resource),
        what: `Resource ${resourceKey(resource)} is a ${kind}, which can't be deployed`,
        facts: [{ label: "kind", value: `${apiVersion}/${kind}` }],
        why: "The API server answers requests of this kind, and stores no object",
        fix: fixes.get(kind) ?? "Remove the manifest",
      },
    ];
  });
}

const fixes: ReadonlyMap<string, string> = new Map([
  ["Scale", "Remove the manifest, and set spec.replicas of the workload"],
  ["Binding", "Remove the manifest, and set spec.nodeName of the Pod or a node selector"],
]);

/**
 * Reports whether the API server only answers requests of a built-in kind and stores no object of
 * it: a subresource, a review, or the options of a request. Apply works only for stored objects.
 * https://kubernetes.io/docs/reference/kubernetes-api/
 */
function isWithoutObjects(apiVersion: string, kind: string): boolean {
  return kindsWithoutObjects.get(groupOf(apiVersion))?.has(kind) === true;
}

const scales: ReadonlySet<string> = new Set(["Scale"]);

const kindsWithoutObjects: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "",
    new Set([
      ...["Binding", "ComponentStatus", "DeleteOptions", "PodStatusResult", "RangeAllocation"],
      ...["PodAttachOptions", "PodExecOptions", "PodPortForwardOptions", "PodProxyOptions"],
      ...["NodeProxyOptions", "ServiceProxyOptions", "SerializedReference", "Status"],
    ]),
  ],
  ["admission.k8s.io", new Set(["AdmissionReview"])],
  ["apiextensions.k8s.io", new Set(["ConversionReview"])],
  ["apps", scales],
  ["authentication.k8s.io", new Set(["SelfSubjectReview", "TokenRequest", "TokenReview"])],
  [
    "authorization.k8s.io",
    new Set([
      ...["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview"],
      "SubjectAccessReview",
    ]),
  ],
  ["autoscaling", scales],
  ["extensions", scales],
  ["imagepolicy.k8s.io", new Set(["ImageReview"])],
  ["metrics.k8s.io", new Set(["NodeMetrics", "PodMetrics"])],
  ["policy", new Set(["Eviction"])],
]);
