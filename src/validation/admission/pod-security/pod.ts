import { at, type Json, type JsonObject, listAt, textAt } from "../../../model/json.ts";

/** The parts of a Pod that the standards examine. */
export interface SecuredPod {
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
}

/** The places that set or lack a value: the Pod for all its containers, or single containers. */
export interface Setters {
  readonly pod: boolean;
  readonly containers: readonly string[];
}

/** Lists all containers in the order in which the API server names them. */
export function allContainers(spec: JsonObject): readonly Json[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list),
  );
}

/** Lists the names of the containers that meet the condition. */
export function matchingContainers(
  { spec }: SecuredPod,
  matches: (container: Json) => boolean,
): readonly string[] {
  return allContainers(spec)
    .filter(matches)
    .map((container) => textAt(container, "name") ?? "");
}

/** Finds the security contexts that set a field to a forbidden value. */
export function findForbiddenValues(
  pod: SecuredPod,
  field: readonly string[],
  isForbidden: (value: Json) => boolean,
): Setters & { readonly values: readonly Json[] } {
  const contextValue = (holder: Json) => at(holder, "securityContext", ...field);
  const hasForbidden = (holder: Json) => {
    const value = contextValue(holder);
    return value !== undefined && value !== null && isForbidden(value);
  };
  const holders = [pod.spec, ...allContainers(pod.spec)].filter(hasForbidden);
  return {
    pod: hasForbidden(pod.spec),
    containers: matchingContainers(pod, hasForbidden),
    values: holders.flatMap((holder) => contextValue(holder) ?? []),
  };
}

/** Formats the setters; returns undefined if there are none. */
export function settersText({ pod, containers }: Setters): string | undefined {
  const named = containers.length === 0 ? [] : [containersText(containers)];
  const all = [...(pod ? ["pod"] : []), ...named];
  return all.length === 0 ? undefined : all.join(" and ");
}

export function containersText(names: readonly string[]): string {
  return `${plural("container", names.length)} ${quoted(names)}`;
}

/** Removes duplicates and sorts alphabetically. */
export function sortedUnique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(", ");
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/**
 * Reports whether the Pod has its own user namespace, where requirements about users don't apply.
 */
export function hasUserNamespace({ spec }: SecuredPod): boolean {
  return at(spec, "hostUsers") === false;
}

/** Reports whether the Pod runs on Windows, where Linux-only requirements don't apply. */
export function isWindowsPod({ spec }: SecuredPod): boolean {
  return textAt(spec, "os", "name") === "windows";
}

/**
 * A requirement of the Pod Security Standards
 * (kubernetes.io/docs/concepts/security/pod-security-standards/).
 */
export interface PodSecurityCheck {
  /** The first Kubernetes minor version whose standard contains the requirement. */
  readonly since: number;
  /** The weaker requirement that this one replaces. */
  readonly replaces?: PodSecurityCheck;
  /**
   * Returns how a Pod violates the requirement, in the API server's words; undefined if it doesn't.
   */
  readonly violation: (pod: SecuredPod, minor: number) => PodSecurityViolation | undefined;
}

export interface PodSecurityViolation {
  readonly reason: string;
  readonly detail: string;
}

/** Combines a reason with its detail; returns undefined without a detail. */
export function toViolation(
  reason: string,
  detail: string | undefined,
): PodSecurityViolation | undefined {
  return detail === undefined ? undefined : { reason, detail };
}
