import type { Json, JsonObject } from "./json.ts";
import type { Position, Problem } from "./problems/problem.ts";
import type { ParameterSource, ResourceTrace } from "./trace.ts";

/** Stages in the order in which they are deployed. */
export const stages = ["appSetup", "app"] as const;
export type Stage = (typeof stages)[number];

/** What a QVS config compiles to (docs/reference/adapters.md#composition): plain data, byte-stable for the same input. */
export interface Compilation {
  /** Sorted by stage, then resource id. */
  readonly resources: readonly Resource[];
  /** Everything that Pulumi would own as one `Pulumi.yaml` program; undefined when there is nothing. */
  readonly pulumi: JsonObject | undefined;
  readonly layout: LayoutNode;
  /** Where every field comes from, sorted like `resources`; undefined when it was not asked for. */
  readonly trace?: readonly ResourceTrace[] | undefined;
  /** Notices that stop nothing: undeclared parameters, adapters without resources, rewritten old syntax. */
  readonly warnings: readonly Problem[];
  /** Texts that stand in no output but the manifests: what the command line gave to params that look like secrets. */
  readonly hides?: readonly string[] | undefined;
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
  /**
   * Ids from `options.dependsOn` and `${id.path}`/`$(ref.id.path)` references, sorted. Those of other providers and
   * names that no resource has are among them: such an object can't be deployed.
   */
  readonly dependsOn: readonly string[];
  /** Set where strings follow the rules of Pulumi YAML: `${id.path}` is a reference too, and `$$` a dollar. */
  readonly pulumi?: true;
  /** Set where no text is a reference any more, whatever it looks like: a release has recorded it so. */
  readonly settled?: true;
}

/** A resource of a provider that we show but do not apply: helm, unknown, or Pulumi's own types. */
export interface ForeignResource {
  readonly type: "foreign";
  readonly stage: Stage;
  readonly id: string;
  readonly provider: string;
  readonly content: Json;
}

/**
 * The tree config → adapter → composite → resource ids, so that every manifest can be traced
 * (docs/concepts/releases.md#releases). Records of older releases lack what is optional here, and so does a layout that is made
 * by hand.
 */
export interface LayoutNode {
  /** Import path with `:package` where the import has one. */
  readonly pattern: string;
  readonly name: string;
  /** Where the adapter is written. */
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
  /** Where the config or the adapter around uses it. */
  readonly use?: Position | undefined;
  readonly group: string | undefined;
  readonly params: JsonObject;
  /** Those of `params` whose values may not be shown; an adapter's own composites may have got them from it. */
  readonly hidden?: readonly string[] | undefined;
  /** For each of `params`, where it comes from; only where a trace was asked for. */
  readonly sources?: Readonly<Record<string, ParameterSource>> | undefined;
  /** Resources that this node itself contributed to, as `stage/id` with the groups around it, sorted. */
  readonly resources: readonly string[];
  /** In the order of the config's `designPatterns` or the adapter's `composites`. */
  readonly composites: readonly LayoutNode[];
}
