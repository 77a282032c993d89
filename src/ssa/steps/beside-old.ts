import type { Answer, ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  excessesOf,
  isQuotaExceeded,
  refusingQuota,
} from "../../model/cluster/api-words/namespace-rules.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import {
  at,
  isObject,
  type Json,
  listAt,
  numberAt,
  sameJson,
  textAt,
  withoutField,
} from "../../model/json.ts";
import { groupOf, idOf, type KubeObject } from "../../model/object.ts";
import { type DryRunRequest, refusalIn } from "./step.ts";

/*
 * An object that is made again is first tried by a dry-run under another name, while the old one is there. What only the old one stands in
 * the way of, and gives back when it is deleted, says nothing against the new one.
 */

/** Short enough that every kind of name can be made longer by our ending. */
const keptLength = 40;

/** The object as if there were none of its name, for a dry-run that shows what the server would make of it. */
export function withTemporaryName(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  // A part of a name may not begin with our hyphen, and half a character can't be sent.
  const kept = [...idOf(object).name]
    .slice(0, keptLength)
    .join("")
    .replace(/[.-]+$/, "");
  return { ...object, metadata: { ...metadata, name: `${kept}-qvs-preview` } };
}

/** The same, without what the old one holds and only one object may have. */
export function besideOld(object: KubeObject, live: KubeObject): KubeObject {
  return withoutHeld(withTemporaryName(object), live);
}

function withoutHeld(object: KubeObject, live: KubeObject): KubeObject {
  if (isService(object)) {
    return withoutHeldPorts(withoutHealthPort(withoutHeldAddress(object, live), live), live);
  }
  return isDefaultPriority(object) && isDefaultPriority(live)
    ? { ...object, globalDefault: false }
    : object;
}

/**
 * Asks about an object that was refused under another name, which rules of definitions and policies may be about. The server looks at all of
 * an object before it answers that there is one of its name, so that answer says that nothing is wrong with it.
 */
export function byItsName(object: KubeObject, live: KubeObject): DryRunRequest {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { verb: "create", object: withoutHeld({ ...object, metadata }, live) };
}

export function isTakenByItsName(answers: readonly Answer<KubeObject>[]): boolean {
  return refusalIn(answers)?.reason === "already-exists";
}

/** Why nobody knows more of an object that only its own name is right for. */
export const onlyByItsName =
  "the server takes it under its own name only, so what becomes of it is not known";

/** The answer to that, with what was left out of it. */
export function withHeld(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  if (isService(object)) {
    return withPorts(withHealthPort(withAddress(made, object, live), object, live), object, live);
  }
  return isDefaultPriority(object) && isDefaultPriority(live)
    ? { ...made, globalDefault: true }
    : made;
}

function isService({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "" && kind === "Service";
}

/** A cluster has one, which new Pods get. */
function isDefaultPriority({ apiVersion, kind, globalDefault }: KubeObject): boolean {
  const isClass = groupOf(apiVersion) === "scheduling.k8s.io" && kind === "PriorityClass";
  return isClass && globalDefault === true;
}

/** Only where the old one proves that the address goes with the families that are declared: of those the server would say nothing then. */
function holdsAddress(object: KubeObject, live: KubeObject): boolean {
  const declared = addressesOf(object);
  const isAsBefore = ["ipFamilies", "ipFamilyPolicy"].every((field) => {
    const value = at(object, "spec", field);
    return value === undefined || sameJson(value, at(live, "spec", field));
  });
  const held = addressesOf(live);
  const isTold = declared.length === 1 || at(object, "spec", "ipFamilyPolicy") !== undefined;
  return (
    isAsBefore &&
    isTold &&
    textAt(object, "spec", "type") !== "ExternalName" &&
    declared.length > 0 &&
    declared.every((address) => /[.:]/.test(address)) &&
    held.length > 0 &&
    sameJson(declared, held.slice(0, declared.length))
  );
}

function addressesOf(service: KubeObject): readonly string[] {
  const [first, ...others] = listAt(service, "spec", "clusterIPs").map(String);
  const own = textAt(service, "spec", "clusterIP") ?? first;
  // Two that contradict each other are refused, as they should be.
  return own === undefined || own === "" || (first !== undefined && first !== own)
    ? []
    : [own, ...others];
}

function withoutHeldAddress(trial: KubeObject, live: KubeObject): KubeObject {
  const { spec } = trial;
  if (!isObject(spec) || !holdsAddress(trial, live)) return trial;
  const { clusterIP: _ip, clusterIPs: _ips, ...rest } = spec;
  return { ...trial, spec: rest };
}

function withAddress(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const { spec } = made;
  if (!isObject(spec) || !holdsAddress(object, live)) return made;
  const held = listAt(live, "spec", "clusterIPs");
  const clusterIPs = listAt(spec, "clusterIPs").map((made, index) => held[index] ?? made);
  return { ...made, spec: { ...spec, clusterIP: held[0] ?? null, clusterIPs } };
}

/** Of a load balancer that keeps the addresses of callers, as the server demands it of whoever names one. */
function holdsHealthPort({ spec }: KubeObject, live: KubeObject): boolean {
  const port = numberAt(spec, "healthCheckNodePort");
  const mayHave =
    textAt(spec, "type") === "LoadBalancer" && textAt(spec, "externalTrafficPolicy") === "Local";
  return mayHave && port !== undefined && port === numberAt(live, "spec", "healthCheckNodePort");
}

function withoutHealthPort(trial: KubeObject, live: KubeObject): KubeObject {
  const { spec } = trial;
  if (!isObject(spec) || !holdsHealthPort(trial, live)) return trial;
  return { ...trial, spec: withoutField(spec, "healthCheckNodePort") };
}

function withHealthPort(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const { spec } = made;
  const port = numberAt(object, "spec", "healthCheckNodePort");
  if (!isObject(spec) || port === undefined || !holdsHealthPort(object, live)) return made;
  return { ...made, spec: { ...spec, healthCheckNodePort: port } };
}

/** Where each port of a Service may have one on the nodes. */
const onNodes: ReadonlySet<string> = new Set(["NodePort", "LoadBalancer"]);

/** The node ports of the new one that the old one holds, by the place of the port: each once, since two may not have the same. */
function heldPorts(object: KubeObject, live: KubeObject): ReadonlyMap<number, number> {
  if (!onNodes.has(textAt(object, "spec", "type") ?? "")) return new Map();
  const held = new Set(listAt(live, "spec", "ports").map((port) => numberAt(port, "nodePort")));
  const seen = new Set<string>();
  const found = new Map<number, number>();
  for (const [index, port] of listAt(object, "spec", "ports").entries()) {
    const number = numberAt(port, "nodePort");
    const use = `${textAt(port, "protocol") ?? "TCP"} ${number}`;
    if (number !== undefined && number !== 0 && held.has(number) && !seen.has(use)) {
      found.set(index, number);
    }
    seen.add(use);
  }
  return found;
}

function withoutHeldPorts(trial: KubeObject, live: KubeObject): KubeObject {
  const held = heldPorts(trial, live);
  return mapPorts(trial, (port, index) => {
    const { nodePort: _port, ...rest } = port;
    return held.has(index) ? rest : port;
  });
}

function withPorts(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const held = heldPorts(object, live);
  return mapPorts(made, (port, index) => {
    const nodePort = held.get(index);
    return nodePort === undefined ? port : { ...port, nodePort };
  });
}

function mapPorts(
  service: KubeObject,
  change: (port: { readonly [field: string]: Json }, index: number) => Json,
): KubeObject {
  const { spec } = service;
  if (!isObject(spec) || spec["ports"] === undefined) return service;
  const ports = listAt(spec, "ports").map((port, index) =>
    isObject(port) ? change(port, index) : port,
  );
  return { ...service, spec: { ...spec, ports } };
}

/**
 * Why a refusal of the new object is none once the old one is deleted; undefined where that is not certain. The quota is the last that a
 * server asks, so nothing else is wrong, and whoever asks for no more than the old one had exceeds no other quota either.
 */
export function whyFreed(
  failure: ApiFailure,
  object: KubeObject,
  live: KubeObject,
): string | undefined {
  const excesses = isQuotaExceeded(failure) ? excessesOf(failure) : [];
  if (excesses.length === 0 || !countsNoMore(object, live)) return undefined;
  const isFreed = excesses.every(({ used, limited }) => {
    const [now, most] = [used, limited].map(quantityOf);
    // What it asks for the old one gives back; a quota that was lowered may lack even that.
    return now !== undefined && most !== undefined && now <= most;
  });
  if (!isFreed) return undefined;
  return `ResourceQuota ${refusingQuota(failure)} has no room for it beside the old one, which is deleted first`;
}

/** Whether a quota counts no more for the new one than for the old one, whatever it counts. */
function countsNoMore(object: KubeObject, live: KubeObject): boolean {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return portsOnNodes(object) <= heldOnNodes(live) && balancers(object) <= balancers(live);
    case "/Pod":
      return runs(live) && countedOfPod.every((part) => sameJson(part(object), part(live)));
    case "/PersistentVolumeClaim":
      return false;
    default:
      return true;
  }
}

/** As many as it may get, and as many as it has for certain. */
function portsOnNodes(service: KubeObject): number {
  const type = textAt(service, "spec", "type") ?? "";
  return onNodes.has(type) ? listAt(service, "spec", "ports").length : 0;
}

function heldOnNodes(live: KubeObject): number {
  const ports = listAt(live, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return ports.filter((port) => port !== 0).length;
}

function balancers(service: KubeObject): number {
  return Number(textAt(service, "spec", "type") === "LoadBalancer");
}

/** One that has ended counts for nothing any more. */
function runs(pod: KubeObject): boolean {
  const isEnded = ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
  return !isEnded && textAt(pod, "metadata", "deletionTimestamp") === undefined;
}

/** How much a Pod counts, and for which quotas. */
const countedOfPod: readonly ((pod: KubeObject) => Json)[] = [
  ...["resources", "overhead", "activeDeadlineSeconds", "priorityClassName", "affinity"].map(
    (field) => (pod: KubeObject) => at(pod, "spec", field) ?? null,
  ),
  ...["containers", "initContainers"].map(
    (field) => (pod: KubeObject) =>
      listAt(pod, "spec", field).map((container) => ({
        resources: at(container, "resources") ?? {},
        restartPolicy: at(container, "restartPolicy") ?? null,
      })),
  ),
  // Claims that are made for it alone count as well.
  (pod) => listAt(pod, "spec", "volumes").flatMap((volume) => at(volume, "ephemeral") ?? []),
];
