import type { Json, JsonObject } from "./json.ts";
import type { Position, Problem } from "./problem.ts";

/** Stages in the order in which they are deployed. */
export const stages = ["appSetup", "app"] as const;
export type Stage = (typeof stages)[number];

/** What a QVS config compiles to (spec §2): plain data, byte-stable for the same input. */
export interface Compilation {
  /** Sorted by stage, then resource id. */
  readonly resources: readonly Resource[];
  /** Everything that Pulumi would own as one `Pulumi.yaml` program; undefined when there is nothing. */
  readonly pulumi: JsonObject | undefined;
  readonly layout: LayoutNode;
  /** Notices that stop nothing: undeclared parameters, adapters without resources, rewritten old syntax. */
  readonly warnings: readonly Problem[];
  /** Every file that was really read, sorted; `module@revision/path` outside the repository. */
  readonly inputs: readonly string[];
}

/** A resource that an adapter declared, after composition. */
export type Resource = Manifest | ForeignResource;

/** A Kubernetes manifest, ready to be planned. */
export interface Manifest {
  readonly type: "manifest";
  readonly stage: Stage;
  /** Resource id, `group/id` within a group. */
  readonly id: string;
  /** The object without `provider` and `output`. Not yet a KubeObject: adapters may leave fields out. */
  readonly object: JsonObject;
  /** Where the adapter declares it; unknown for one that a release recorded. */
  readonly where?: Position | undefined;
  /** Resource ids from `options.dependsOn` and `${id.path}`/`$(ref.id.path)` references, sorted. */
  readonly dependsOn: readonly string[];
}

/** A resource of a provider that we show but do not apply: helm, unknown, or Pulumi's own types. */
export interface ForeignResource {
  readonly type: "foreign";
  readonly stage: Stage;
  readonly id: string;
  readonly provider: string;
  readonly content: Json;
}

/** The tree config → adapter → composite → resource ids, so that every manifest can be traced (spec §5). */
export interface LayoutNode {
  readonly pattern: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly group: string | undefined;
  readonly params: JsonObject;
  /** Resource ids that this node itself contributed to, as `stage/id`, sorted. */
  readonly resources: readonly string[];
  readonly composites: readonly LayoutNode[];
}
