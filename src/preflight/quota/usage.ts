import { ephemeralClaimOf } from "../../model/cluster/claims.ts";
import { amountsAt, resourcesOfPod, sumOf } from "../../model/cluster/pod-resources.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";

/** How much of what quotas count, by the name that a quota has for it: `requests.cpu`, `pods`, `count/configmaps`. */
export type Usage = ReadonlyMap<string, number>;

export function times(usage: Usage, factor: number): Usage {
  return new Map([...usage].map(([name, value]) => [name, value * factor]));
}

/**
 * What one Pod counts for, as the server has stored it: with requests and limits that defaults have given it, and with the claims that are
 * made for it alone. `usualClass` is the storage class of those that name none.
 */
export function usageOfPod(spec: JsonObject, usualClass: string | undefined): Usage {
  const claims = listAt(spec, "volumes").flatMap((volume) => ephemeralClaimOf(volume) ?? []);
  return sumOf(resourcesOfOne(spec), ...claims.map((claim) => usageOfClaim(claim, usualClass)));
}

/** A claim counts for its storage class by itself as well. */
export function usageOfClaim(claim: Json, usualClass: string | undefined): Usage {
  const storage = quantityOf(at(claim, "spec", "resources", "requests", "storage")) ?? 0;
  const storageClass = textAt(claim, "spec", "storageClassName") ?? usualClass ?? "";
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

/** What one Pod no longer counts for when it has ended: it is still there itself, and so are its claims. */
export function usageWhileRunning(spec: JsonObject): Usage {
  return new Map([...resourcesOfOne(spec)].filter(([name]) => name !== "count/pods"));
}

function resourcesOfOne(spec: JsonObject): Usage {
  const overhead = amountsAt(at(spec, "overhead"));
  const requests = sumOf(resourcesOfPod(spec, "requests"), overhead);
  const limits = sumOf(resourcesOfPod(spec, "limits"), overhead);
  return new Map([
    ["pods", 1],
    ["count/pods", 1],
    ...[...requests].flatMap(([name, value]): readonly (readonly [string, number])[] =>
      isPlain(name)
        ? [
            [`requests.${name}`, value],
            [name, value],
          ]
        : [[`requests.${name}`, value]],
    ),
    ...[...limits].map(([name, value]) => [`limits.${name}`, value] as const),
  ]);
}

/** A quota may name these without `requests.` before them. */
function isPlain(name: string): boolean {
  return name === "cpu" || name === "memory" || name === "ephemeral-storage";
}
