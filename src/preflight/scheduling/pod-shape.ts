import { hasBehavior, type ServerVersion } from "../../model/cluster/api/server-version.ts";
import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
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
import type { AttachedVolume } from "./constraints.ts";
import { podRequests } from "./pod-requests.ts";
import { type Labels, labelsAt, selects, withLabelKeys } from "./selectors.ts";
import type { UnboundClaim } from "./volume-assignments.ts";

/** Everything that a scheduler reads from a Pod. Equal Pods share one shape. */
export interface PodShape {
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** Required Pod affinity: the node's domains must contain a Pod that all terms select. */
  readonly attracted: readonly AffinityTerm[];
  /** Required Pod anti-affinity: no term can select a Pod in the node's domain. */
  readonly repelled: readonly AffinityTerm[];
  /** Spread constraints with `DoNotSchedule`. */
  readonly spread: readonly SpreadRule[];
  readonly nodeSelector: Labels;
  /** Required node affinity, of which one term must match; undefined if there is none. */
  readonly nodeTerms: readonly Json[] | undefined;
  readonly nodeName: string | undefined;
  readonly tolerations: readonly Json[];
  readonly usesHostNetwork: boolean;
  readonly priority: number;
  /** True if the Pod can evict Pods of lower priority. */
  readonly preempts: boolean;
  /** Names of the claims that only one Pod at a time can use. */
  readonly exclusiveClaims: readonly string[];
  /** Requirements of its volumes on the node: one term of each set must match. */
  readonly volumeTerms: readonly (readonly Json[])[];
  /** Claims without a volume. */
  readonly openClaims: readonly UnboundClaim[];
  /** Volumes that drivers attach to its node. */
  readonly attached: readonly AttachedVolume[];
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A term of affinity or anti-affinity, with the requirements that its label keys add. */
export interface AffinityTerm {
  readonly topologyKey: string;
  selects(pod: PodShape): boolean;
  /**
   * Reports whether the term selects a running Pod while its own Pod is pending; by default, as
   * `selects`.
   */
  readonly selectsWhenNew?: (pod: PodShape) => boolean;
}

export interface SpreadRule {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** True if nodes that the Pod's own node rules exclude don't count. */
  readonly honorsAffinity: boolean;
  /** True if nodes with taints that the Pod doesn't tolerate don't count. */
  readonly honorsTaints: boolean;
  selects(pod: PodShape): boolean;
}

/** Facts from outside the Pod. */
export interface Surroundings {
  /** The version of the cluster; undefined if it can't be read. */
  readonly server?: ServerVersion | undefined;
  /** Labels by namespace. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** Rules for the Pods that use a claim, by `namespace/name`. */
  readonly claims: ReadonlyMap<string, ClaimRule>;
  /** Returns the claim from a template of which each Pod has its own. */
  readonly ephemeralClaim: (template: Json, namespace: string, volume: string) => UnboundClaim;
}

export interface ClaimRule {
  readonly exclusive: boolean;
  /** Requirements of its bound volume on a node: one term of each set must match. */
  readonly nodeTerms: readonly (readonly Json[])[];
  /** The claim, if it has no volume yet. */
  readonly open?: UnboundClaim | undefined;
  /** The driver that attaches its volume to a node. */
  readonly driver?: string | undefined;
}

/** Returns the shape of a Pod with these labels in this namespace. */
export function createPodShape(
  { namespace, labels, spec }: { namespace: string; labels: Labels; spec: JsonObject },
  surroundings: Surroundings,
): PodShape {
  const claims = claimNames(spec).map((name) => ({
    name,
    rule: surroundings.claims.get(`${namespace}/${name}`),
  }));
  const ephemeralClaims = listAt(spec, "volumes").flatMap((volume) => {
    const template = ephemeralClaimTemplate(volume);
    const name = textAt(volume, "name") ?? "";
    return template === undefined ? [] : [surroundings.ephemeralClaim(template, namespace, name)];
  });
  const requiredTerms = (kind: "podAffinity" | "podAntiAffinity") =>
    listAt(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").map((term) =>
      affinityTerm(term, { namespace, labels }, surroundings),
    );
  const attracting = requiredTerms("podAffinity");
  const nodeTerms = listAt(
    spec,
    ...["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    "nodeSelectorTerms",
  );
  return {
    namespace,
    labels,
    requests: podRequests(spec),
    hostPorts: readHostPorts(spec),
    // The scheduler requires one Pod that all terms select, not one Pod for each term.
    attracted: attracting.map(({ topologyKey }) => ({
      topologyKey,
      selects: (pod) => attracting.every((term) => term.selects(pod)),
    })),
    repelled: requiredTerms("podAntiAffinity"),
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
    openClaims: [...claims.flatMap(({ rule }) => rule?.open ?? []), ...ephemeralClaims],
    attached: [
      ...claims.flatMap(({ name, rule }) => attachedVolumes(rule?.driver, `${namespace}/${name}`)),
      ...ephemeralClaims.flatMap(({ driver }) => attachedVolumes(driver, undefined)),
    ],
  };
}

function attachedVolumes(
  driver: string | undefined,
  key: string | undefined,
): readonly AttachedVolume[] {
  return driver === undefined ? [] : [{ driver, key }];
}

interface TermOwner {
  readonly namespace: string;
  readonly labels: Labels;
}

function affinityTerm(
  declared: Json,
  owner: TermOwner,
  { namespaces, server }: Surroundings,
): AffinityTerm {
  const selector = withLabelKeys(
    at(declared, "labelSelector"),
    { match: listAt(declared, "matchLabelKeys"), mismatch: listAt(declared, "mismatchLabelKeys") },
    owner.labels,
  );
  const named = listAt(declared, "namespaces");
  const byLabels = at(declared, "namespaceSelector");
  const isOwnOnly = named.length === 0 && !isObject(byLabels);
  const selectsNamespace = (namespace: string) =>
    isOwnOnly
      ? namespace === owner.namespace
      : named.includes(namespace) ||
        (isObject(byLabels) && selects(byLabels, namespaces.get(namespace) ?? {}));
  const term = {
    topologyKey: textAt(declared, "topologyKey") ?? "",
    selects: memoizeByShape(
      (pod) => selectsNamespace(pod.namespace) && selects(selector, pod.labels),
    ),
  };
  // A selector that matches no labels, such as one that only excludes values, then selects Pods of
  // all namespaces.
  return isObject(byLabels) &&
    hasBehavior("selectorsOfPendingPodsMatchNoLabels", server) &&
    selects(byLabels, {})
    ? { ...term, selectsWhenNew: memoizeByShape((pod) => selects(selector, pod.labels)) }
    : term;
}

function spreadRule(rule: Json, owner: TermOwner): SpreadRule {
  const selector = withLabelKeys(
    at(rule, "labelSelector"),
    { match: listAt(rule, "matchLabelKeys"), mismatch: [] },
    owner.labels,
  );
  return {
    topologyKey: textAt(rule, "topologyKey") ?? "",
    maxSkew: numberAt(rule, "maxSkew") ?? 1,
    minDomains: numberAt(rule, "minDomains") ?? 1,
    honorsAffinity: textAt(rule, "nodeAffinityPolicy") !== "Ignore",
    honorsTaints: textAt(rule, "nodeTaintsPolicy") === "Honor",
    selects: memoizeByShape(
      (pod) => pod.namespace === owner.namespace && selects(selector, pod.labels),
    ),
  };
}

/** Caches the answers, because the same question is asked for each node. */
function memoizeByShape(ask: (pod: PodShape) => boolean): (pod: PodShape) => boolean {
  const answers = new Map<PodShape, boolean>();
  return (pod) => {
    const known = answers.get(pod);
    if (known !== undefined) return known;
    const answer = ask(pod);
    answers.set(pod, answer);
    return answer;
  };
}

/**
 * Lists the host ports of a running Pod.
 * Sidecars run together with the containers; other init containers have ended by then.
 */
function readHostPorts(spec: JsonObject): readonly HostPort[] {
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

function claimNames(spec: JsonObject): readonly string[] {
  return listAt(spec, "volumes").flatMap((volume) => {
    const name = textAt(volume, "persistentVolumeClaim", "claimName");
    return name === undefined ? [] : [name];
  });
}
