import type { HealthRule } from "../health-rule.ts";
import type { Json, JsonObject } from "../json.ts";
import type { HookRule } from "../plan/deletion.ts";
import type { Position, Problem } from "../problems/problem.ts";
import type { LockedSource } from "./locked-source.ts";
import type { ParameterSource, ResourceTrace } from "./trace.ts";

/** The stages in deploy order. */
export const stages = ["appSetup", "app"] as const;
export type Stage = (typeof stages)[number];

/**
 * The result of compiling a config (docs/reference/adapters.md#composition): plain data, with the
 * same bytes for the same input.
 */
export interface Compilation {
  /** Sorted by stage, then by resource id. */
  readonly resources: readonly Resource[];
  /**
   * The `Pulumi.yaml` program with everything that Pulumi would own; undefined if there is nothing.
   */
  readonly pulumi: JsonObject | undefined;
  readonly layout: LayoutNode;
  /** The health rules of the config and its adapters, one per kind; missing if there is none. */
  readonly health?: readonly HealthRule[];
  /**
   * The source of every field, sorted like `resources`; undefined if the caller didn't request it.
   */
  readonly trace?: readonly ResourceTrace[] | undefined;
  /** The fields of charts that another rendering makes different; missing if there are none. */
  readonly irreproducible?: readonly IrreproducibleField[];
  /** Notices about undeclared parameters, adapters without resources and rewritten old syntax. */
  readonly warnings: readonly Problem[];
  /**
   * Strings that qvs shows in no output except the manifests: command-line values of params with
   * sensitive names.
   */
  readonly hides?: readonly string[] | undefined;
  /** The modules, charts and remote bases of the lockfile; undefined if they aren't known. */
  readonly locked?: readonly LockedSource[] | undefined;
  /** Every file that was read, sorted; `module@revision/path` outside the repository. */
  readonly inputs: readonly string[];
}

/** A field of a rendered object that depends on chance or on the time. */
export interface IrreproducibleField {
  readonly kind: string;
  /** Empty if the name of the object itself differs. */
  readonly name: string;
  /** Empty if the whole object differs. */
  readonly path: readonly string[];
  /** The template. */
  readonly where: Position;
}

/** An answer of the cluster that decided about the objects of a chart. */
export interface CapabilityAnswer {
  /** `kubeVersion`, `apiVersions` for the whole list, or an API such as `apps/v1/Deployment`. */
  readonly question: string;
  /** The version, the list, or `served` or `absent`. */
  readonly answer: string;
}

/** A resource that an adapter declares, after composition. */
export type Resource = Manifest | ForeignResource;

/** A Kubernetes manifest, ready for planning. */
export interface Manifest {
  readonly type: "manifest";
  readonly stage: Stage;
  /** The resource id; `group/id` within a group. */
  readonly id: string;
  /**
   * The object without `provider` and `output`. It isn't a KubeObject yet, because adapters can
   * omit fields.
   */
  readonly object: JsonObject;
  /** The position of the declaration in the adapter; undefined for a manifest from a release. */
  readonly where?: Position | undefined;
  /**
   * The sorted ids from `options.dependsOn` and from references: `${id.path}` or `$(ref.id.path)`.
   * They include ids of other providers and ids that no resource has. qvs can't deploy an object
   * with such a dependency.
   */
  readonly dependsOn: readonly string[];
  /**
   * Set if strings follow the rules of Pulumi YAML: `${id.path}` is a reference too, and `$$` is a
   * dollar sign.
   */
  readonly pulumi?: true;
  /**
   * Set if no string is a reference, whatever it looks like. The manifest is then from a release
   * that recorded it so.
   */
  readonly isLiteral?: true;
  /** Set for a hook that a deletion runs and then deletes. */
  readonly hook?: HookRule;
}

/** The provider of resources that stand for the objects of a chart. */
export const chartProvider = "kubernetes-helm";

/**
 * A resource that isn't a manifest: a chart before its objects are known, an unknown provider, or
 * one of Pulumi's own types. qvs shows it and doesn't deploy it.
 */
export interface ForeignResource {
  readonly type: "foreign";
  readonly stage: Stage;
  readonly id: string;
  readonly provider: string;
  readonly content: Json;
  /** The position of the declaration in the adapter. */
  readonly where?: Position | undefined;
  /**
   * The reasons why qvs can't deploy it: a chart that can't be rendered, or a manifest that needs
   * an object of such a chart.
   */
  readonly problems?: readonly Problem[];
}

/** Returns the charts that can't be rendered, as `stage/id`. Their objects aren't known. */
export function unrenderedCharts(resources: readonly Resource[]): readonly string[] {
  return resources.flatMap((each) =>
    each.type === "foreign" && each.provider === chartProvider ? [`${each.stage}/${each.id}`] : [],
  );
}

/**
 * A node of the tree config → adapter → composite → resource ids, which traces every manifest
 * (docs/concepts/releases.md#releases). Old releases and manually built layouts lack the optional
 * fields.
 */
export interface LayoutNode {
  /** The import path, with `:package` if the import has one. */
  readonly pattern: string;
  readonly name: string;
  /** The file of the adapter. */
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
  /** The position in the config or in the outer adapter that uses this adapter. */
  readonly use?: Position | undefined;
  readonly group: string | undefined;
  readonly params: JsonObject;
  /**
   * The names of the `params` whose values must not be shown. The composites of an adapter can
   * receive these values from it.
   */
  readonly hidden?: readonly string[] | undefined;
  /** The source of each of the `params`; undefined without a trace. */
  readonly sources?: Readonly<Record<string, ParameterSource>> | undefined;
  /**
   * The resources that this node itself contributed to: `stage/id` with the outer groups, sorted.
   */
  readonly resources: readonly string[];
  /** The nodes in the order of the config's `designPatterns` or the adapter's `composites`. */
  readonly composites: readonly LayoutNode[];
}

/** Returns the key of a resource among all stages, such as `app/web`. */
export function resourceKey({ stage, id }: Pick<Resource, "stage" | "id">): string {
  return `${stage}/${id}`;
}
