import type { PlanningRequest } from "../model/deploy-request.ts";
import type { Deployment } from "../model/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { UpstreamDeployments } from "../model/upstream-deployments.ts";
import { nullWarnings } from "../plan/declared/manifest-nulls.ts";
import { unreportedWarnings } from "../planning/checks/deduplicate-problems.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import { readAhead } from "../planning/read-ahead.ts";
import type { ConfigSource, TargetCluster, World } from "../ports/world.ts";
import type { DeploymentReport, NotCompared } from "../report/comment/comment-input.ts";
import { diffCompilations } from "../report/diff/manifest-diff.ts";
import { locateFindings } from "../report/trace/locate-findings.ts";
import type { CapabilitySource } from "../sources/charts/capabilities.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";
import { attributeChanges } from "./attribute-changes.ts";
import { chartCapabilities } from "./chart-capabilities.ts";
import { toDesiredState } from "./compile-desired-state.ts";
import { contextBeforeLock } from "./create-planning-context.ts";

export interface PreviewRequest {
  readonly deployment: Deployment;
  /**
   * The deployment at the base commit, and its source; undefined for a new deployment or without a
   * base.
   */
  readonly before: { readonly deployment: Deployment; readonly source: ConfigSource } | undefined;
  readonly inline: readonly string[];
  /**
   * The request of the deployment, without permissions that only a run can use. `whenOlder` is
   * undefined unless exactly this commit would be deployed.
   */
  readonly request: PlanningRequest;
  /** The time that the deployment would wait for one object; undefined for the default. */
  readonly timeoutMs?: number | undefined;
  /** The planned changes of the upstream deployments. */
  readonly upstream?: UpstreamDeployments | undefined;
  /** The reason not to access the cluster; undefined to access it. */
  readonly withoutCluster: NotCompared | undefined;
}

/** A deployment at the base and the head commit, before the comparison with the cluster. */
export interface BaseAndHead {
  readonly head: Result<CompiledDeployment>;
  /** True if the cluster decides about the objects of a chart in one of them. */
  readonly asksCluster: boolean;
  readonly report: DeploymentReport;
}

/**
 * Previews a deployment: compares the base with the head, and the head with the live objects.
 * Writes nothing.
 */
export async function previewDeployment(
  world: World,
  preview: PreviewRequest,
): Promise<DeploymentReport> {
  let reading: Promise<Result<PlanningContext>> | undefined;
  const capabilities =
    preview.withoutCluster === undefined
      ? previewCapabilities(world, preview, () => reading)
      : undefined;
  // Compiling starts first, because most other work waits for it.
  const compiled = compileBaseAndHead(world, preview, capabilities);
  reading = preview.withoutCluster === undefined ? startReading(world, preview) : undefined;
  // If the config doesn't compile, no code awaits this promise.
  reading?.catch(() => {});
  return compareBaseAndHead(world, preview, await compiled, reading);
}

/** Returns the cluster that charts see. It uses the reads that have started. */
function previewCapabilities(
  world: World,
  preview: PreviewRequest,
  reading: () => Promise<Result<PlanningContext>> | undefined,
): CapabilitySource {
  const { deployment, upstream } = preview;
  const open = async () => {
    const started = await reading();
    return started?.ok === true ? started.value : world.target(deployment);
  };
  return chartCapabilities(world, deployment, open, upstream);
}

export async function compileBaseAndHead(
  world: World,
  { deployment, before, inline }: PreviewRequest,
  capabilities?: CapabilitySource,
): Promise<BaseAndHead> {
  // The trace explains a difference between two commits by the parameters.
  const trace = before !== undefined;
  const [head, base] = await Promise.all([
    compileDeployment(world.source, deployment, inline, "show", { trace }, capabilities),
    before &&
      compileDeployment(before.source, before.deployment, inline, "show", { trace }, capabilities),
  ]);
  const report: DeploymentReport = {
    deployment,
    base: base?.ok ? base.value.compilation : undefined,
    head: head.ok ? head.value.compilation : undefined,
    problems: head.ok ? [] : head.problems,
    blockers: [],
    clusterState: { compared: false, because: "the config doesn't compile" },
  };
  const asksCluster = [head, base].some((each) => each?.asksCluster === true);
  return { head, asksCluster, report };
}

/**
 * Compares commits that were compiled without a cluster with the live objects. If a chart asks the
 * cluster, it compiles both again with the answers.
 */
export async function addClusterComparison(
  world: World,
  preview: PreviewRequest,
  compiled: BaseAndHead,
): Promise<DeploymentReport> {
  return compiled.asksCluster && preview.withoutCluster === undefined
    ? previewDeployment(world, preview)
    : compareBaseAndHead(world, preview, compiled);
}

async function compareBaseAndHead(
  world: World,
  preview: PreviewRequest,
  { head, report }: BaseAndHead,
  reading?: Promise<Result<PlanningContext>>,
): Promise<DeploymentReport> {
  if (!head.ok) return report;
  const compared = await compareWithCluster(world, preview, head.value, report, reading);
  const { compilation } = head.value;
  // A plan has its own notices about null values.
  const nulls = compared.plan === undefined ? nullWarnings(compilation) : [];
  const warnings = unreportedWarnings(compared.blockers, [...compilation.warnings, ...nulls]);
  return { ...report, ...compared, head: { ...compilation, warnings } };
}

/** Reports whether the commits differ; undefined without a base commit. */
function isChanged({ base, head }: Pick<DeploymentReport, "base" | "head">): boolean | undefined {
  return base === undefined || head === undefined
    ? undefined
    : diffCompilations(base, head).length > 0;
}

type ClusterComparison = Pick<
  DeploymentReport,
  "plan" | "attributions" | "blockers" | "findings" | "clusterState" | "release" | "rollback"
>;

async function compareWithCluster(
  world: World,
  preview: PreviewRequest,
  compiled: CompiledDeployment,
  compilations: Pick<DeploymentReport, "base" | "head">,
  reading: Promise<Result<PlanningContext>> | undefined,
): Promise<ClusterComparison> {
  const desired = toDesiredState(compiled, preview.deployment);
  const { unsupported } = desired;
  if (preview.withoutCluster !== undefined) return notCompared(preview.withoutCluster, unsupported);
  const opened = await recentContext(world, preview, reading);
  if (!opened.ok) {
    return notCompared({ because: "qvs couldn't connect to it" }, [
      ...unsupported,
      ...opened.problems,
    ]);
  }
  const context = { ...opened.value, isChangedHere: isChanged(compilations) };
  const planned = await planDeployment(context, desired);
  const { plan, recorded } = planned;
  const findings =
    plan === undefined
      ? planned.findings
      : locateFindings(planned.findings, plan, compiled.compilation);
  const blockers = planned.executable ? [] : planned.blockers;
  if (recorded === undefined)
    return notCompared({ because: "qvs couldn't read the releases" }, blockers);
  const release = recorded.current?.revision;
  const attributions = attributeChanges(planned, context, compilations);
  const { rollback } = planned;
  const clusterState = { compared: true } as const;
  return { plan, attributions, blockers, findings, clusterState, release, rollback };
}

/** Opens the cluster. A preview without a cluster still shows the manifests. */
async function openContext(
  world: World,
  preview: PreviewRequest,
): Promise<Result<PlanningContext>> {
  const opened = await openTarget(world, preview);
  return opened.ok ? ok(await previewContext(world, opened.value, preview)) : opened;
}

/**
 * Reads from Git and the cluster while the adapters compile. These reads depend neither on the
 * adapters nor on each other.
 */
async function startReading(
  world: World,
  preview: PreviewRequest,
): Promise<Result<PlanningContext>> {
  const opened = await openTarget(world, preview);
  if (!opened.ok) return opened;
  const ahead = readAhead(opened.value.cluster, preview.deployment, world);
  return ok({ ...(await previewContext(world, opened.value, preview)), ...ahead });
}

function openTarget(world: World, { deployment }: PreviewRequest): Promise<Result<TargetCluster>> {
  return catchProblems(() => world.target(deployment));
}

async function previewContext(
  world: World,
  target: TargetCluster,
  preview: PreviewRequest,
): Promise<PlanningContext> {
  const { deployment, request, timeoutMs, upstream } = preview;
  const context = await contextBeforeLock(world, target, deployment, request);
  return { ...context, purpose: "preview", timeoutMs, upstream, predictsRollback: true };
}

/**
 * The maximum age in milliseconds of data that is read ahead. Dry runs show the current state.
 * Compared with older data, another tool's change would look like this deployment's.
 */
const maxReadAheadMs = 10_000;

async function recentContext(
  world: World,
  preview: PreviewRequest,
  reading: Promise<Result<PlanningContext>> | undefined,
): Promise<Result<PlanningContext>> {
  const context = await reading;
  if (context?.ok !== true) return openContext(world, preview);
  const age = world.clock.now().getTime() - Date.parse(context.value.now);
  return age <= maxReadAheadMs ? context : openContext(world, preview);
}

function notCompared(reason: NotCompared, blockers: readonly Problem[]): ClusterComparison {
  return { blockers, clusterState: { compared: false, ...reason } };
}
