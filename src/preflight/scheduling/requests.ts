import { quantityOf } from "../../model/cluster/quantity.ts";
import { at, isObject, type Json, listAt, textAt } from "../../model/json.ts";

/** How much of each resource, in base units: cores, bytes, pieces. */
export type Amounts = ReadonlyMap<string, number>;

/**
 * What a node must have free for a Pod: its containers and sidecars together, or what its init containers need one after the other if
 * that is more, and the overhead of its runtime. Every Pod takes one of the places that a node has for Pods.
 */
export function requestsOf(spec: Json): Amounts {
  const init = listAt(spec, "initContainers");
  const sidecars = init.filter(isSidecar);
  const running = sum([...listAt(spec, "containers"), ...sidecars].map(ofContainer));
  let started: Amounts = new Map();
  let peak = running;
  for (const container of init) {
    const own = ofContainer(container);
    const together = sum([started, own]);
    if (isSidecar(container)) started = together;
    peak = larger(peak, together);
  }
  const whole = isObject(at(spec, "resources", "requests"))
    ? new Map([...peak, ...amountsAt(at(spec, "resources", "requests"))])
    : peak;
  return sum([whole, amountsAt(at(spec, "overhead")), new Map([["pods", 1]])]);
}

export function isSidecar(container: Json): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

export function amountsAt(value: Json | undefined): Amounts {
  if (!isObject(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, quantity]) => {
      const amount = quantityOf(quantity);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

/** A limit without a request is one. */
function ofContainer(container: Json): Amounts {
  const limits = amountsAt(at(container, "resources", "limits"));
  return new Map([...limits, ...amountsAt(at(container, "resources", "requests"))]);
}

function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, number>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + amount);
  }
  return total;
}

function larger(a: Amounts, b: Amounts): Amounts {
  return new Map([...a, ...[...b].filter(([name, amount]) => amount > (a.get(name) ?? 0))]);
}
