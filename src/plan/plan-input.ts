import type { Answer } from "../model/cluster/api-failure.ts";
import type { MadeObjects } from "../model/cluster/products.ts";
import type { RemainingObject } from "../model/cluster/remaining.ts";
import type { Stage } from "../model/compilation.ts";
import type { Earlier } from "../model/earlier.ts";
import type { KubeObject } from "../model/object.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { History, InventoryEntry, LiveObjects } from "../model/release.ts";
import type { DryRunResult } from "../ssa/steps/step.ts";
import type { DesiredObject } from "./declared/objects.ts";
import type { OwnedObjects } from "./deletions/also-deleted.ts";
import type { HoldingsByKey } from "./deletions/deletion-order.ts";
import type { WorkloadsByNamespace } from "./deletions/kept.ts";
import type { OnlyStage } from "./only-stage.ts";
import type { Graph } from "./order/graph.ts";
import type { Foreign, Identity } from "./ownership/foreign.ts";

/** Everything that a plan is decided from. */
export interface PlanInput {
  readonly rules: PlanRules;
  readonly desired: Desired;
  readonly observed: Observed;
}

export interface PlanRules extends Identity {
  readonly policy: PlanPolicy;
  /** A preview goes on without what it may not dry-run; a deployment would only fail later. */
  readonly purpose: "preview" | "deploy";
  /** "needed": without those that applying does as well. */
  readonly dryRuns: "all" | "needed";
  /** The manifests are those of a record, which is believed for the namespace of the releases only. */
  readonly recorded: boolean;
  /** The release that has recorded them, so that nobody can edit them. */
  readonly release?: number | undefined;
  /** All are declared and read, but only the objects of this stage are planned; undefined plans both. */
  readonly onlyStage?: Stage | undefined;
  /** Only these objects are planned; undefined plans all. */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
  /** What runs is put right: what has done its work and is gone is not done again. */
  readonly corrects?: boolean | undefined;
  /** It goes back to a recorded release: what that does not declare goes only if this deployment has created it. */
  readonly goesBack?: boolean | undefined;
  /** The deployment itself is deleted: that nothing is declared is what was asked for. */
  readonly deletes?: true | undefined;
  /** Why nothing is deleted, and no live text shown that the manifests don't have: a record that may tell of it can't be read. */
  readonly nothingGoes?: string | undefined;
  /** What deployments that go first will have changed by then; missing where there are none. */
  readonly earlier?: Earlier | undefined;
  /** Texts that may be shown nowhere, so that no digest is made of them. */
  readonly hides?: Plan["hides"];
  /** SHA-256 as lower-case hex. */
  readonly hash: (text: string) => string;
}

/** What is to be there: from `desire`. */
export interface Desired {
  readonly objects: readonly DesiredObject[];
  readonly byKey: ReadonlyMap<string, DesiredObject>;
  readonly edges: Graph;
  /** The same to what deployments before make or change. */
  readonly toEarlier: Graph;
  /** Set when `objects` are one stage only. */
  readonly only: OnlyStage | undefined;
  /** Declared, but neither written nor deleted by this plan. */
  readonly untouched?: readonly DesiredObject[];
  readonly foreign: Foreign;
  /** What of it is refused, whatever the cluster would say of the rest. */
  readonly refused?: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** What is there, what earlier releases tell, and what the cluster has answered. */
export interface Observed {
  /** Everything that `listsToRead` and `undeclaredDependencies` asked for, by key. */
  readonly live: LiveObjects;
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
  /** For `objectsToDryRun`. */
  readonly dryRuns: DryRunResults;
  /** What the server says, in another namespace, of objects whose own is still to be created; missing where nobody reads it. */
  readonly tried?: ReadonlyMap<string, Answer<KubeObject>> | undefined;
  /** Of the namespaces that `namespacesOfKept` names. */
  readonly users: WorkloadsByNamespace;
  /** What else goes with what is deleted; missing where nothing is. */
  readonly owned?: OwnedObjects | undefined;
  /** Metadata of what custom resources may own that are deleted; missing where none is. */
  readonly made?: MadeObjects | undefined;
  /** Of the holders that `holdersToDelete` names. */
  readonly holdings?: HoldingsByKey | undefined;
  /** What the deletions of live objects wait for that are under way, by key; missing where none is. */
  readonly remaining?: ReadonlyMap<string, RemainingObject> | undefined;
}

/** By key; an object that is missing was not asked about. */
export type DryRunResults = ReadonlyMap<string, DryRunResult>;

/** A plan, and what stands in the way of executing it: one object in conflict hides nothing of the others. */
export interface Decided {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}
