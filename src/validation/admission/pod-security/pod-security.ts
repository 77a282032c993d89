import { assumedVersion, type ServerVersion } from "../../../model/cluster/api/server-version.ts";
import { at, isObject, type Json, listAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import {
  baseline,
  disallowedCapabilities,
  isConfining,
  unconfinedSetters,
  unmaskedProc,
} from "./baseline.ts";
import {
  containersText,
  findForbiddenValues,
  hasUserNamespace,
  isWindowsPod,
  matchingContainers,
  type PodSecurityCheck,
  type PodSecurityViolation,
  plural,
  quoted,
  type SecuredPod,
  settersText,
  sortedUnique,
  toViolation,
} from "./pod.ts";

/**
 * Returns the API server's message for a Pod that the labels of its namespace don't allow.
 * Example: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`.
 * The API server knows the standards up to its own version, and the newest one applies if the
 * labels name none (NewEvaluator in k8s.io/pod-security-admission).
 * The objects don't show which Pods the cluster exempts.
 */
export function podSecurityRejection(
  pod: SecuredPod,
  namespace: KubeObject,
  server: ServerVersion = assumedVersion,
): string | undefined {
  const enforced = readEnforcedLevel(namespace, server);
  const { level, version, minor } = enforced;
  const violations = applicableChecks(enforced).flatMap(
    ({ violation }) => violation(pod, minor) ?? [],
  );
  if (violations.length === 0) return undefined;
  const details = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  return `violates PodSecurity "${level}:${version}": ${details}`;
}

interface EnforcedLevel {
  readonly level: string;
  readonly version: string;
  /** The minor version of the standard that applies. */
  readonly minor: number;
}

function readEnforcedLevel(namespace: KubeObject, server: ServerVersion): EnforcedLevel {
  const labels = at(namespace, "metadata", "labels");
  const label = (name: string) => textAt(labels, `pod-security.kubernetes.io/${name}`);
  const version = label("enforce-version") ?? "latest";
  const minor = Math.min(minorVersion(version), server.minor);
  return { level: label("enforce") ?? "privileged", version, minor };
}

/** Returns the minor version: 24 for `v1.24`, infinity for `latest`. */
function minorVersion(version: string): number {
  const [, minor] = /^v1\.(\d+)$/.exec(version) ?? [];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}

function applicableChecks({ level, minor }: EnforcedLevel): readonly PodSecurityCheck[] {
  const isKnown = ({ since }: PodSecurityCheck) => since <= minor;
  const usual = Object.values(baseline).filter(isKnown);
  if (level === "baseline") return usual;
  if (level !== "restricted") return [];
  const strict = restricted.filter(isKnown);
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  return [...usual.filter((check) => !replaced.has(check)), ...strict];
}

/**
 * The requirements of the restricted level, in addition to the baseline.
 * They are in the order in which the API server reports them.
 */
const restricted: readonly PodSecurityCheck[] = [
  { since: 8, violation: exceptOnWindows(privilegeEscalation) },
  { since: 22, violation: exceptOnWindows(capabilities), replaces: baseline.capabilities },
  { since: 35, violation: unmaskedProc, replaces: baseline.procMount },
  { since: 0, violation: volumeTypes, replaces: baseline.hostPathVolumes },
  { since: 0, violation: exceptInUserNamespace(mayRunAsRoot) },
  { since: 23, violation: exceptInUserNamespace(runsAsRoot) },
  { since: 19, violation: exceptOnWindows(seccomp), replaces: baseline.seccompProfile },
];

type PodCheck = (pod: SecuredPod) => PodSecurityViolation | undefined;

function exceptOnWindows(check: PodCheck): PodSecurityCheck["violation"] {
  return (pod, minor) => (minor >= 25 && isWindowsPod(pod) ? undefined : check(pod));
}

function exceptInUserNamespace(check: PodCheck): PodSecurityCheck["violation"] {
  return (pod, minor) => (minor >= 35 && hasUserNamespace(pod) ? undefined : check(pod));
}

function privilegeEscalation(pod: SecuredPod): PodSecurityViolation | undefined {
  const names = matchingContainers(
    pod,
    (container) => at(container, "securityContext", "allowPrivilegeEscalation") !== false,
  );
  return toViolation(
    "allowPrivilegeEscalation != false",
    names.length === 0
      ? undefined
      : `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  );
}

function capabilities(pod: SecuredPod): PodSecurityViolation | undefined {
  const keeping = matchingContainers(
    pod,
    (container) => !listAt(container, "securityContext", "capabilities", "drop").includes("ALL"),
  );
  const missing =
    keeping.length === 0
      ? []
      : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`];
  const added = disallowedCapabilities(pod, (name) => name === "NET_BIND_SERVICE");
  const details = [...missing, ...(added === undefined ? [] : [added])];
  return toViolation(
    "unrestricted capabilities",
    details.length === 0 ? undefined : details.join("; "),
  );
}

const allowedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"],
  ...["persistentVolumeClaim", "projected", "secret"],
];

function volumeTypes({ spec }: SecuredPod): PodSecurityViolation | undefined {
  const bad = listAt(spec, "volumes").filter(
    (volume) => !isSourceless(volume) && !allowedVolumes.some((type) => isObject(at(volume, type))),
  );
  const names = bad.map((volume) => textAt(volume, "name") ?? "");
  const types = sortedUnique(bad.map(volumeType));
  const verb = names.length === 1 ? "uses" : "use";
  return toViolation(
    "restricted volume types",
    names.length === 0
      ? undefined
      : `${plural("volume", names.length)} ${quoted(names)} ${verb} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
  );
}

/** Reports whether a volume has no source; the API server makes it an `emptyDir`. */
function isSourceless(volume: Json): boolean {
  return isObject(volume) && Object.keys(volume).every((field) => field === "name");
}

function volumeType(volume: Json): string {
  const fields = isObject(volume) ? Object.entries(volume) : [];
  return fields.find(([name, value]) => name !== "name" && isObject(value))?.[0] ?? "unknown";
}

function mayRunAsRoot(pod: SecuredPod): PodSecurityViolation | undefined {
  const reason = "runAsNonRoot != true";
  const violators = settersText(
    findForbiddenValues(pod, ["runAsNonRoot"], (value) => value === false),
  );
  if (violators !== undefined) {
    return { reason, detail: `${violators} must not set securityContext.runAsNonRoot=false` };
  }
  if (at(pod.spec, "securityContext", "runAsNonRoot") === true) return undefined;
  const unset = matchingContainers(
    pod,
    (each) => at(each, "securityContext", "runAsNonRoot") !== true,
  );
  return toViolation(
    reason,
    unset.length === 0
      ? undefined
      : `pod or ${containersText(unset)} must set securityContext.runAsNonRoot=true`,
  );
}

function runsAsRoot(pod: SecuredPod): PodSecurityViolation | undefined {
  const setters = settersText(findForbiddenValues(pod, ["runAsUser"], (value) => value === 0));
  return toViolation("runAsUser=0", setters && `${setters} must not set runAsUser=0`);
}

function seccomp(pod: SecuredPod): PodSecurityViolation | undefined {
  const reason = "seccompProfile";
  const violators = unconfinedSetters(pod);
  if (violators !== undefined) return { reason, detail: violators };
  if (isConfining(at(pod.spec, "securityContext", "seccompProfile"))) return undefined;
  const unset = matchingContainers(
    pod,
    (each) => !isConfining(at(each, "securityContext", "seccompProfile")),
  );
  return toViolation(
    reason,
    unset.length === 0
      ? undefined
      : `pod or ${containersText(unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  );
}
