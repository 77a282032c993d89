import { at, isObject, type Json, listAt, textAt } from "../json.ts";
import { quantityOf } from "./quantity.ts";

/** How much of each resource, in base units: cores, bytes, pieces. */
export type Amounts = ReadonlyMap<string, number>;

/**
 * What a Pod asks for, or may use: its containers and sidecars together, or what its init containers need one after the other if that is
 * more. What the Pod itself says wins (KEP-2837); its limit is a request only where no container has one. The overhead of its runtime
 * is not in it.
 */
export function resourcesOfPod(spec: Json, part: "requests" | "limits"): Amounts {
  const init = listAt(spec, "initContainers");
  const running = [...listAt(spec, "containers"), ...init.filter(isSidecar)];
  let most = sumOf(...running.map((container) => resourcesOf(container, part)));
  let started: Amounts = new Map();
  for (const container of init) {
    const together = sumOf(started, resourcesOf(container, part));
    if (isSidecar(container)) started = together;
    most = larger(most, together);
  }
  const limits = part === "requests" ? amountsAt(at(spec, "resources", "limits")) : [];
  return new Map([...limits, ...most, ...amountsAt(at(spec, "resources", part))]);
}

/** A limit without a request is one, too. */
export function resourcesOf(container: Json, part: "requests" | "limits"): Amounts {
  const own = amountsAt(at(container, "resources", part));
  if (part === "limits") return own;
  return new Map([...amountsAt(at(container, "resources", "limits")), ...own]);
}

/** An init container that keeps running beside the others. */
export function isSidecar(container: Json): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

/** What is no quantity is left out. */
export function amountsAt(value: Json | undefined): Amounts {
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([name, quantity]) => {
      const amount = quantityOf(quantity);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

export function sumOf(...all: readonly Amounts[]): Amounts {
  const total = new Map<string, number>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + amount);
  }
  return total;
}

function larger(a: Amounts, b: Amounts): Amounts {
  return new Map([...a, ...[...b].filter(([name, amount]) => amount >= (a.get(name) ?? 0))]);
}
