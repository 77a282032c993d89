import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { podResources, readAmounts, sumAmounts } from "../../model/cluster/pod-resources.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";

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
