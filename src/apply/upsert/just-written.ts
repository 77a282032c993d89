import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  isByNamespaceRules,
  isDeniedByAdmission,
  isQuotaExceeded,
  missingClass,
} from "../../model/cluster/api-words.ts";
import type { Change } from "../../model/plan.ts";
import { kindsDefinedBy } from "../readiness/await-served.ts";

/** What a run itself writes that the server goes by only a moment after it has taken it. */
export interface JustWritten {
  /** `group/Kind` of what it defines. */
  readonly kinds: ReadonlySet<string>;
  /** Namespaces whose labels, LimitRanges or quotas it writes. */
  readonly rulesIn: ReadonlySet<string>;
  /** Names of PriorityClasses and RuntimeClasses. */
  readonly classes: ReadonlySet<string>;
}

export function justWrittenBy(changes: readonly Change[]): JustWritten {
  const written = changes.filter(({ action }) => action !== "unchanged");
  const ofKinds = (group: string, ...kinds: readonly string[]) =>
    written.map(({ id }) => id).filter((id) => id.group === group && kinds.includes(id.kind));
  return {
    kinds: kindsDefinedBy(changes),
    rulesIn: new Set([
      ...ofKinds("", "Namespace").map(({ name }) => name),
      ...ofKinds("", "LimitRange", "ResourceQuota").map(({ namespace }) => namespace),
    ]),
    classes: new Set(
      [
        ...ofKinds("scheduling.k8s.io", "PriorityClass"),
        ...ofKinds("node.k8s.io", "RuntimeClass"),
      ].map(({ name }) => name),
    ),
  };
}

/** By what the server may have refused an object since it knew no better yet: then it is asked again for a moment. */
export function refusedByFormer(
  failure: ApiFailure,
  { id, action }: Change,
  { kinds, rulesIn, classes }: JustWritten,
): "definition" | "rules" | undefined {
  if (kinds.has(`${id.group}/${id.kind}`) && isAboutDefinition(failure)) return "definition";
  if (rulesIn.has(id.namespace) && isByNamespaceRules(failure)) return "rules";
  // A quota counts what has just been deleted until its controller has looked.
  if (action === "replace" && isQuotaExceeded(failure)) return "rules";
  return classes.has(missingClass(failure)?.name ?? "") ? "rules" : undefined;
}

/** Of its kind, or of what is new in its definition. */
function isAboutDefinition(failure: ApiFailure): boolean {
  const isUnknown = failure.reason === "unknown-kind" || failure.reason === "not-found";
  return isUnknown || (failure.reason === "invalid" && !isDeniedByAdmission(failure));
}
