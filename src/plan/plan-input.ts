import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import type { ServerVersion } from "../model/cluster/api/server-version.ts";
import type { ListedProducts } from "../model/cluster/owned-objects.ts";
import type { PendingDeletion } from "../model/cluster/pending-deletion.ts";
import type { DeploymentCheck } from "../model/deployments/deployment-checks.ts";
import type {
  OtherDeclarations,
  UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import type { History, InventoryEntry, LiveObjects } from "../model/deployments/release.ts";
import type { KubeObject } from "../model/object.ts";
import type { KeptObject } from "../model/plan/deletion.ts";
import type { Plan, PlanPolicy } from "../model/plan/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { CapabilityAnswer, Stage } from "../model/sources/compilation.ts";
import type { DryRunResult } from "../ssa/steps/step.ts";
import type { ClaimGrowthFacts } from "./changes/claim-growth.ts";
import type { DesiredObject } from "./declared/objects.ts";
import type { OwnedObjects } from "./deletions/also-deleted.ts";
import type { HoldingsByKey } from "./deletions/deletion-order.ts";
import type { WorkloadsByNamespace } from "./deletions/kept-objects.ts";
import type { OnlyStage } from "./only-stage.ts";
import type { Graph } from "./order/order.ts";
import type { ForeignObjects, OwnershipFacts } from "./ownership/foreign-objects.ts";

/** The facts that decide a plan. */
export interface PlanInput {
  readonly rules: PlanRules;
  readonly desired: Desired;
  readonly observed: Observed;
}

export interface PlanRules extends OwnershipFacts {
  readonly policy: PlanPolicy;
  /**
   * A preview continues without objects that it isn't allowed to dry-run. A deployment would only
   * fail later.
   */
  readonly purpose: "preview" | "deploy";
  /** The dry runs to send. "needed" leaves out those that applying makes unnecessary. */
  readonly dryRuns: "all" | "needed";
  /**
   * True if the manifests are from a record, which qvs trusts only for the namespace of the
   * releases.
   */
  readonly recorded: boolean;
  /** The release that recorded the manifests. No one can edit them. */
  readonly release?: number | undefined;
  /** The only stage to plan; undefined plans both. All objects are declared and read anyway. */
  readonly onlyStage?: Stage | undefined;
  /** The only objects to plan; undefined plans all. */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
  /** True for a drift correction. It doesn't run a completed Job again that is missing. */
  readonly corrects?: boolean | undefined;
  /** True for a rollback. It deletes an undeclared object only if this deployment created it. */
  readonly isRollback?: boolean | undefined;
  /** Set if the deployment itself is deleted. An empty list of manifests is then intended. */
  readonly deletes?: true | undefined;
  /**
   * The reason why qvs deletes nothing and shows no live strings that the manifests don't have. A
   * record or a chart that might describe them can't be read.
   */
  readonly keepAllReason?: Pick<KeptObject, "why" | "detail"> | undefined;
  /**
   * The only namespace for objects, if the deployment is the environment of a pull request. The
   * deployment creates and deletes the namespace itself.
   */
  readonly onlyNamespace?: string | undefined;
  /** The changes of upstream deployments; missing if there are none. */
  readonly upstream?: UpstreamDeployments | undefined;
  /** The checks that run before the deletions. */
  readonly checks?: readonly DeploymentCheck[] | undefined;
  /** The answers of the cluster that decided about the manifests. */
  readonly capabilities?: readonly CapabilityAnswer[] | undefined;
  /** True if this deployment or an earlier release has a check with a Job. */
  readonly hasCheckJobs?: boolean | undefined;
  /** Strings that qvs must never show, and that no digest includes. */
  readonly hides?: Plan["hides"];
  /** The health rules of the user, which the plan contains. */
  readonly health?: Plan["health"] | undefined;
  /** Returns the SHA-256 in lowercase hex. */
  readonly hash: (text: string) => string;
}

/** The desired objects, from `desire`. */
export interface Desired {
  readonly objects: readonly DesiredObject[];
  readonly byKey: ReadonlyMap<string, DesiredObject>;
  readonly edges: Graph;
  /** The dependencies on objects that upstream deployments create or change. */
  readonly upstreamEdges: Graph;
  /** Set if `objects` contains only one stage. */
  readonly only: OnlyStage | undefined;
  /** Declared objects that this plan neither writes nor deletes. */
  readonly untouched?: readonly DesiredObject[];
  readonly foreign: ForeignObjects;
  /** The errors that block the plan, whatever the cluster answers about the rest. */
  readonly refused?: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** The live objects, the records of earlier releases, and the answers of the cluster. */
export interface Observed {
  /** All objects that `listsToRead` and `undeclaredDependencies` return, by key. */
  readonly live: LiveObjects;
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
  /** The objects that other deployments of the run declare; missing if nothing is undeclared. */
  readonly elsewhere?: readonly OtherDeclarations[] | undefined;
  /** The version of the API server; undefined if it can't be read. */
  readonly server?: ServerVersion | undefined;
  /** The dry runs of the objects that `objectsToDryRun` lists. */
  readonly dryRuns: DryRunResults;
  /**
   * The API server's answers from another namespace, for objects whose own doesn't exist yet.
   * Missing if they weren't requested.
   */
  readonly tried?: ReadonlyMap<string, ApiResult<KubeObject>> | undefined;
  /** The workloads of the namespaces that `keptNamespaces` lists. */
  readonly users: WorkloadsByNamespace;
  /** The claims of StatefulSets that are smaller than their template, by key of the set. */
  readonly claimGrowth?: ReadonlyMap<string, ClaimGrowthFacts> | undefined;
  /** The replicas that missing StatefulSets had, by key; missing if none of their Pods exist. */
  readonly orphanedReplicas?: ReadonlyMap<string, number> | undefined;
  /** Objects that Kubernetes might delete with others; missing if nothing is deleted. */
  readonly owned?: OwnedObjects | undefined;
  /**
   * The metadata of objects that deleted custom resources might own; missing if none is deleted.
   */
  readonly made?: ListedProducts | undefined;
  /** The content of the holders that `holdersToDelete` lists. */
  readonly holdings?: HoldingsByKey | undefined;
  /**
   * The conditions for which current deletions of live objects wait, by key; missing if there are
   * none.
   */
  readonly remaining?: ReadonlyMap<string, PendingDeletion> | undefined;
}

/** The dry runs by key. A missing object had none. */
export type DryRunResults = ReadonlyMap<string, DryRunResult>;

/**
 * A plan with the errors that block it.
 * An object in conflict doesn't hide the errors of other objects.
 */
export interface PlanDecision {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}
