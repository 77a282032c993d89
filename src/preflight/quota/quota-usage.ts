import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { podResources, readAmounts, sumAmounts } from "../../model/cluster/pod-resources.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import { type Change, grownClaims } from "../../model/plan/plan.ts";
import { asPlanned } from "../planned-pods.ts";
import type { OwnObjectCounts } from "../rule.ts";

/** Amounts by the name that quotas use: `requests.cpu`, `pods`, `count/configmaps`. */
export type QuotaUsage = ReadonlyMap<string, number>;

export function multiplyUsage(usage: QuotaUsage, factor: number): QuotaUsage {
  return new Map([...usage].map(([name, value]) => [name, value * factor]));
}

/**
 * Returns the usage of one Pod as the API server has stored it.
 * It includes default requests and limits, and the claims that belong only to this Pod.
 * `defaultClassName` is the storage class of claims that name none.
 */
export function podUsage(spec: JsonObject, defaultClassName: string | undefined): QuotaUsage {
  const claims = listAt(spec, "volumes").flatMap((volume) => ephemeralClaimTemplate(volume) ?? []);
  return sumAmounts(
    podResourceUsage(spec),
    ...claims.map((claim) => claimUsage(claim, defaultClassName)),
  );
}

/** Returns the usage of a claim, in total and for its storage class. */
export function claimUsage(claim: Json, defaultClassName: string | undefined): QuotaUsage {
  const storage = parseQuantity(at(claim, "spec", "resources", "requests", "storage")) ?? 0;
  const storageClass = textAt(claim, "spec", "storageClassName") ?? defaultClassName ?? "";
  const counted = { persistentvolumeclaims: 1, "requests.storage": storage };
  const ofClass = Object.entries(counted).map(
    ([name, value]) => [`${storageClass}.storageclass.storage.k8s.io/${name}`, value] as const,
  );
  return new Map([
    ...Object.entries(counted),
    ["count/persistentvolumeclaims", 1],
    ...(storageClass === "" ? [] : ofClass),
  ]);
}

/** Returns the usage that ends with a Pod; the Pod object and its claims still count. */
export function usageWhileRunning(spec: JsonObject): QuotaUsage {
  return new Map([...podResourceUsage(spec)].filter(([name]) => name !== "count/pods"));
}

function podResourceUsage(spec: JsonObject): QuotaUsage {
  const overhead = readAmounts(at(spec, "overhead"));
  const requests = sumAmounts(podResources(spec, "requests"), overhead);
  const limits = sumAmounts(podResources(spec, "limits"), overhead);
  return new Map([
    ["pods", 1],
    ["count/pods", 1],
    ...[...requests].flatMap(([name, value]): readonly (readonly [string, number])[] =>
      isUnprefixedResource(name)
        ? [
            [`requests.${name}`, value],
            [name, value],
          ]
        : [[`requests.${name}`, value]],
    ),
    ...[...limits].map(([name, value]) => [`limits.${name}`, value] as const),
  ]);
}

/** Reports whether a quota can name the resource without the prefix `requests.`. */
function isUnprefixedResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name === "ephemeral-storage";
}

const nothing: QuotaUsage = new Map();

/** Returns the additional usage: a Service can get node ports, and a claim can grow. */
export function changeUsage(change: Change, defaultClassName: string | undefined): QuotaUsage {
  const { live, desired, redacted } = change;
  if (live === undefined) return objectUsage(desired, defaultClassName);
  if (redacted !== undefined) return nothing;
  const more = sumAmounts(
    objectUsage(asPlanned(change), defaultClassName),
    multiplyUsage(objectUsage(live, defaultClassName), -1),
  );
  return new Map([...more].filter(([, amount]) => amount !== 0));
}

/** Returns the additional storage of claims that grow. */
export function growthUsage({ steps }: Change): QuotaUsage {
  return sumAmounts(
    ...grownClaims(steps).map(({ from, to, storageClass }) => {
      const [before = 0, after = 0] = [from, to].map(parseQuantity);
      const more = after - before;
      const ofClass = `${storageClass}.storageclass.storage.k8s.io/requests.storage`;
      return new Map([
        ["requests.storage", more],
        ...(storageClass === undefined ? [] : [[ofClass, more] as const]),
      ]);
    }),
  );
}

/**
 * Returns the usage of the release record and the deployment lock.
 * qvs creates them in the namespace of the releases.
 */
export function ownObjectsUsage({ secrets, leases }: OwnObjectCounts): QuotaUsage {
  return sumAmounts(
    multiplyUsage(objectUsage(emptyObject("v1", "Secret"), undefined), secrets),
    multiplyUsage(objectUsage(emptyObject("coordination.k8s.io/v1", "Lease"), undefined), leases),
  );
}

function emptyObject(apiVersion: string, kind: string): KubeObject {
  return { apiVersion, kind, metadata: { name: "" } };
}

/** Returns the usage of the object itself, by the names that quotas have for its kind. */
export function objectUsage(object: KubeObject, defaultClassName: string | undefined): QuotaUsage {
  const { apiVersion, kind } = object;
  const group = groupOf(apiVersion);
  if (kind === "Pod" && group === "") return nothing;
  if (kind === "PersistentVolumeClaim" && group === "") return claimUsage(object, defaultClassName);
  const plural = guessPlural(kind);
  const own: QuotaUsage = new Map([[`count/${plural}${group === "" ? "" : `.${group}`}`, 1]]);
  if (group !== "" || !countedByName.has(plural)) return own;
  return sumAmounts(
    own,
    new Map([[plural, 1]]),
    kind === "Service" ? serviceUsage(object) : nothing,
  );
}

function serviceUsage(service: KubeObject): QuotaUsage {
  const type = textAt(service, "spec", "type") ?? "ClusterIP";
  return new Map([
    ["services.loadbalancers", Number(type === "LoadBalancer")],
    ["services.nodeports", countNodePorts(service, type)],
  ]);
}

/** Counts the node ports of a Service; a load balancer can work without undeclared ones. */
function countNodePorts(service: KubeObject, type: string): number {
  const ports = listAt(service, "spec", "ports");
  if (type === "NodePort") return ports.length;
  if (type !== "LoadBalancer") return 0;
  if (at(service, "spec", "allocateLoadBalancerNodePorts") !== false) return ports.length;
  return ports.filter((port) => numberAt(port, "nodePort") !== undefined).length;
}

const countedByName: ReadonlySet<string> = new Set([
  ...["configmaps", "secrets", "services", "replicationcontrollers", "resourcequotas"],
]);

/**
 * Returns the plural that Kubernetes would use.
 * A custom kind can have another plural; then qvs predicts nothing for it.
 */
function guessPlural(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(lower)) return lower === "endpoints" ? lower : `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
