import { objectReferences } from "../../model/cluster/object-references.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";
import { hasRollout, isCoreKind } from "../../model/kinds.ts";
import { type KubeObject, keyOf } from "../../model/object.ts";
import { isKnownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { hasLabeledPods, matchSelector } from "../match-selector.ts";
import { asPlanned, concurrentContainers, type PlacedContainer } from "../planned-pods.ts";
import type { Workload } from "../rollouts/workload.ts";

/** A port of Pods to which Services send requests. */
export interface RequestTarget {
  /** The name or number of the port. */
  readonly port: string | number;
  readonly protocol: string;
  /** The containers that might serve the port; one if the container declares it. */
  readonly containers: readonly PlacedContainer[];
}

/**
 * Lists the Services of the plan that send requests to old Pods of a workload now, and to old and
 * new Pods during its rollout. A Service whose new selector matches no old Pod is left out, because
 * the rule in `service-without-endpoints.ts` reports it.
 */
export function requestServices(workload: Workload, services: ClientServices): readonly Change[] {
  const [before, after] = [oldPods(workload), newPods(workload)];
  return (services.get(workload.change.id.namespace) ?? []).filter((change) => {
    const { live } = change;
    const planned = asPlanned(change);
    return (
      live !== undefined &&
      selectsPods(live, before) &&
      selectsPods(planned, before) &&
      selectsPods(planned, after)
    );
  });
}

/** The Services of a plan that are for clients, by namespace. */
export type ClientServices = ReadonlyMap<string, readonly Change[]>;

/** Lists the Services of the plan that are for clients. */
export function clientServices(plan: Plan): ClientServices {
  const services = plan.changes.filter(({ id }) => isCoreKind(id, "Service"));
  if (services.length === 0) return new Map();
  const routed = routedServices(plan);
  const found = services.filter((change) =>
    isForClients(asPlanned(change), routed.has(change.key)),
  );
  return Map.groupBy(found, ({ id }) => id.namespace);
}

/** Returns the keys of the Services that routes, Ingresses and webhooks of the plan name. */
function routedServices({ changes }: Plan): ReadonlySet<string> {
  const clients = changes.filter(({ id }) => !hasRollout(id));
  const references = clients.flatMap((change) => objectReferences(asPlanned(change)));
  return new Set(references.map(({ id }) => keyOf(id)));
}

/**
 * Reports whether a Service is for clients, and not only for Pods that find each other.
 * A headless Service returns the addresses of the Pods, and peers find each other by it, so it
 * counts only if a route names it. `publishNotReadyAddresses` is made for peers
 * (https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/).
 */
function isForClients(service: KubeObject, isRouted: boolean): boolean {
  const spec = at(service, "spec");
  const isHeadless = textAt(spec, "clusterIP") === "None";
  return (
    textAt(spec, "type") !== "ExternalName" &&
    at(spec, "publishNotReadyAddresses") !== true &&
    (!isHeadless || isRouted) &&
    clientPorts(service).length > 0
  );
}

/** Leaves out ports for metrics: a lost query of a monitoring system isn't a lost request. */
function clientPorts(service: KubeObject): readonly Json[] {
  return listAt(service, "spec", "ports").filter(
    (port) => !/metrics|prometheus/.test(textAt(port, "name") ?? ""),
  );
}

function selectsPods(service: KubeObject, workload: KubeObject): boolean {
  const selector = at(service, "spec", "selector");
  if (!isObject(selector) || Object.keys(selector).length === 0) return false;
  const match = matchSelector(selector, workload);
  // Argo Rollouts adds the hash of the current Pods to the selector of its Services.
  return match === "yes" || (match === "unknown" && workload.kind === "Rollout");
}

/** Returns the live object, or the planned one if its template is in another object. */
function oldPods(workload: Workload): KubeObject {
  const { live } = workload;
  return live !== undefined && hasLabeledPods(live) ? live : newPods(workload);
}

function newPods({ object, spec }: Workload): KubeObject {
  return { ...object, spec };
}

/** Lists the ports to which Services send requests, each one once. */
export function requestTargets(
  services: readonly Change[],
  pod: JsonObject,
): readonly RequestTarget[] {
  const containers = concurrentContainers(pod);
  const targets = services.flatMap((service) =>
    clientPorts(asPlanned(service)).flatMap((port): readonly RequestTarget[] => {
      const target = targetPort(port);
      if (target === undefined) return [];
      const serving = servingContainers(target, containers);
      const protocol = textAt(port, "protocol") ?? "TCP";
      return serving.length === 0 ? [] : [{ port: target, protocol, containers: serving }];
    }),
  );
  return [...new Map(targets.map((each) => [`${each.port}/${each.protocol}`, each])).values()];
}

function targetPort(port: Json): string | number | undefined {
  const target = at(port, "targetPort") ?? numberAt(port, "port");
  if (typeof target === "string") return isKnownAfterDeploy(target) ? undefined : target;
  return typeof target === "number" ? target : undefined;
}

/**
 * Returns the containers that might serve a port.
 * A container doesn't have to declare the number of a port, but only a declared name exists.
 */
function servingContainers(
  target: string | number,
  containers: readonly PlacedContainer[],
): readonly PlacedContainer[] {
  const field = typeof target === "string" ? "name" : "containerPort";
  const declaring = containers.filter(({ container }) =>
    listAt(container, "ports").some((port) => at(port, field) === target),
  );
  return declaring.length > 0 || typeof target === "string" ? declaring : containers;
}
