import { ephemeralClaimOf } from "../../model/cluster/claims.ts";
import { type Amounts, isSidecar } from "../../model/cluster/pod-resources.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";
import type { AttachedVolume } from "./attached.ts";
import { requestsOf } from "./requests.ts";
import { type Labels, labelsAt, selects, withLabelKeys } from "./selectors.ts";
import type { OpenClaim } from "./volumes.ts";

/** Everything that a scheduler looks at of a Pod. Pods that are equal in it share one. */
export interface PodShape {
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** Required Pod affinity: in each domain of the node there must be a Pod that all of them select. */
  readonly attracted: readonly Term[];
  /** Required anti-affinity: none may select a Pod in the node's domain. */
  readonly repelled: readonly Term[];
  /** Spread constraints that forbid, in Kubernetes' own words `DoNotSchedule`. */
  readonly spread: readonly SpreadRule[];
  readonly nodeSelector: Labels;
  /** Required node affinity: one of the terms must match; undefined where there is none. */
  readonly nodeTerms: readonly Json[] | undefined;
  readonly nodeName: string | undefined;
  readonly tolerations: readonly Json[];
  readonly usesHostNetwork: boolean;
  readonly priority: number;
  /** Whether it may evict Pods of lower priority. */
  readonly preempts: boolean;
  /** Claims that only one Pod at a time may use, by name. */
  readonly exclusiveClaims: readonly string[];
  /** What its volumes demand of a node: one set of node terms each. */
  readonly volumeTerms: readonly (readonly Json[])[];
  /** Claims that have no volume yet. */
  readonly openClaims: readonly OpenClaim[];
  /** Volumes that drivers attach to its node. */
  readonly attached: readonly AttachedVolume[];
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A term of affinity or anti-affinity, with what keys of labels add to its selector. */
export interface Term {
  readonly topologyKey: string;
  selects(pod: PodShape): boolean;
  /** Which Pods that run it selects while its own Pod looks for a place; the same ones when nothing is said. */
  readonly selectsWhenNew?: (pod: PodShape) => boolean;
}

export interface SpreadRule {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Whether nodes that the Pod's own node rules exclude count as domains. */
  readonly honoursAffinity: boolean;
  /** Whether nodes with taints that it does not tolerate count as none. */
  readonly honoursTaints: boolean;
  selects(pod: PodShape): boolean;
}

/** What is known besides the Pod itself. */
export interface Surroundings {
  /** Labels of each namespace. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** What a claim means for the Pods that use it, by `namespace/name`. */
  readonly claims: ReadonlyMap<string, ClaimRule>;
  /** What the template of a claim means that each Pod has for itself. */
  readonly ephemeralClaim: (template: Json, namespace: string, volume: string) => OpenClaim;
}

export interface ClaimRule {
  readonly exclusive: boolean;
  /** What the volume that it is bound to demands of a node: one of the terms of each. */
  readonly nodeTerms: readonly (readonly Json[])[];
  /** Where it has no volume yet. */
  readonly open?: OpenClaim | undefined;
  /** What attaches its volume to a node. */
  readonly driver?: string | undefined;
}

/** The shape of a Pod with these labels in this namespace. */
export function shapeOf(
  { namespace, labels, spec }: { namespace: string; labels: Labels; spec: JsonObject },
  around: Surroundings,
): PodShape {
  const claims = claimsOf(spec).map((name) => ({
    name,
    rule: around.claims.get(`${namespace}/${name}`),
  }));
  const ofPod = listAt(spec, "volumes").flatMap((volume) => {
    const template = ephemeralClaimOf(volume);
    const name = textAt(volume, "name") ?? "";
    return template === undefined ? [] : [around.ephemeralClaim(template, namespace, name)];
  });
  const termsAt = (kind: "podAffinity" | "podAntiAffinity") =>
    listAt(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").map((term) =>
      termOf(term, { namespace, labels }, around),
    );
  const company = termsAt("podAffinity");
  const nodeTerms = listAt(
    spec,
    ...["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    "nodeSelectorTerms",
  );
  return {
    namespace,
    labels,
    requests: requestsOf(spec),
    hostPorts: hostPortsOf(spec),
    // The scheduler counts as company only a Pod that all terms select, not one for each of them.
    attracted: company.map(({ topologyKey }) => ({
      topologyKey,
      selects: (pod) => company.every((term) => term.selects(pod)),
    })),
    repelled: termsAt("podAntiAffinity"),
    spread: listAt(spec, "topologySpreadConstraints")
      .filter((rule) => textAt(rule, "whenUnsatisfiable") !== "ScheduleAnyway")
      .map((rule) => spreadRule(rule, { namespace, labels })),
    nodeSelector: labelsAt(spec.nodeSelector),
    nodeTerms: nodeTerms.length === 0 ? undefined : nodeTerms,
    nodeName: textAt(spec, "nodeName"),
    tolerations: listAt(spec, "tolerations"),
    usesHostNetwork: spec.hostNetwork === true,
    priority: numberAt(spec, "priority") ?? 0,
    preempts: textAt(spec, "preemptionPolicy") !== "Never",
    exclusiveClaims: claims.flatMap(({ name, rule }) => (rule?.exclusive === true ? [name] : [])),
    volumeTerms: claims.flatMap(({ rule }) => rule?.nodeTerms ?? []),
    openClaims: [...claims.flatMap(({ rule }) => rule?.open ?? []), ...ofPod],
    attached: [
      ...claims.flatMap(({ name, rule }) => attachedBy(rule?.driver, `${namespace}/${name}`)),
      ...ofPod.flatMap(({ driver }) => attachedBy(driver, undefined)),
    ],
  };
}

function attachedBy(
  driver: string | undefined,
  key: string | undefined,
): readonly AttachedVolume[] {
  return driver === undefined ? [] : [{ driver, key }];
}

interface Owner {
  readonly namespace: string;
  readonly labels: Labels;
}

function termOf(declared: Json, owner: Owner, { namespaces }: Surroundings): Term {
  const selector = withLabelKeys(
    at(declared, "labelSelector"),
    { match: listAt(declared, "matchLabelKeys"), mismatch: listAt(declared, "mismatchLabelKeys") },
    owner.labels,
  );
  const named = listAt(declared, "namespaces");
  const byLabels = at(declared, "namespaceSelector");
  const isOwnOnly = named.length === 0 && !isObject(byLabels);
  const isMeant = (namespace: string) =>
    isOwnOnly
      ? namespace === owner.namespace
      : named.includes(namespace) ||
        (isObject(byLabels) && selects(byLabels, namespaces.get(namespace) ?? {}));
  const term = {
    topologyKey: textAt(declared, "topologyKey") ?? "",
    selects: remembered((pod) => isMeant(pod.namespace) && selects(selector, pod.labels)),
  };
  // Schedulers since Kubernetes 1.34 ask the selector of a new Pod's term about a namespace without its labels as well, so that one which
  // asks for no label, or for none of some values, selects Pods of all namespaces.
  return isObject(byLabels) && selects(byLabels, {})
    ? { ...term, selectsWhenNew: remembered((pod) => selects(selector, pod.labels)) }
    : term;
}

function spreadRule(rule: Json, owner: Owner): SpreadRule {
  const selector = withLabelKeys(
    at(rule, "labelSelector"),
    { match: listAt(rule, "matchLabelKeys"), mismatch: [] },
    owner.labels,
  );
  return {
    topologyKey: textAt(rule, "topologyKey") ?? "",
    maxSkew: numberAt(rule, "maxSkew") ?? 1,
    minDomains: numberAt(rule, "minDomains") ?? 1,
    honoursAffinity: textAt(rule, "nodeAffinityPolicy") !== "Ignore",
    honoursTaints: textAt(rule, "nodeTaintsPolicy") === "Honor",
    selects: remembered(
      (pod) => pod.namespace === owner.namespace && selects(selector, pod.labels),
    ),
  };
}

/** The same question is asked for every node. */
function remembered(ask: (pod: PodShape) => boolean): (pod: PodShape) => boolean {
  const answers = new Map<PodShape, boolean>();
  return (pod) => {
    const known = answers.get(pod);
    if (known !== undefined) return known;
    const answer = ask(pod);
    answers.set(pod, answer);
    return answer;
  };
}

/** Sidecars run beside the containers; other init containers have left their ports by then. */
function hostPortsOf(spec: JsonObject): readonly HostPort[] {
  const isHost = spec.hostNetwork === true;
  const containers = [
    ...listAt(spec, "containers"),
    ...listAt(spec, "initContainers").filter(isSidecar),
  ];
  return containers.flatMap((container) =>
    listAt(container, "ports").flatMap((each) => {
      const port =
        numberAt(each, "hostPort") || (isHost ? numberAt(each, "containerPort") : undefined);
      if (port === undefined || port === 0) return [];
      const ip = textAt(each, "hostIP") || "0.0.0.0";
      return [{ ip, port, protocol: textAt(each, "protocol") ?? "TCP" }];
    }),
  );
}

function claimsOf(spec: JsonObject): readonly string[] {
  return listAt(spec, "volumes").flatMap((volume) => {
    const name = textAt(volume, "persistentVolumeClaim", "claimName");
    return name === undefined ? [] : [name];
  });
}
