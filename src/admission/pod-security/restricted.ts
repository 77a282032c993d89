import { at, isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { addedBeyond, baseline, confines, unconfinedBy, unmaskedProc } from "./baseline.ts";
import { type Check, type Violation, violationOf } from "./check.ts";
import {
  containersText,
  containersThat,
  hasUserNamespace,
  isForWindows,
  plural,
  quoted,
  type SecuredPod,
  setIn,
  settersText,
  sorted,
} from "./pod.ts";

/**
 * The requirements of the restricted level, in addition to the baseline.
 * They are in the order in which the API server reports them.
 */
export const restricted: readonly Check[] = [
  { since: 8, violation: unlessForWindows(privilegeEscalation) },
  { since: 22, violation: unlessForWindows(capabilities), replaces: baseline.capabilities },
  { since: 35, violation: unmaskedProc, replaces: baseline.procMount },
  { since: 0, violation: volumeTypes, replaces: baseline.hostPathVolumes },
  { since: 0, violation: unlessInUserNamespace(mayRunAsRoot) },
  { since: 23, violation: unlessInUserNamespace(runsAsRoot) },
  { since: 19, violation: unlessForWindows(seccomp), replaces: baseline.seccompProfile },
];

type Look = (pod: SecuredPod) => Violation | undefined;

function unlessForWindows(look: Look): Check["violation"] {
  return (pod, minor) => (minor >= 25 && isForWindows(pod) ? undefined : look(pod));
}

function unlessInUserNamespace(look: Look): Check["violation"] {
  return (pod, minor) => (minor >= 35 && hasUserNamespace(pod) ? undefined : look(pod));
}

function privilegeEscalation(pod: SecuredPod): Violation | undefined {
  const names = containersThat(
    pod,
    (container) => at(container, "securityContext", "allowPrivilegeEscalation") !== false,
  );
  return violationOf(
    "allowPrivilegeEscalation != false",
    names.length === 0
      ? undefined
      : `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  );
}

function capabilities(pod: SecuredPod): Violation | undefined {
  const keeping = containersThat(
    pod,
    (container) => !listAt(container, "securityContext", "capabilities", "drop").includes("ALL"),
  );
  const missing =
    keeping.length === 0
      ? []
      : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`];
  const added = addedBeyond(pod, (name) => name === "NET_BIND_SERVICE");
  const details = [...missing, ...(added === undefined ? [] : [added])];
  return violationOf(
    "unrestricted capabilities",
    details.length === 0 ? undefined : details.join("; "),
  );
}

const allowedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"],
  ...["persistentVolumeClaim", "projected", "secret"],
];

function volumeTypes({ spec }: SecuredPod): Violation | undefined {
  const bad = listAt(spec, "volumes").filter(
    (volume) => !isSourceless(volume) && !allowedVolumes.some((type) => isObject(at(volume, type))),
  );
  const names = bad.map((volume) => textAt(volume, "name") ?? "");
  const types = sorted(bad.map(typeOf));
  const verb = names.length === 1 ? "uses" : "use";
  return violationOf(
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

function typeOf(volume: Json): string {
  const fields = isObject(volume) ? Object.entries(volume) : [];
  return fields.find(([name, value]) => name !== "name" && isObject(value))?.[0] ?? "unknown";
}

function mayRunAsRoot(pod: SecuredPod): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const asking = settersText(setIn(pod, ["runAsNonRoot"], (value) => value === false));
  if (asking !== undefined) {
    return { reason, detail: `${asking} must not set securityContext.runAsNonRoot=false` };
  }
  if (at(pod.spec, "securityContext", "runAsNonRoot") === true) return undefined;
  const silent = containersThat(
    pod,
    (each) => at(each, "securityContext", "runAsNonRoot") !== true,
  );
  return violationOf(
    reason,
    silent.length === 0
      ? undefined
      : `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true`,
  );
}

function runsAsRoot(pod: SecuredPod): Violation | undefined {
  const who = settersText(setIn(pod, ["runAsUser"], (value) => value === 0));
  return violationOf("runAsUser=0", who && `${who} must not set runAsUser=0`);
}

function seccomp(pod: SecuredPod): Violation | undefined {
  const reason = "seccompProfile";
  const asking = unconfinedBy(pod);
  if (asking !== undefined) return { reason, detail: asking };
  if (confines(at(pod.spec, "securityContext", "seccompProfile"))) return undefined;
  const silent = containersThat(
    pod,
    (each) => !confines(at(each, "securityContext", "seccompProfile")),
  );
  return violationOf(
    reason,
    silent.length === 0
      ? undefined
      : `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  );
}
