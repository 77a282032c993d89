import { at, isObject, type Json, listAt, textAt } from "../../../model/json.ts";
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
 * The requirements of the restricted level, in addition to the baseline.
 * They are in the order in which the API server reports them.
 */
export const restricted: readonly PodSecurityCheck[] = [
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
