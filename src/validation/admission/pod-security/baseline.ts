import { at, isObject, type Json, listAt, numberAt, textAt } from "../../../model/json.ts";
import {
  allContainers,
  containersText,
  findForbiddenValues,
  hasUserNamespace,
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
 * The requirements of the baseline level, which forbid known ways to break out of a Pod.
 * They are in the order in which the API server reports them.
 */
export const baseline = {
  appArmorProfile: { since: 0, violation: appArmor },
  capabilities: { since: 0, violation: addedCapabilities },
  hostNamespaces: { since: 0, violation: hostNamespaces },
  hostPathVolumes: { since: 0, violation: hostPaths },
  hostPorts: { since: 0, violation: hostPorts },
  hostProbes: { since: 34, violation: probedHosts },
  privileged: { since: 0, violation: privileged },
  procMount: {
    since: 0,
    violation: (pod, minor) =>
      minor >= 35 && hasUserNamespace(pod) ? undefined : unmaskedProc(pod),
  },
  seLinuxOptions: { since: 0, violation: seLinux },
  seccompProfile: { since: 19, violation: unconfinedSeccomp },
  sysctls: { since: 0, violation: forbiddenSysctls },
  windowsHostProcess: { since: 0, violation: hostProcess },
} satisfies Readonly<Record<string, PodSecurityCheck>>;

const profileAnnotation = "container.apparmor.security.beta.kubernetes.io/";

function appArmor(pod: SecuredPod): PodSecurityViolation | undefined {
  const isBad = (type: Json) => type !== "RuntimeDefault" && type !== "Localhost";
  const inFields = findForbiddenValues(pod, ["appArmorProfile", "type"], isBad);
  const inAnnotations = Object.entries(pod.annotations)
    .filter(([name, value]) => name.startsWith(profileAnnotation) && !isAllowedProfile(value))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .toSorted();
  const setters = [
    settersText(inFields) ?? [],
    inAnnotations.length === 0 ? [] : plural("annotation", inAnnotations.length),
  ].flat();
  const values = [...sortedUnique(onlyStrings(inFields.values)), ...inAnnotations];
  return toViolation(
    `forbidden AppArmor ${plural("profile", values.length)}`,
    setters.length === 0
      ? undefined
      : `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  );
}

function isAllowedProfile(value: Json): boolean {
  return (
    typeof value !== "string" ||
    /^(|runtime\/default)$/.test(value) ||
    value.startsWith("localhost/")
  );
}

const usualCapabilities: ReadonlySet<Json> = new Set([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]);

function addedCapabilities(pod: SecuredPod): PodSecurityViolation | undefined {
  return toViolation(
    "non-default capabilities",
    disallowedCapabilities(pod, (name) => usualCapabilities.has(name)),
  );
}

/** Names the containers that add capabilities other than the allowed ones. */
export function disallowedCapabilities(
  pod: SecuredPod,
  isAllowed: (capability: Json) => boolean,
): string | undefined {
  const added = (container: Json) =>
    listAt(container, "securityContext", "capabilities", "add").filter((each) => !isAllowed(each));
  const adding = matchingContainers(pod, (container) => added(container).length > 0);
  const names = sortedUnique(onlyStrings(allContainers(pod.spec).flatMap(added)));
  return adding.length === 0
    ? undefined
    : `${containersText(adding)} must not include ${quoted(names)} in securityContext.capabilities.add`;
}

function hostNamespaces({ spec }: SecuredPod): PodSecurityViolation | undefined {
  const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => at(spec, name) === true);
  return toViolation(
    "host namespaces",
    shared.length === 0 ? undefined : shared.map((name) => `${name}=true`).join(", "),
  );
}

function hostPaths({ spec }: SecuredPod): PodSecurityViolation | undefined {
  const names = listAt(spec, "volumes")
    .filter((volume) => isObject(at(volume, "hostPath")))
    .map((volume) => textAt(volume, "name") ?? "");
  return toViolation(
    "hostPath volumes",
    names.length === 0 ? undefined : `${plural("volume", names.length)} ${quoted(names)}`,
  );
}

function hostPorts(pod: SecuredPod): PodSecurityViolation | undefined {
  const containerPorts = (container: Json) =>
    listAt(container, "ports").flatMap((port) => numberAt(port, "hostPort") || []);
  const using = matchingContainers(pod, (container) => containerPorts(container).length > 0);
  const ports = sortedUnique(
    allContainers(pod.spec).flatMap((each) => containerPorts(each).map(String)),
  );
  return toViolation("hostPort", usesText(using, "hostPort", ports.length, ports.join(", ")));
}

function probedHosts(pod: SecuredPod): PodSecurityViolation | undefined {
  const using = matchingContainers(pod, (container) => handlerHosts(container).length > 0);
  const hosts = sortedUnique(allContainers(pod.spec).flatMap(handlerHosts));
  const what = "probe or lifecycle host";
  return toViolation(what, usesText(sortedUnique(using), what, hosts.length, quoted(hosts)));
}

const handlers: readonly (readonly string[])[] = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

function handlerHosts(container: Json): readonly string[] {
  return handlers.flatMap((handler) =>
    ["httpGet", "tcpSocket"].flatMap(
      (action) => textAt(container, ...handler, action, "host") || [],
    ),
  );
}

function usesText(
  containers: readonly string[],
  what: string,
  count: number,
  names: string,
): string | undefined {
  if (containers.length === 0) return undefined;
  const verb = containers.length === 1 ? "uses" : "use";
  return `${containersText(containers)} ${verb} ${plural(what, count)} ${names}`;
}

function privileged(pod: SecuredPod): PodSecurityViolation | undefined {
  const names = matchingContainers(
    pod,
    (each) => at(each, "securityContext", "privileged") === true,
  );
  return toViolation(
    "privileged",
    names.length === 0
      ? undefined
      : `${containersText(names)} must not set securityContext.privileged=true`,
  );
}

export function unmaskedProc(pod: SecuredPod): PodSecurityViolation | undefined {
  const isUnmasked = (type: Json) => type !== "Default";
  const { containers, values } = findForbiddenValues(pod, ["procMount"], isUnmasked);
  return toViolation(
    "procMount",
    containers.length === 0
      ? undefined
      : `${containersText(containers)} must not set securityContext.procMount to ${quoted(sortedUnique(onlyStrings(values)))}`,
  );
}

const seLinuxTypes: ReadonlySet<string> = new Set([
  ...["", "container_t", "container_init_t", "container_kvm_t"],
]);

function seLinux(pod: SecuredPod, minor: number): PodSecurityViolation | undefined {
  const isBadType = (type: string) =>
    !(seLinuxTypes.has(type) || (minor >= 31 && type === "container_engine_t"));
  const sets = (options: Json, name: string) => (textAt(options, name) ?? "") !== "";
  const { values, ...setters } = findForbiddenValues(
    pod,
    ["seLinuxOptions"],
    (options) =>
      isBadType(textAt(options, "type") ?? "") || sets(options, "user") || sets(options, "role"),
  );
  const types = sortedUnique(values.map((each) => textAt(each, "type") ?? "").filter(isBadType));
  const bad = [
    ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quoted(types)}`]),
    ...["user", "role"]
      .filter((name) => values.some((options) => sets(options, name)))
      .map((name) => `${name} may not be set`),
  ];
  const who = settersText(setters);
  return toViolation(
    "seLinuxOptions",
    who === undefined
      ? undefined
      : `${who} set forbidden securityContext.seLinuxOptions: ${bad.join("; ")}`,
  );
}

function unconfinedSeccomp(pod: SecuredPod): PodSecurityViolation | undefined {
  return toViolation("seccompProfile", unconfinedSetters(pod));
}

/** Names the Pod and containers that set a seccomp profile without confinement. */
export function unconfinedSetters(pod: SecuredPod): string | undefined {
  const found = findForbiddenValues(pod, ["seccompProfile"], (profile) => !isConfining(profile));
  const who = settersText(found);
  const types = found.values.map((profile) => textAt(profile, "type") ?? "");
  return who === undefined
    ? undefined
    : `${who} must not set securityContext.seccompProfile.type to ${quoted(sortedUnique(types))}`;
}

export function isConfining(profile: Json | undefined): boolean {
  return ["RuntimeDefault", "Localhost"].includes(textAt(profile, "type") ?? "");
}

/** The allowed sysctls, each with the first Kubernetes minor version that allows it. */
const sysctls: ReadonlyMap<string, number> = new Map([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
  ["net.ipv4.tcp_slow_start_after_idle", 37],
  ["net.ipv4.tcp_notsent_lowat", 37],
]);

function forbiddenSysctls({ spec }: SecuredPod, minor: number): PodSecurityViolation | undefined {
  const isAllowed = (name: string) => {
    const since = sysctls.get(name);
    return since !== undefined && since <= minor;
  };
  const forbidden = listAt(spec, "securityContext", "sysctls")
    .map((each) => textAt(each, "name") ?? "")
    .filter((name) => !isAllowed(name));
  return toViolation(
    "forbidden sysctls",
    forbidden.length === 0 ? undefined : forbidden.join(", "),
  );
}

function hostProcess(pod: SecuredPod): PodSecurityViolation | undefined {
  const who = settersText(
    findForbiddenValues(pod, ["windowsOptions", "hostProcess"], (value) => value === true),
  );
  return toViolation(
    "hostProcess",
    who && `${who} must not set securityContext.windowsOptions.hostProcess=true`,
  );
}

function onlyStrings(values: readonly Json[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
