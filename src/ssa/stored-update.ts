import { isCustomGroup } from "../model/cluster/api/built-in-groups.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import {
  hasNodePorts,
  isExternallyAccessible,
  isExternalName,
  isLoadBalancer,
  needsHealthCheckPort,
} from "../model/cluster/service-types.ts";
import {
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { isCoreObject } from "../model/kinds.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import { setAtPath } from "./json-patch.ts";

/**
 * Returns an object as the API server stores an update of `live`, which isn't always the result of
 * the merge. `sent` is the manifest, and `next` the result of its merge with the live object.
 */
export function storedUpdate(next: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  return isCoreObject(next, "Service")
    ? updatedService(next, sent, live)
    : keepServiceAccount(next, sent, live);
}

/**
 * The API server stores the ServiceAccount of a Pod template in two fields, of which one is
 * deprecated. A manifest owns only one of them. If it no longer declares it, the other one restores
 * it (`Convert_v1_PodSpec_To_core_PodSpec`).
 */
function keepServiceAccount(next: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  const pods = isCustomGroup(groupOf(next.apiVersion)) ? undefined : podSpecOf(next);
  if (pods === undefined) return next;
  const accountOf = (object: KubeObject) => {
    const spec = podSpecOf(object)?.spec;
    return accountFields.map((field) => textAt(spec, field) ?? "").find((name) => name !== "");
  };
  const account = accountOf(sent) ?? accountOf(live);
  if (account === undefined) return next;
  const fields = Object.fromEntries(accountFields.map((field) => [field, account]));
  return setAtPath(next, pods.path, { ...pods.spec, ...fields }) as KubeObject;
}

const accountFields = ["serviceAccountName", "serviceAccount"];

/**
 * The API server keeps the address and the IP families of a Service that the manifest doesn't
 * declare, and drops values that the new type doesn't use (`patchAllocatedValues`,
 * `initIPFamilyFields` and `dropTypeDependentFields`).
 */
function updatedService(next: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  if (!isObject(next["spec"])) return next;
  const kept = [live, next].some(isExternalName)
    ? next
    : withoutSecondFamily(keepFamilies(keepAddress(next, sent, live), sent, live));
  return dropUnusedFields(kept, live);
}

/**
 * An update without an address doesn't change the existing one, and "None" counts as an address.
 */
function keepAddress(next: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  const address = textAt(live, "spec", "clusterIP") ?? "";
  const declared = textAt(sent, "spec", "clusterIP") ?? "";
  if (address === "" || declared !== "") return next;
  const { clusterIPs: _, ...rest } = specOf(next);
  // A manifest that no API server has completed has only the first address.
  const known = listAt(live, "spec", "clusterIPs");
  const all = known.length === 0 ? {} : { clusterIPs: known };
  return { ...next, spec: { ...rest, clusterIP: address, ...all } };
}

const familyFields = ["ipFamilyPolicy", "ipFamilies"];

/** An update without a policy or families keeps the existing ones, even if qvs declared them. */
function keepFamilies(next: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  const kept = familyFields.flatMap((field) => {
    const value = fieldOf(specOf(live), field);
    const isDeclared = fieldOf(specOf(sent), field) !== undefined;
    return value === undefined || isDeclared ? [] : [[field, value] as const];
  });
  return { ...next, spec: { ...specOf(next), ...Object.fromEntries(kept) } };
}

/** A Service with the policy `SingleStack` has only its first address and family. */
function withoutSecondFamily(next: KubeObject): KubeObject {
  if (textAt(next, "spec", "ipFamilyPolicy") !== "SingleStack") return next;
  const firstOnly = ["clusterIPs", "ipFamilies"].flatMap((field) => {
    const all = listAt(next, "spec", field);
    return all.length < 2 ? [] : [[field, all.slice(0, 1)] as const];
  });
  return { ...next, spec: { ...specOf(next), ...Object.fromEntries(firstOnly) } };
}

/** The fields that only some types of a Service use. */
const fieldUses: readonly (readonly [field: string, uses: (service: KubeObject) => boolean])[] = [
  ...["clusterIP", "clusterIPs", ...familyFields].map(
    (field) => [field, (service: KubeObject) => !isExternalName(service)] as const,
  ),
  ["healthCheckNodePort", needsHealthCheckPort],
  ["allocateLoadBalancerNodePorts", isLoadBalancer],
  ["loadBalancerClass", isLoadBalancer],
  ["externalTrafficPolicy", isExternallyAccessible],
];

/** The API server drops a value that the former type used, unless the update changes the value. */
function dropUnusedFields(next: KubeObject, live: KubeObject): KubeObject {
  const [before, after] = [specOf(live), specOf(next)];
  const dropped = fieldUses
    .filter(([field, uses]) => {
      const isSame = sameJson(fieldOf(before, field) ?? null, fieldOf(after, field) ?? null);
      return uses(live) && !uses(next) && isSame;
    })
    .map(([field]) => field);
  const fields = Object.entries(after).filter(([field]) => !dropped.includes(field));
  return { ...next, spec: { ...Object.fromEntries(fields), ...portsWithoutNodePorts(next, live) } };
}

function portsWithoutNodePorts(next: KubeObject, live: KubeObject): JsonObject {
  const ports = listAt(next, "spec", "ports");
  const former = new Set(nodePorts(live));
  const isSame = nodePorts(next).every((port) => former.has(port));
  if (!hasNodePorts(live) || hasNodePorts(next) || !isSame || ports.length === 0) return {};
  const withoutNodePort = (port: Json): Json => {
    if (!isObject(port)) return port;
    const { nodePort: _, ...rest } = port;
    return rest;
  };
  return { ports: ports.map(withoutNodePort) };
}

function nodePorts(service: KubeObject): readonly number[] {
  return listAt(service, "spec", "ports").flatMap((port) => numberAt(port, "nodePort") ?? []);
}

function specOf({ spec }: KubeObject): JsonObject {
  return isObject(spec) ? spec : {};
}
