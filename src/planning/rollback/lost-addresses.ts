import {
  hasNodePorts,
  isExternalName,
  isLoadBalancer,
  needsHealthCheckPort,
} from "../../model/cluster/service-types.ts";
import { type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import {
  contentAfterChange,
  type RestoredObjects,
  restoredObjects,
} from "./object-after-change.ts";

/** A live Service, as the plan leaves it and as the rollback declares it. */
interface ReleasedService {
  readonly live: KubeObject;
  /** Undefined if the plan deletes the live object. */
  readonly after: KubeObject | undefined;
  readonly declared: KubeObject;
  /** The Service after the rollback; undefined if no dry run was predicted. */
  readonly restored: KubeObject | undefined;
}

/**
 * Returns the addresses and ports outside the cluster that a Service gives back. The rollback gets
 * others, because the cluster allocates them.
 */
export function lostAddresses(plan: Plan, restored: RestoredObjects): readonly RollbackObstacle[] {
  return releasedServices(plan, restored).flatMap((service) => [
    ...lostLoadBalancer(service),
    ...lostNodePorts(service),
    ...lostClusterAddress(service),
  ]);
}

/** Reports a Service that stays headless, because an update doesn't give it an address. */
function lostClusterAddress(service: ReleasedService): readonly RollbackObstacle[] {
  if (!staysHeadless(service)) return [];
  const { live } = service;
  return [
    {
      object: addressOf(live),
      what: `${nameOf(addressOf(live))} stays headless after a rollback`,
      why: "The API server keeps clusterIP: None, because the current release declares no clusterIP",
      fix: "Give the headless Service another name",
    },
  ];
}

function staysHeadless({ live, restored }: ReleasedService): boolean {
  const [before, after] = [live, restored].map((each) => textAt(each, "spec", "clusterIP"));
  return after === "None" && before !== "None";
}

/** Returns a note for each Service that gets another address in the cluster. */
export function otherClusterAddresses(
  plan: Plan,
  undo: Plan | undefined,
): readonly RollbackObstacle[] {
  return releasedServices(plan, restoredObjects(undo))
    .filter((service) => {
      const { live, after, declared } = service;
      const address = textAt(live, "spec", "clusterIP") ?? "";
      const isDeclared = textAt(declared, "spec", "clusterIP") === address;
      return !staysHeadless(service) && !hasAddress(after) && /[.:]/.test(address) && !isDeclared;
    })
    .map(({ live, after }) => ({
      object: addressOf(live),
      what: `${nameOf(addressOf(live))} gets another cluster IP address`,
      why: `The deployment ${after === undefined ? "deletes the Service" : "makes it an ExternalName"}, and its manifest declares no clusterIP`,
      fix: "Use the DNS name of the Service",
    }));
}

function hasAddress(service: KubeObject | undefined): boolean {
  return service !== undefined && !isExternalName(service);
}

function releasedServices(plan: Plan, undone: RestoredObjects): readonly ReleasedService[] {
  const changed = plan.changes.filter(({ action }) => action !== "unchanged");
  return [...plan.deletions, ...changed].flatMap((each) => {
    const { key, id, live } = each;
    const again = undone.get(key);
    if (live === undefined || again === undefined || !isCoreKind(id, "Service")) return [];
    const { desired: declared, predicted: restored } = again;
    return [{ live, after: stateAfter(each, plan), declared, restored }];
  });
}

function stateAfter(
  each: Plan["deletions"][number] | Change,
  { deployment }: Plan,
): KubeObject | undefined {
  return "steps" in each && !replacesPods(each) ? contentAfterChange(each, deployment) : undefined;
}

function lostLoadBalancer({ live, after, declared }: ReleasedService): readonly RollbackObstacle[] {
  const ingress = listAt(live, "status", "loadBalancer", "ingress");
  const keepsIt = after !== undefined && isLoadBalancer(after);
  const [address] = ingress;
  if (address === undefined || keepsIt) return [];
  const requested = textAt(declared, "spec", "loadBalancerIP");
  if (ingress.length === 1 && requested !== undefined && requested === textAt(address, "ip"))
    return [];
  return [
    {
      object: addressOf(live),
      what: `${nameOf(addressOf(live))} gives back the address of its load balancer`,
      why: "The rollback requests another load balancer, which can get another address",
      fix: "Keep the Service, or reserve its address first",
    },
  ];
}

function lostNodePorts({ live, after, declared }: ReleasedService): readonly RollbackObstacle[] {
  const kept = new Set([...nodePorts(after), ...nodePorts(declared)]);
  const lost = nodePorts(live, after).filter((port) => !kept.has(port));
  if (lost.length === 0) return [];
  return [
    {
      object: addressOf(live),
      what: `${nameOf(addressOf(live))} gives back ${lost.length === 1 ? "its node port" : "its node ports"} ${lost.join(", ")}`,
      why: "No manifest declares them, so the rollback gets others",
      fix: "Declare nodePort in spec.ports, or keep the Service",
    },
  ];
}

/**
 * Lists the node ports of a Service, without those that the API server keeps for `after`: it has
 * the same port and still a type with node ports (`patchAllocatedValues`). It keeps the port of
 * health checks only for a load balancer with the traffic policy `Local`.
 */
function nodePorts(
  service: KubeObject | undefined,
  after: KubeObject | undefined = undefined,
): readonly number[] {
  if (service === undefined) return [];
  const ports = listAt(service, "spec", "ports");
  const remaining =
    after === undefined || !hasNodePorts(after) ? [] : listAt(after, "spec", "ports");
  const kept = new Set(remaining.map(portKey));
  const found = ports
    .filter((port) => !kept.has(portKey(port)))
    .map((port) => numberAt(port, "nodePort"));
  const health =
    after !== undefined && needsHealthCheckPort(after)
      ? undefined
      : numberAt(service, "spec", "healthCheckNodePort");
  return [...found, health].filter((port) => port !== undefined).filter((port) => port !== 0);
}

function portKey(port: Json): string {
  return `${numberAt(port, "port")}/${textAt(port, "protocol") ?? "TCP"}`;
}
