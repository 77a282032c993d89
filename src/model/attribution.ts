import type { FieldStep } from "./fields/field-differences.ts";
import type { Json } from "./json.ts";
import type { KubeObject } from "./object.ts";

/**
 * Whose doing it is that something will change (docs/concepts/attribution.md#sources): what is compared is declared in another
 * way, was declared in another way before and is not deployed yet, was changed in the cluster, is filled in by the server, or is taken
 * over from others.
 */
export type ChangeSource = "change" | "undeployed" | "drift" | "server" | "adoption";

/** In the order in which they matter for a whole object. */
export const changeSources: readonly ChangeSource[] = [
  ...(["change", "undeployed", "adoption", "drift", "server"] as const),
];

/** One field that will have another value, with the values as they may be shown. */
export interface FieldChange {
  /** `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  readonly steps: readonly FieldStep[];
  readonly source: ChangeSource;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Who has written the live value, where that is not this deployment; undefined also where the cluster does not tell. */
  readonly by?: FieldAuthor | undefined;
}

/** As the cluster records it in `managedFields`. */
export interface FieldAuthor {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** RFC 3339; undefined where it does not say. */
  readonly since?: string | undefined;
}

/** A field that stays as it is, since an annotation leaves it to others. Values as they may be shown. */
export interface IgnoredField {
  readonly path: string;
  readonly live: Json | undefined;
  readonly declared: Json | undefined;
}

export interface Attribution {
  /** Of the object as a whole; undefined where nobody can tell, or nothing that is shown changes. */
  readonly source: ChangeSource | undefined;
  readonly fields: readonly FieldChange[];
  readonly ignored: readonly IgnoredField[];
  /** The newest release that has deployed an object which is missing now. */
  readonly deployedBy?: number | undefined;
}

/** Whose doing the changes of a plan are. */
export interface Attributions {
  /** Revision of the release that live objects were compared with; undefined before the first that succeeded. */
  readonly release: number | undefined;
  /** The commit that it has deployed; undefined where it does not say. */
  readonly commit?: string | undefined;
  /** By the keys of changes that do something. */
  readonly changes: ReadonlyMap<string, Attribution>;
  /** By the keys of deletions. */
  readonly deletions: ReadonlyMap<string, ChangeSource>;
  /** By the key of a change, the object of earlier releases whose place it takes: one that leaves, or that is kept. */
  readonly successions: ReadonlyMap<string, Succession>;
}

/** The same resource of the same adapter under another name, as when the name ends in a hash of the content. */
export interface Succession {
  /** Key of the object that it succeeds. */
  readonly of: string;
  /** What was declared of that one. */
  readonly before: KubeObject;
}
