import type { PlanPolicy } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import type { History, InventoryEntry, LiveObjects } from "../model/release.ts";
import type { DesiredObject } from "./declared/desired.ts";
import type { PodUsers } from "./deletions/kept.ts";
import type { OnlyStage } from "./only-stage.ts";
import type { Graph } from "./order/graph.ts";
import type { Foreseen } from "./prediction.ts";

/** Everything that was gathered for one plan. */
export interface PlanInput {
  readonly deployment: string;
  /** Of its releases and its lock. */
  readonly namespace: string;
  /** From `declareObjects`, through `numberRevisions` and `ignoreChanges`. */
  readonly desired: readonly DesiredObject[];
  /** From `linkObjects`. */
  readonly edges: Graph;
  /** Everything that `listsToRead` and `undeclaredDependencies` asked for, by key. */
  readonly live: LiveObjects;
  readonly foreseen: Foreseen;
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
  /** Of the namespaces that `namespacesOfKept` names. */
  readonly users: PodUsers;
  readonly policy: PlanPolicy;
  /** A diff goes on without what it may not dry-run; a deployment would only fail later. */
  readonly purpose: "diff" | "deploy";
  /** Set when `desired` is one stage only, as `chooseStage` answered. */
  readonly only?: OnlyStage | undefined;
  /** From `ignoreChanges`. */
  readonly notices: readonly Problem[];
  /** SHA-256 as lower-case hex. */
  readonly hash: (text: string) => string;
}
