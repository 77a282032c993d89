import type { StoredKinds } from "./fields/field-type.ts";
import type { TypeMeta } from "./object.ts";

/** The comparison of a deployment with another version of Kubernetes. */
export interface VersionCheck {
  /** The other version, such as "1.37". */
  readonly version: string;
  /** The version of the API server, such as "1.36"; undefined if it couldn't be read. */
  readonly server?: string | undefined;
  /** The current release that was checked, too; undefined if there is none. */
  readonly release?: number | undefined;
  /** True if qvs couldn't read the releases, so that it didn't check the current one. */
  readonly isReleaseUnread?: boolean | undefined;
  /** The number of findings about the other version that no annotation allows. */
  readonly findings: number;
}

/** The packed facts about the supported versions of Kubernetes. */
interface KubernetesFacts {
  /** The versions, such as "1.37", in ascending order. */
  readonly versions: readonly string[];
  kinds(version?: string): StoredKinds;
  lifecycles(): ApiLifecycles;
}

/** The version of Kubernetes that a preview is checked against. */
export interface UpgradeTarget {
  /** One of the known versions, such as "1.37". */
  readonly version: string;
  readonly facts: KubernetesFacts;
}

/**
 * The minor versions of Kubernetes 1 in which a built-in kind of one API version begins and ends,
 * from the Go types in k8s.io/api.
 */
export interface ApiLifecycle {
  /** The first minor version that serves it; undefined if the types don't contain it. */
  readonly introduced?: number;
  /** The first minor version in which the API server warns about it. */
  readonly deprecated?: number;
  /** The first minor version that no longer serves it. It can be later than the known ones. */
  readonly removed?: number;
  readonly replacement?: TypeMeta;
}

/** Lifecycles by keys such as `policy/v1beta1/PodDisruptionBudget`. */
export type ApiLifecycles = Readonly<Record<string, ApiLifecycle>>;

/**
 * Describes the versions of Kubernetes with a kind or a field, such as "since Kubernetes 1.33".
 * `all` contains the known versions in ascending order; undefined if none has it.
 */
export function versionRange(found: readonly string[], all: readonly string[]): string | undefined {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last === all.at(-1)) return `since Kubernetes ${first}`;
  if (first === last && first !== all[0]) return `only in Kubernetes ${first}`;
  return first === all[0] ? `until Kubernetes ${last}` : `in Kubernetes ${first} to ${last}`;
}
