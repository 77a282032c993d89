import type { ApiLifecycles } from "./api-lifecycle.ts";
import type { StoredKinds } from "./field-type.ts";

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
