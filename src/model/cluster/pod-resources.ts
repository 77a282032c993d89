import { at, isObject, type Json, listAt, textAt } from "../json.ts";
import { parseQuantity } from "./quantity.ts";

/** The amount of each resource, in base units: cores, bytes, pieces. */
export type Amounts = ReadonlyMap<string, number>;

/**
 * Returns the resources that a Pod requests, or its limits.
 * The sum of the containers and sidecars counts, or the largest need during initialization if that
 * is more. Values of the Pod itself override both (KEP-2837). The Pod's limit counts as its request
 * only for a resource that no container requests. The overhead of a RuntimeClass isn't included.
 */
export function podResources(spec: Json, part: "requests" | "limits"): Amounts {
  const init = listAt(spec, "initContainers");
  const running = [...listAt(spec, "containers"), ...init.filter(isSidecar)];
  let most = sumAmounts(...running.map((container) => containerResources(container, part)));
  let started: Amounts = new Map();
  for (const container of init) {
    const together = sumAmounts(started, containerResources(container, part));
    if (isSidecar(container)) started = together;
    most = maxAmounts(most, together);
  }
  const limits = part === "requests" ? readAmounts(at(spec, "resources", "limits")) : [];
  return new Map([...limits, ...most, ...readAmounts(at(spec, "resources", part))]);
}

/** Returns the resources of a container. A limit without a request is also the request. */
export function containerResources(container: Json, part: "requests" | "limits"): Amounts {
  const own = readAmounts(at(container, "resources", part));
  if (part === "limits") return own;
  return new Map([...readAmounts(at(container, "resources", "limits")), ...own]);
}

/** Reports whether an init container keeps running next to the other containers. */
export function isSidecar(container: Json): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

/** Reads the amounts of an object. Values that aren't quantities are left out. */
export function readAmounts(value: Json | undefined): Amounts {
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([name, quantity]) => {
      const amount = parseQuantity(quantity);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

export function sumAmounts(...all: readonly Amounts[]): Amounts {
  const total = new Map<string, number>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + amount);
  }
  return total;
}

function maxAmounts(a: Amounts, b: Amounts): Amounts {
  return new Map([...a, ...[...b].filter(([name, amount]) => amount >= (a.get(name) ?? 0))]);
}
