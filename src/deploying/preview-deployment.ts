import { catchProblems } from "../model/problems/errors.ts";
import { riskRank } from "../model/problems/finding.ts";
import { ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Compilation } from "../model/sources/compilation.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { nullWarnings } from "../plan/declared/manifest-nulls.ts";
import { type CheckedDeployment, checkAgainstVersion } from "../planning/check-against-version.ts";
import { unreportedWarnings } from "../planning/checks/check-result.ts";
import { readAhead } from "../planning/live/read-ahead.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import type { DeploymentReport, NotCompared } from "../report/comment/comment-input.ts";
import { diffCompilations } from "../report/diff/manifest-diff.ts";
import { locateFindings } from "../report/trace/locate-findings.ts";
import { addLiveValueOrigins, addValueOrigins } from "../sources/charts/value-origins.ts";
import type { CompiledDeployment } from "../sources/compile-deployment.ts";
import { findChangedSources } from "../sources/read-lock.ts";
import {
  type BaseAndHead,
  compileBaseAndHead,
  compileHead,
  headReport,
  type PreviewRequest,
  previewCapabilities,
} from "./compile-base-and-head.ts";
import { toDesiredState } from "./compile-desired-state.ts";
import { contextBeforeLock } from "./create-planning-context.ts";
import { attributeChanges } from "./plan-without-lock.ts";

/**
 * Previews a deployment: compares the base with the head, and the head with the live objects.
 * Writes nothing.
 */
export async function previewDeployment(
  world: World,
  preview: PreviewRequest,
): Promise<DeploymentReport> {
  if (preview.withoutCluster !== undefined)
    return compareBaseAndHead(world, preview, await compileBaseAndHead(world, preview));
  const read = readOnce(world, preview);
  // Compiling starts first, because most other work waits for it.
  const compiling = compileBaseAndHead(world, preview, previewCapabilities(world, preview, read));
  const reading = read();
  // If the config doesn't compile, no code awaits this promise.
  reading.catch(() => {});
  return compareBaseAndHead(world, preview, await compiling, reading);
}

type Reading = Promise<Result<PlanningContext>>;

/** Returns a function that starts to read ahead with its first call. */
function readOnce(world: World, preview: PreviewRequest): () => Reading {
  let reading: Reading | undefined;
  return () => {
    reading ??= startReading(world, preview);
    return reading;
  };
}

/**
 * Compares commits that were compiled without a cluster with the live objects. If a chart asks the
 * cluster, it compiles both again with the answers. If the version only decides whether a chart can
 * be rendered, it compiles the head again.
 */
export async function addClusterComparison(
  world: World,
  preview: PreviewRequest,
  compiled: BaseAndHead,
): Promise<DeploymentReport> {
  if (preview.withoutCluster !== undefined) return compareBaseAndHead(world, preview, compiled);
  if (compiled.asksCluster) return previewDeployment(world, preview);
  if (!compiled.checksVersion) return compareBaseAndHead(world, preview, compiled);
  const read = readOnce(world, preview);
  const head = await compileHead(world, preview, previewCapabilities(world, preview, read).head);
  const report = { ...compiled.report, ...headReport(head) };
  return compareBaseAndHead(world, preview, { ...compiled, head, report }, read());
}

async function compareBaseAndHead(
  world: World,
  preview: PreviewRequest,
  { head, base, report }: BaseAndHead,
  reading?: Promise<Result<PlanningContext>>,
): Promise<DeploymentReport> {
  if (!head.ok) return report;
  const compilation = base?.ok
    ? await addValueOrigins(head.value, base.value)
    : head.value.compilation;
  const compiled = { ...head.value, compilation };
  const { traced, ...compared } = await compareWithCluster(
    world,
    preview,
    compiled,
    report,
    reading,
  );
  // A plan has its own notices about null values.
  const nulls = compared.plan === undefined ? nullWarnings(compilation) : [];
  const ofBase = base === undefined || base.ok ? [] : [baseNotice(base.problems)];
  const all = [...ofBase, ...compilation.warnings, ...nulls];
  const warnings = unreportedWarnings(compared.blockers, all);
  const sources = await changedSources(preview, report.base, compilation);
  return { ...report, ...compared, ...sources, head: { ...(traced ?? compilation), warnings } };
}

/** Returns the notice for a base commit that doesn't compile. The head can lack these places. */
function baseNotice(problems: readonly Problem[]): Problem {
  const errors = problems.map(({ what, where: [place] }) =>
    place === undefined ? what : `${what} (${place.file}:${place.line})`,
  );
  return {
    code: "base-not-compiled",
    where: [],
    what: "The base commit doesn't compile",
    facts: [{ label: errors.length === 1 ? "error" : "errors", value: summarizeList(errors, 3) }],
    why: "qvs can't compare the manifests of both commits",
    fix: "Nothing to do, if this commit fixes the error",
    otherwise: ["compare with another commit"],
  };
}

async function changedSources(
  { before }: PreviewRequest,
  base: Compilation | undefined,
  head: Compilation,
): Promise<Pick<DeploymentReport, "sources">> {
  if (before === undefined) return {};
  const sources = await findChangedSources(head, { ...before, base });
  return sources.length === 0 ? {} : { sources };
}

/** Reports whether the commits differ; undefined without a base commit. */
function isChanged({ base, head }: Pick<DeploymentReport, "base" | "head">): boolean | undefined {
  return base === undefined || head === undefined
    ? undefined
    : diffCompilations(base, head).length > 0;
}

type ClusterComparison = Pick<
  DeploymentReport,
  | "plan"
  | "attributions"
  | "blockers"
  | "findings"
  | "clusterState"
  | "release"
  | "rollback"
  | "againstVersion"
> & {
  /** The compilation with the lines of values of charts that differ from the live objects. */
  readonly traced?: Compilation;
};

async function compareWithCluster(
  world: World,
  preview: PreviewRequest,
  compiled: CompiledDeployment,
  compilations: Pick<DeploymentReport, "base" | "head">,
  reading: Promise<Result<PlanningContext>> | undefined,
): Promise<ClusterComparison> {
  const { comparison, ...read } = await comparePlan(
    world,
    preview,
    compiled,
    compilations,
    reading,
  );
  const { against, deployment } = preview;
  if (against === undefined) return comparison;
  const { deletionHooks } = compiled;
  const { plan, findings = [], traced: compilation = compiled.compilation } = comparison;
  const checked = await checkAgainstVersion(against, {
    ...{ deployment, compilation, deletionHooks, plan },
    ...read,
  });
  const { againstVersion } = checked;
  const located = checked.findings.map((finding) =>
    plan !== undefined && finding.upgrade?.affects.includes("change")
      ? (locateFindings([finding], plan, compilation)[0] ?? finding)
      : finding,
  );
  const all = [...findings, ...located].toSorted((a, b) => riskRank(a) - riskRank(b));
  return { ...comparison, findings: all, againstVersion };
}

/** A comparison with the cluster, and the parts of the cluster that qvs could read. */
interface ReadComparison extends Pick<CheckedDeployment, "cluster" | "recorded"> {
  readonly comparison: ClusterComparison;
}

async function comparePlan(
  world: World,
  preview: PreviewRequest,
  compiled: CompiledDeployment,
  compilations: Pick<DeploymentReport, "base" | "head">,
  reading: Promise<Result<PlanningContext>> | undefined,
): Promise<ReadComparison> {
  const desired = toDesiredState(compiled, preview.deployment);
  const { unsupported } = desired;
  if (preview.withoutCluster !== undefined)
    return { comparison: notCompared(preview.withoutCluster, unsupported) };
  const opened = await recentContext(world, preview, reading);
  if (!opened.ok) {
    const problems = [...unsupported, ...opened.problems];
    return { comparison: notCompared({ because: "qvs couldn't connect to it" }, problems) };
  }
  const context = { ...opened.value, isChangedHere: isChanged(compilations) };
  const { cluster } = context;
  const planned = await planDeployment(context, desired);
  const { plan, recorded, rollback } = planned;
  // A base commit shows the changed lines of values.
  const traced =
    plan === undefined || compilations.base !== undefined
      ? compiled.compilation
      : await addLiveValueOrigins(compiled, plan.changes);
  const findings =
    plan === undefined ? planned.findings : locateFindings(planned.findings, plan, traced);
  const blockers = planned.executable ? [] : planned.blockers;
  if (recorded === undefined) {
    const reason = { because: "qvs couldn't read the releases" };
    return { comparison: notCompared(reason, blockers), cluster };
  }
  const release = recorded.current?.revision;
  const attributions = attributeChanges(planned, context, compilations);
  const clusterState = { compared: true } as const;
  const shown = { plan, attributions, blockers, findings, traced };
  const comparison = { ...shown, clusterState, release, rollback };
  return { comparison, cluster, recorded };
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
  if (context === undefined) return openContext(world, preview);
  // Charts saw no cluster either, so that a second attempt would compare other objects.
  if (!context.ok) return context;
  const age = world.clock.now().getTime() - Date.parse(context.value.now);
  return age <= maxReadAheadMs ? context : openContext(world, preview);
}

function notCompared(reason: NotCompared, blockers: readonly Problem[]): ClusterComparison {
  return { blockers, clusterState: { compared: false, ...reason } };
}
