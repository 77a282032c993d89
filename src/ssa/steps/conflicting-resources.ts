import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { hasNodePorts, needsHealthCheckPort } from "../../model/cluster/service-types.ts";
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
import { isCoreKind, kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { type DryRunRequest, lastRejection } from "./step.ts";

/*
 * qvs first tests an object that it will recreate with a dry run under another name, while the old
 * object exists.
 * A conflict that only the old object causes, and that its deletion resolves, isn't an error.
 */

/** A short limit, so that the suffix fits into the name of every kind. */
const maxNameLength = 40;

/**
 * Returns the object under a temporary name, for a dry run that doesn't collide with the old
 * object.
 */
export function withTemporaryName(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  // A name part can't start with the suffix's hyphen, and half a character can't be sent.
  const kept = [...idOf(object).name]
    .slice(0, maxNameLength)
    .join("")
    .replace(/(?<![.-])[.-]+$/, "");
  return { ...object, metadata: { ...metadata, name: `${kept}-qvs-preview` } };
}

/**
 * Returns the object under a temporary name without the exclusive values that the old object has.
 */
export function trialObject(object: KubeObject, live: KubeObject): KubeObject {
  return withoutConflictingResources(withTemporaryName(object), live);
}

/**
 * Returns a request for an object that the API server rejected under another name.
 * Rules of CustomResourceDefinitions and policies can depend on the name.
 * The API server checks the whole object before it answers that the name exists. That answer
 * therefore means that the object is valid (tested). It contains no object, so qvs sends this
 * request second.
 */
export function ownNameRequest(object: KubeObject, live: KubeObject): DryRunRequest {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { verb: "create", object: withoutConflictingResources({ ...object, metadata }, live) };
}

export function isNameTaken(answers: readonly ApiResult<KubeObject>[]): boolean {
  return lastRejection(answers)?.reason === "already-exists";
}

/** The reason why the result is unknown for an object that is valid only under its own name. */
export const validOnlyUnderOwnName =
  "the API server accepts it only under its own name, so no dry run shows the result";

/** Removes the exclusive values that the old object has. */
function withoutConflictingResources(object: KubeObject, live: KubeObject): KubeObject {
  if (isService(object)) {
    return withoutNodePorts(withoutHealthPort(withoutAddresses(object, live), live), live);
  }
  return isDefaultPriority(object) && isDefaultPriority(live)
    ? { ...object, globalDefault: false }
    : object;
}

/** Adds the removed values to the API server's answer. */
export function restoreConflictingResources(
  made: KubeObject,
  object: KubeObject,
  live: KubeObject,
): KubeObject {
  if (isService(object)) {
    return restoreNodePorts(
      restoreHealthPort(restoreAddresses(made, object, live), object, live),
      object,
      live,
    );
  }
  return isDefaultPriority(object) && isDefaultPriority(live)
    ? { ...made, globalDefault: true }
    : made;
}

function isService(object: KubeObject): boolean {
  return isCoreKind(idOf(object), "Service");
}

/** Reports whether the object is the default PriorityClass, of which a cluster has one. */
function isDefaultPriority(object: KubeObject): boolean {
  const isClass = kindKey(idOf(object)) === "scheduling.k8s.io/PriorityClass";
  return isClass && object["globalDefault"] === true;
}

/**
 * Reports whether the old Service has the declared addresses.
 * It counts only if the old Service proves that they fit the declared IP families. Without
 * addresses, the API server doesn't check that.
 */
function hasSameAddresses(object: KubeObject, live: KubeObject): boolean {
  const declared = clusterAddresses(object);
  const isSameFamily = ["ipFamilies", "ipFamilyPolicy"].every((field) => {
    const value = at(object, "spec", field);
    return value === undefined || sameJson(value, at(live, "spec", field));
  });
  const held = clusterAddresses(live);
  const isFamilyKnown = declared.length === 1 || at(object, "spec", "ipFamilyPolicy") !== undefined;
  return (
    isSameFamily &&
    isFamilyKnown &&
    textAt(object, "spec", "type") !== "ExternalName" &&
    declared.length > 0 &&
    declared.every((address) => /[.:]/.test(address)) &&
    held.length > 0 &&
    sameJson(declared, held.slice(0, declared.length))
  );
}

function clusterAddresses(service: KubeObject): readonly string[] {
  const [first, ...others] = listAt(service, "spec", "clusterIPs").map(String);
  const own = textAt(service, "spec", "clusterIP") ?? first;
  // The API server rejects two contradicting addresses, as it should.
  return own === undefined || own === "" || (first !== undefined && first !== own)
    ? []
    : [own, ...others];
}

function withoutAddresses(trial: KubeObject, live: KubeObject): KubeObject {
  const { spec } = trial;
  if (!isObject(spec) || !hasSameAddresses(trial, live)) return trial;
  const { clusterIP: _ip, clusterIPs: _ips, ...rest } = spec;
  return { ...trial, spec: rest };
}

function restoreAddresses(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const { spec } = made;
  if (!isObject(spec) || !hasSameAddresses(object, live)) return made;
  const held = listAt(live, "spec", "clusterIPs");
  const clusterIPs = listAt(spec, "clusterIPs").map((made, index) => held[index] ?? made);
  return { ...made, spec: { ...spec, clusterIP: held[0] ?? null, clusterIPs } };
}

/**
 * Reports whether the old Service has the declared health check port.
 * The API server allows that port only for a load balancer that preserves client addresses.
 */
function hasSameHealthPort(service: KubeObject, live: KubeObject): boolean {
  const port = numberAt(service, "spec", "healthCheckNodePort");
  return (
    needsHealthCheckPort(service) &&
    port !== undefined &&
    port === numberAt(live, "spec", "healthCheckNodePort")
  );
}

function withoutHealthPort(trial: KubeObject, live: KubeObject): KubeObject {
  const { spec } = trial;
  if (!isObject(spec) || !hasSameHealthPort(trial, live)) return trial;
  return { ...trial, spec: withoutField(spec, "healthCheckNodePort") };
}

function restoreHealthPort(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const { spec } = made;
  const port = numberAt(object, "spec", "healthCheckNodePort");
  if (!isObject(spec) || port === undefined || !hasSameHealthPort(object, live)) return made;
  return { ...made, spec: { ...spec, healthCheckNodePort: port } };
}

/**
 * Returns the node ports of the new Service that the old one has, by the index of the port.
 * Each counts once, because two ports can't share a node port.
 */
function sharedNodePorts(object: KubeObject, live: KubeObject): ReadonlyMap<number, number> {
  if (!hasNodePorts(object)) return new Map();
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

function withoutNodePorts(trial: KubeObject, live: KubeObject): KubeObject {
  const held = sharedNodePorts(trial, live);
  return mapPorts(trial, (port, index) => {
    const { nodePort: _port, ...rest } = port;
    return held.has(index) ? rest : port;
  });
}

function restoreNodePorts(made: KubeObject, object: KubeObject, live: KubeObject): KubeObject {
  const held = sharedNodePorts(object, live);
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
