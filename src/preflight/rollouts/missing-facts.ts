import {
  ephemeralClaimTemplate,
  usesClaims,
} from "../../model/cluster/persistent-volume-claims.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import type { Change } from "../../model/plan/plan.ts";
import { type ClusterFact, type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { needsExistingVolume } from "./claim-rules.ts";
import type { Workload } from "./workload.ts";

/** Facts that decide how a rollout ends and that qvs can't read. */
export interface MissingFacts {
  readonly why: string;
  /** The missing permissions. */
  readonly fix: string;
}

/**
 * Returns the unreadable facts that a workload depends on, for existing and planned objects.
 * Unreadable doesn't mean empty. Facts that the workload doesn't use aren't required.
 */
export function missingFacts(workload: Workload, facts: ClusterFacts): MissingFacts | undefined {
  const { nodes, pods, replicaSets, namespaces } = facts;
  const always = findUnread({ nodes, Pods: pods, ReplicaSets: replicaSets, namespaces });
  const own = findUnread(requiredFacts(workload, facts));
  const missing = [...always, ...own];
  if (missing.length === 0) return undefined;
  return {
    why: describeUnread(missing),
    fix: allowListFix([
      ...(always.length === 0 ? [] : alwaysNeeded),
      ...own.map(({ name }) => name),
    ]),
  };
}

/**
 * Returns the unreadable facts that decide whether any node could run one Pod.
 * Other Pods on the nodes don't matter here.
 */
export function missingForOnePod(
  { change, pod }: { readonly change: Change; readonly pod: JsonObject },
  facts: ClusterFacts,
): MissingFacts | undefined {
  const ofPod = { change, spec: { template: { spec: pod } }, replicas: 1 };
  const { PriorityClasses: _, ...needed } = requiredFacts(ofPod, facts);
  const missing = findUnread({ nodes: facts.nodes, ...needed });
  return missing.length === 0
    ? undefined
    : {
        why: describeUnread(missing),
        fix: allowListFix(missing.map(({ name }) => name)),
      };
}

function describeUnread(missing: readonly UnreadFact[]): string {
  return missing.map(({ name, why }) => `qvs can't list ${name}: ${why}`).join("; ");
}

function allowListFix(resources: readonly string[]): string {
  const last = resources.at(-1) ?? "";
  const others = resources.slice(0, -1);
  return `Allow this identity to list ${others.length === 0 ? "" : `${others.join(", ")} and `}${last}`;
}

const alwaysNeeded = ["nodes", "namespaces", "Pods of all namespaces"];

type FactsByName = Readonly<Record<string, ClusterFact<unknown>>>;

interface UnreadFact {
  readonly name: string;
  readonly why: string;
}

function findUnread(facts: FactsByName): readonly UnreadFact[] {
  return Object.entries(facts).flatMap(([name, fact]) =>
    fact.known ? [] : [{ name, why: fact.why }],
  );
}

type PodTemplateOwner = Pick<Workload, "change" | "spec" | "replicas">;

function requiredFacts(workload: PodTemplateOwner, facts: ClusterFacts): FactsByName {
  const { change, spec } = workload;
  const { claims, volumes, storageClasses, csiNodes, priorityClasses, samplePods } = facts;
  const pod = at(spec, "template", "spec");
  const names = [...claimNames(pod), ...templateClaimNames(workload)];
  const own = knownValues(claims).filter(
    (claim) =>
      textAt(claim, "metadata", "namespace") === change.id.namespace &&
      names.includes(textAt(claim, "metadata", "name") ?? ""),
  );
  const made = listAt(pod, "volumes").flatMap((volume) => ephemeralClaimTemplate(volume) ?? []);
  const unbound = own.filter((claim) => textAt(claim, "spec", "volumeName") === undefined);
  const open = [...unbound, ...made];
  const needsVolumes =
    unbound.length < own.length || open.some((claim) => needsExistingVolume(claim, facts));
  // The API server writes the priority into a sample Pod.
  const isAnswered = samplePods.get(change.key)?.ok === true;
  return {
    ...(names.length > 0 ? { PersistentVolumeClaims: claims } : {}),
    ...(needsVolumes ? { PersistentVolumes: volumes } : {}),
    ...(open.length > 0 ? { StorageClasses: storageClasses } : {}),
    ...(usesClaims(spec) ? { CSINodes: csiNodes } : {}),
    ...(!isAnswered && hasCustomPriority(pod) ? { PriorityClasses: priorityClasses } : {}),
  };
}

function claimNames(pod: Json | undefined): readonly string[] {
  return listAt(pod, "volumes").flatMap(
    (volume) => textAt(volume, "persistentVolumeClaim", "claimName") ?? [],
  );
}

/** Returns the names of the claims that a StatefulSet has created or will create. */
function templateClaimNames({ spec, change, replicas }: PodTemplateOwner): readonly string[] {
  const start = numberAt(spec, "ordinals", "start") ?? 0;
  return listAt(spec, "volumeClaimTemplates").flatMap((claim) => {
    const name = textAt(claim, "metadata", "name") ?? "";
    return Array.from({ length: replicas }, (_, i) => `${name}-${change.id.name}-${start + i}`);
  });
}

/**
 * Reports whether the Pod has a PriorityClass that isn't built in and the template doesn't set a
 * priority.
 */
function hasCustomPriority(pod: Json | undefined): boolean {
  const name = textAt(pod, "priorityClassName") ?? "";
  return name !== "" && !name.startsWith("system-") && at(pod, "priority") === undefined;
}
