import type { FieldStep } from "../fields/field-differences.ts";
import type { Json } from "../json.ts";
import type { KubeObject } from "../object.ts";

/**
 * The source of a change (docs/concepts/attribution.md#sources). The declaration changes
 * (`change`), or an earlier change isn't deployed yet (`undeployed`). The cluster was changed
 * (`drift`), the API server sets the value (`server`), or qvs takes ownership (`adoption`).
 */
export type ChangeSource = "change" | "undeployed" | "drift" | "server" | "adoption";

/** The sources, ordered by their importance for a whole object. */
export const changeSources: readonly ChangeSource[] = [
  ...(["change", "undeployed", "adoption", "drift", "server"] as const),
];

/** A field that gets another value. Both values are safe to show. */
export interface FieldChange {
  /** The path as users read it: `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  readonly steps: readonly FieldStep[];
  readonly source: ChangeSource;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /**
   * The author of the live value. Undefined if this deployment wrote it, or if the cluster records
   * no author.
   */
  readonly by?: FieldAuthor | undefined;
}

/** The author of a field, as the cluster records it in `managedFields`. */
export interface FieldAuthor {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** RFC 3339; undefined if the cluster records no time. */
  readonly since?: string | undefined;
}

/** A field that keeps its live value because of an annotation. Both values are safe to show. */
export interface IgnoredField {
  readonly path: string;
  readonly live: Json | undefined;
  readonly declared: Json | undefined;
}

export interface Attribution {
  /**
   * The source of the change of the whole object. Undefined if it is unknown, or if no visible
   * field changes.
   */
  readonly source: ChangeSource | undefined;
  readonly fields: readonly FieldChange[];
  readonly ignored: readonly IgnoredField[];
  /** The newest release that deployed the object. Set if the object is missing now. */
  readonly deployedBy?: number | undefined;
}

/** The sources of the changes of a plan. */
export interface Attributions {
  /**
   * The revision of the release that qvs compared live objects with. Undefined before the first
   * release that succeeded.
   */
  readonly release: number | undefined;
  /** The commit that this release deployed; undefined if the release doesn't record it. */
  readonly commit?: string | undefined;
  /** The attributions by the key of the change. Unchanged objects have none. */
  readonly changes: ReadonlyMap<string, Attribution>;
  /** The sources by the key of the deletion. */
  readonly deletions: ReadonlyMap<string, ChangeSource>;
  /**
   * The predecessors by the key of the change: objects of earlier releases that the plan deletes or
   * keeps.
   */
  readonly successions: ReadonlyMap<string, Succession>;
}

/**
 * The predecessor of an object: the same resource of the same adapter under another name. The name
 * changes, for example, if it ends in a hash of the content.
 */
export interface Succession {
  /** The key of the predecessor. */
  readonly predecessor: string;
  /** The declaration of the predecessor. */
  readonly before: KubeObject;
}
