import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { UpstreamDeployments } from "../model/deployments/other-deployments.ts";
import type { UpgradeTarget } from "../model/kubernetes-versions.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Result } from "../model/problems/problem.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import type { ConfigSource, World } from "../ports/world.ts";
import type { DeploymentReport, NotCompared } from "../report/comment/comment-input.ts";
import type { CapabilitySource } from "../sources/charts/capabilities.ts";
import { type CompiledDeployment, compileDeployment } from "../sources/compile-deployment.ts";
import { chartCapabilities } from "./chart-capabilities.ts";

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
  /** The version of Kubernetes to check against; undefined for none. */
  readonly against?: UpgradeTarget | undefined;
}

/** A deployment at the base and the head commit, before the comparison with the cluster. */
export interface BaseAndHead {
  readonly head: Result<CompiledDeployment>;
  /** Undefined without a base. */
  readonly base: Result<CompiledDeployment> | undefined;
  /** True if the cluster decides about the objects of a chart in one of them. */
  readonly asksCluster: boolean;
  /** True if the version of the cluster decides if a chart of the head can be rendered. */
  readonly checksVersion: boolean;
  readonly report: DeploymentReport;
}

/** Compiles both commits. Without `capabilities`, their charts see no cluster. */
export async function compileBaseAndHead(
  world: World,
  preview: PreviewRequest,
  capabilities?: PreviewCapabilities,
): Promise<BaseAndHead> {
  const { deployment, before, inline } = preview;
  const compileBase = ({ source, deployment: other }: NonNullable<typeof before>) =>
    compileDeployment(source, other, inline, "show", { trace: true }, capabilities?.base);
  const [head, base] = await Promise.all([
    compileHead(world, preview, capabilities?.head),
    before && compileBase(before),
  ]);
  const report: DeploymentReport = {
    deployment,
    base: base?.ok ? base.value.compilation : undefined,
    ...headReport(head),
    blockers: [],
    clusterState: { compared: false, because: "the config doesn't compile" },
  };
  const asks = [head, base].some((each) => each?.asksCluster === true);
  const isChecked = head.checksVersion === true;
  return {
    head,
    base,
    asksCluster: asks || (isChecked && !head.ok),
    checksVersion: isChecked,
    report,
  };
}

/** Compiles the head commit. Its charts see the version and the APIs of `capabilities`. */
export function compileHead(
  { source }: World,
  { deployment, before, inline }: PreviewRequest,
  capabilities: CapabilitySource | undefined,
) {
  // The trace explains a difference between two commits by the parameters. Without a base, only
  // files show their lines, because the trace of adapters can take as long as the compilation.
  const parts = { trace: before === undefined ? ("inputs" as const) : true };
  return compileDeployment(source, deployment, inline, "show", parts, capabilities);
}

/** Returns the part of a report about the compilation of the head commit. */
export function headReport(
  head: Result<CompiledDeployment>,
): Pick<DeploymentReport, "head" | "problems"> {
  return head.ok
    ? { head: head.value.compilation, problems: [] }
    : { head: undefined, problems: head.problems };
}

/** The clusters that the charts of both commits see. */
interface PreviewCapabilities {
  readonly head: CapabilitySource;
  readonly base: CapabilitySource | undefined;
}

/**
 * Returns the clusters that charts see. They and the plan use one connection: a second attempt
 * could succeed after charts saw no cluster. The upstream deployments change nothing for the base.
 */
export function previewCapabilities(
  world: World,
  { deployment, before, request, upstream }: PreviewRequest,
  read: () => Promise<Result<PlanningContext>>,
): PreviewCapabilities {
  const open = async () => {
    const opened = await read();
    if (!opened.ok) throw new UserError(opened.problems);
    return opened.value;
  };
  return {
    head: chartCapabilities(world, deployment, open, { request, upstream }),
    base: before && chartCapabilities(world, before.deployment, open, { request }),
  };
}
