import { ephemeralClaimOf } from "../../model/cluster/claims.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";

/** How much of what quotas count, by the name that a quota has for it: `requests.cpu`, `pods`, `count/configmaps`. */
export type Usage = ReadonlyMap<string, number>;

export function plus(...usages: readonly Usage[]): Usage {
  const sum = new Map<string, number>();
  for (const usage of usages) {
    for (const [name, value] of usage) sum.set(name, (sum.get(name) ?? 0) + value);
  }
  return sum;
}

export function times(usage: Usage, factor: number): Usage {
  return new Map([...usage].map(([name, value]) => [name, value * factor]));
}

/**
 * What one Pod counts for, as the server has stored it: with requests and limits that defaults have given it, and with the claims that are
 * made for it alone. `usualClass` is the storage class of those that name none.
 */
export function usageOfPod(spec: JsonObject, usualClass: string | undefined): Usage {
  const claims = listAt(spec, "volumes").flatMap((volume) => ephemeralClaimOf(volume) ?? []);
  return plus(resourcesOfOne(spec), ...claims.map((claim) => usageOfClaim(claim, usualClass)));
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

function resourcesOfOne(spec: JsonObject): Usage {
  const requests = resourcesOfPod(spec, "requests");
  const limits = resourcesOfPod(spec, "limits");
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

/**
 * All containers together, or the largest moment of the initialisation: init containers run one after the other, beside those of
 * them that restart always. What the Pod itself says wins (KEP-2837).
 */
function resourcesOfPod(spec: JsonObject, part: "requests" | "limits"): Usage {
  let sidecars: Usage = new Map();
  let initial: Usage = new Map();
  for (const container of listAt(spec, "initContainers")) {
    const own = resourcesOf(container, part);
    if (textAt(container, "restartPolicy") === "Always") {
      sidecars = plus(sidecars, own);
      initial = larger(initial, sidecars);
    } else initial = larger(initial, plus(sidecars, own));
  }
  const running = plus(
    sidecars,
    ...listAt(spec, "containers").map((container) => resourcesOf(container, part)),
  );
  const containers = larger(running, initial);
  const whole = new Map([...containers, ...resourcesOf(spec, part)]);
  return plus(whole, resourcesIn(at(spec, "overhead")));
}

function larger(a: Usage, b: Usage): Usage {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, Math.max(a.get(name) ?? 0, b.get(name) ?? 0)]));
}

/** A limit without a request is one, too. */
function resourcesOf(container: Json, part: "requests" | "limits"): Usage {
  const limits = resourcesIn(at(container, "resources", "limits"));
  const own = resourcesIn(at(container, "resources", part));
  return part === "requests" ? new Map([...limits, ...own]) : own;
}

function resourcesIn(value: Json | undefined): Usage {
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([name, each]) => {
      const amount = quantityOf(each);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}
