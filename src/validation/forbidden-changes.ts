import type { FailureCause } from "../model/cluster/api/api-failure.ts";
import type { ServerVersion } from "../model/cluster/api/server-version.ts";
import { storageVersion } from "../model/cluster/namespaces-and-crds.ts";
import { parseQuantity } from "../model/cluster/quantity.ts";
import {
  hasNodePorts,
  isExternallyAccessible,
  isExternalName,
  isLoadBalancer,
  needsHealthCheckPort,
} from "../model/cluster/service-types.ts";
import {
  at,
  isList,
  isObject,
  type Json,
  listAt,
  numberAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { idOf, type KubeObject } from "../model/object.ts";
import { immutableRules } from "./immutable-rules.ts";

/**
 * Returns the reasons why the API server rejects a change of a live object because of its former
 * values, in its own words. It knows the built-in kinds and the stored versions of a
 * CustomResourceDefinition.
 */
export function forbiddenUpdates(
  live: KubeObject,
  next: KubeObject,
  server: ServerVersion | undefined,
): readonly FailureCause[] {
  const kind = kindKey(idOf(live));
  const fields = immutableRules
    .filter(
      ({ kinds, appliesTo }) => kinds.includes(kind) && (appliesTo?.(live, next, server) ?? true),
    )
    .flatMap(({ paths }) => paths.filter((path) => !isSameAt(live, next, path)));
  return [
    ...[...new Set(fields)].map(immutableCause),
    ...changedAddresses(live, next),
    ...missingAddress(next),
    ...reducedFamilies(live, next),
    ...unusableServiceFields(next),
    ...shrunkClaim(live, next),
    ...longerDeadline(live, next),
    ...lostVersions(live, next),
  ];
}

/**
 * Reports whether the update rules of a built-in kind decide about a field, so that an earlier
 * rejection proves nothing: a ConfigMap that was immutable can be created again without that.
 */
export function hasUpdateRule(object: KubeObject, field: string): boolean {
  const kind = kindKey(idOf(object));
  const rules = immutableRules.filter(({ kinds }) => kinds.includes(kind));
  return rules.some(({ paths }) =>
    paths.some((path) => field === path || field.startsWith(`${path}.`)),
  );
}

/** Returns the cause for a field that the API server calls immutable. */
export function immutableCause(field: string): FailureCause {
  return { reason: "FieldValueInvalid", field, message: "Invalid value: field is immutable" };
}

/** An absent field and an empty value are the same. */
function isSameAt(live: KubeObject, next: KubeObject, path: string): boolean {
  const [before, after] = [live, next].map((each) => at(each, ...path.split(".")));
  return sameJson(emptied(before), emptied(after));
}

function emptied(value: Json | undefined): Json | undefined {
  return isAbsent(value) ? undefined : value;
}

/** Reports whether the API server reads a value like an absent one. */
function isAbsent(value: Json | undefined): boolean {
  const isEmptyObject = isObject(value) && Object.keys(value).length === 0;
  return value === undefined || value === "" || value === false || isEmptyObject;
}

/**
 * Returns the changed addresses of a Service. The API server keeps an absent or empty address, and
 * it allows changes of the second address and its family
 * (`patchAllocatedValues` and `ValidateServiceClusterIPsRelatedFields`).
 */
function changedAddresses(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  const isService = kindKey(idOf(live)) === "/Service";
  if (!isService || [live, next].some(isExternalName)) return [];
  const fields = ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies"];
  return fields
    .filter((field) => {
      const [before, after] = [live, next].map((each) => firstAt(each, field));
      return before !== undefined && after !== undefined && !sameJson(before, after);
    })
    .map(immutableCause);
}

/**
 * Returns the cause for a headless Service with ports on the nodes
 * (`ValidateServiceClusterIPsRelatedFields`). The API server keeps "None" if a manifest no longer
 * declares it.
 */
function missingAddress(next: KubeObject): readonly FailureCause[] {
  const type = textAt(next, "spec", "type") ?? "";
  const isHeadless =
    kindKey(idOf(next)) === "/Service" && textAt(next, "spec", "clusterIP") === "None";
  if (!isHeadless || !["NodePort", "LoadBalancer"].includes(type)) return [];
  const message = `Invalid value: "None": may not be set to 'None' for ${type} services`;
  return [{ reason: "FieldValueInvalid", field: "spec.clusterIPs[0]", message }];
}

/**
 * Returns the cause for a Service that gives up its second address or IP family without the policy
 * for that (`initIPFamilyFields`).
 */
function reducedFamilies(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  const isService = kindKey(idOf(live)) === "/Service";
  if (!isService || [live, next].some(isExternalName)) return [];
  if ((textAt(next, "spec", "ipFamilyPolicy") ?? "SingleStack") === "SingleStack") return [];
  const counts = ["clusterIPs", "ipFamilies"].map((field) =>
    [live, next].map((each) => listAt(each, "spec", field).length),
  );
  if (!counts.some(([before, after]) => before === 2 && after === 1)) return [];
  const message = "Invalid value: must be 'SingleStack' to release the secondary IP family";
  return [{ reason: "FieldValueInvalid", field: "spec.ipFamilyPolicy", message }];
}

/** The fields that the API server accepts only in some types of a Service. */
const serviceFields: readonly (readonly [
  field: string,
  accepts: (service: KubeObject) => boolean,
])[] = [
  ["externalTrafficPolicy", isExternallyAccessible],
  ["healthCheckNodePort", needsHealthCheckPort],
  ["allocateLoadBalancerNodePorts", isLoadBalancer],
  ["loadBalancerClass", isLoadBalancer],
  ["loadBalancerSourceRanges", isLoadBalancer],
];

/**
 * Returns the fields of a Service that its type doesn't allow (`ValidateService`). An update that
 * changes the type can still declare them: the API server drops former values first.
 */
export function unusableServiceFields(service: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(service)) !== "/Service") return [];
  const type = textAt(service, "spec", "type") ?? "ClusterIP";
  const message = `Invalid value: may not be used when \`type\` is '${type}'`;
  const hasNodePort = listAt(service, "spec", "ports").some(
    (port) => (numberAt(port, "nodePort") ?? 0) !== 0,
  );
  const fields = [
    ...serviceFields
      .filter(([field, accepts]) => !accepts(service) && isSet(at(service, "spec", field)))
      .map(([field]) => `spec.${field}`),
    ...(hasNodePort && !hasNodePorts(service) ? ["spec.ports"] : []),
  ];
  return fields.map((field) => ({ reason: "FieldValueInvalid", field, message }));
}

/** Reports whether a field has a value; an explicit `false` counts. */
function isSet(value: Json | undefined): boolean {
  const isEmptyList = isList(value) && value.length === 0;
  return value === false || (!isAbsent(value) && !isEmptyList && value !== 0);
}

/** Returns a value, or the first item of a list; undefined if it is absent or empty. */
function firstAt(object: KubeObject, path: string): Json | undefined {
  const value = at(object, ...path.split("."));
  const first = isList(value) ? value[0] : value;
  return emptied(first);
}

function shrunkClaim(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(live)) !== "/PersistentVolumeClaim") return [];
  const path = ["spec", "resources", "requests", "storage"];
  const [before, after] = [live, next].map((each) => parseQuantity(at(each, ...path)));
  if (before === undefined || after === undefined || after >= before) return [];
  const message = "Forbidden: field can not be less than status.capacity";
  return [{ reason: "FieldValueForbidden", field: path.join("."), message }];
}

/** Returns the cause for a Pod that would get more time, which the API server never allows. */
function longerDeadline(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(live)) !== "/Pod") return [];
  const field = "spec.activeDeadlineSeconds";
  const [before, after] = [live, next].map((each) => numberAt(each, ...field.split(".")));
  if (before === undefined || (after !== undefined && after <= before)) return [];
  const message = "Invalid value: must be less than or equal to previous value";
  return [{ reason: "FieldValueInvalid", field, message }];
}

/** A CustomResourceDefinition must keep each version in which objects might be stored. */
function lostVersions(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(live)) !== "apiextensions.k8s.io/CustomResourceDefinition") return [];
  const kept = new Set(listAt(next, "spec", "versions").map((each) => at(each, "name")));
  return storedVersions(live)
    .filter((version) => !kept.has(version))
    .map((version) => ({
      reason: "FieldValueInvalid",
      field: "status.storedVersions",
      message: `Invalid value: missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
    }));
}

/** Lists the versions in which objects are or might be stored. */
function storedVersions(crd: KubeObject): readonly string[] {
  const stored = listAt(crd, "status", "storedVersions");
  const names = [...stored, at(storageVersion(crd), "name") ?? null];
  return [...new Set(names.filter((each) => typeof each === "string"))];
}

/** The names in events.k8s.io/v1 of fields that only the core API sets. */
const coreFields = [
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedCount",
  "deprecatedSource",
];

/**
 * Returns the reasons why the API server rejects a new object although it accepts an update to the
 * same content. An object can have such content: another version of its API created it, or it had
 * another type before.
 */
export function forbiddenCreation(object: KubeObject): readonly FailureCause[] {
  return [...unusableServiceFields(object), ...forbiddenEvent(object)];
}

/** Source: `ValidateEventCreate` in pkg/apis/core/validation/events.go. */
function forbiddenEvent(object: KubeObject): readonly FailureCause[] {
  if (object.apiVersion !== "events.k8s.io/v1" || object.kind !== "Event") return [];
  const hasType = ["Normal", "Warning"].includes(textAt(object, "type") ?? "");
  const set = coreFields.filter((field) => !isAbsent(at(object, field)) && at(object, field) !== 0);
  return [
    ...(at(object, "eventTime") === undefined
      ? [{ reason: "FieldValueRequired", field: "eventTime", message: "Required value" }]
      : []),
    ...(hasType ? [] : [invalid("type", "has invalid value")]),
    ...set.map((field) => invalid(field, "needs to be unset")),
  ];
}

function invalid(field: string, why: string): FailureCause {
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${why}` };
}
