import { defaultLimits } from "../apply/run.ts";
import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import type { Problem, Result } from "../model/problem.ts";
import { problemsOfNamesake } from "../plan/deletions/namesake.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import type { ClusterState, DeploymentReport } from "../report/comment-input.ts";
import { catchProblems } from "./catch-problems.ts";
import { type CompiledDeployment, compileDeployment } from "./compile-deployment.ts";
import { gatherPlan } from "./gather-plan.ts";
import { refuseForeign } from "./refuse-foreign.ts";
import { releaseSource } from "./release-source.ts";
import { readReleases } from "./release-store.ts";
import type { Source, World } from "./world.ts";

export interface PreviewRequest {
  readonly deployment: Deployment;
  /** The deployment as the base has it, and where to read it; undefined when it is new or no base was asked for. */
  readonly before: { readonly deployment: Deployment; readonly source: Source } | undefined;
  readonly inline: readonly string[];
  readonly policy: PlanPolicy;
  readonly onlyStage?: Stage | undefined;
  /** Why the cluster is not to be asked; undefined asks it. */
  readonly withoutCluster: string | undefined;
}

/** A deployment at the base and at the head, not yet compared with the cluster. */
export interface CompiledTwice {
  readonly head: Result<CompiledDeployment>;
  readonly report: DeploymentReport;
}

/** What a deployment would change: base against head, and head against the live cluster. Writes nothing. */
export async function previewDeployment(
  world: World,
  request: PreviewRequest,
): Promise<DeploymentReport> {
  return addCluster(world, request, await compileTwice(world, request));
}

export async function compileTwice(
  world: World,
  { deployment, before, inline }: PreviewRequest,
): Promise<CompiledTwice> {
  // What differs between two commits is explained by the parameters that it was made from.
  const trace = before !== undefined;
  const [head, base] = await Promise.all([
    compileDeployment(world.source, deployment, inline, "show", trace),
    before && compileDeployment(before.source, before.deployment, inline, "show", trace),
  ]);
  const report: DeploymentReport = {
    deployment,
    base: base?.ok ? base.value.compilation : undefined,
    head: head.ok ? head.value.compilation : undefined,
    problems: head.ok ? [] : head.problems,
    planProblems: [],
    clusterState: { compared: false, because: "it does not compile" },
  };
  return { head, report };
}

export async function addCluster(
  world: World,
  request: PreviewRequest,
  { head, report }: CompiledTwice,
): Promise<DeploymentReport> {
  return head.ok
    ? { ...report, ...(await compareWithCluster(world, request, head.value)) }
    : report;
}

type Comparison = Pick<DeploymentReport, "plan" | "planProblems" | "clusterState" | "release">;

async function compareWithCluster(
  world: World,
  request: PreviewRequest,
  { compilation }: CompiledDeployment,
): Promise<Comparison> {
  const foreign = refuseForeign(compilation.resources);
  const { withoutCluster, deployment } = request;
  if (withoutCluster !== undefined) return notCompared(withoutCluster, foreign);
  // A preview that cannot ask the cluster is still a preview of the manifests.
  const opened = await catchProblems(() => world.target(deployment));
  if (!opened.ok) return notCompared("it could not be opened", [...foreign, ...opened.problems]);
  const { cluster } = opened.value;
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) return notCompared("it could not be read", [...foreign, ...recorded.problems]);
  const { releases } = recorded.value;
  const other = problemOfOtherSource(releases, await releaseSource(world, deployment), deployment);
  const gathered = await gatherPlan(cluster, {
    deployment,
    manifests: compilation.resources.filter((resource) => resource.type === "manifest"),
    inventory: inventoryOf(releases),
    history: historyOf(releases),
    policy: request.policy,
    purpose: "diff",
    onlyStage: request.onlyStage,
    concurrency: defaultLimits.concurrency,
    hash: world.hash,
  });
  const clusterState: ClusterState = { compared: true };
  const refusals = ({ changes }: Plan) => [
    ...(other === undefined ? [] : [other]),
    ...problemsOfNamesake(changes, inventoryOf(releases), deployment),
  ];
  const release = releases.find(({ status }) => status === "succeeded")?.revision;
  return gathered.ok
    ? {
        plan: withNotices(gathered.value.plan, refusals(gathered.value.plan)),
        planProblems: foreign,
        clusterState,
        release,
      }
    : { planProblems: [...foreign, ...gathered.problems], clusterState, release };
}

/** A deployment that would be refused as things are may be meant, with leave to adopt: a preview shows it all the same. */
function withNotices(plan: Plan, notices: readonly Problem[]): Plan {
  return notices.length === 0 ? plan : { ...plan, notices: [...notices, ...plan.notices] };
}

function notCompared(because: string, planProblems: readonly Problem[]): Comparison {
  return { planProblems, clusterState: { compared: false, because } };
}
