import { at, fieldOf, isObject, type JsonObject, numberAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { hasLabeledPods, matchSelector } from "../match-selector.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports Services that lose their Pods, permanently or until new Pods are ready.
 * qvs writes a Service at once, but a rollout changes the labels of its Pods step by step
 * (https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service).
 */
export function serviceWithoutEndpoints({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const byNamespace = workloadsByNamespace(plan);
  return plan.changes.filter(isService).flatMap((service): readonly Finding[] => {
    const { live, desired, predicted, id } = service;
    const workloads = byNamespace.get(id.namespace);
    if (workloads === undefined || (service.action === "unchanged" && !workloads.change)) return [];
    const [before, after] = [serviceSelector(live), serviceSelector(predicted ?? desired)];
    if (before === undefined || after === undefined) return [];
    const old = workloads.old.filter((workload) => isSelected(workload, before));
    const found = workloads.made.filter((workload) => isSelected(workload, after));
    const [first] = found;
    const hadPods = old.some((workload) => hasPodsFor(workload, before));
    const stays = !hadPods || workloads.old.some((workload) => hasPodsFor(workload, after));
    if (old.length === 0 || (first !== undefined && stays)) return [];
    const texts =
      first === undefined
        ? lostPodsTexts(nameOf(id), after)
        : interruptedTexts(nameOf(id), { before, after, kind: first.kind });
    return [
      changeFinding(service, placeOf, {
        code: "service-without-endpoints",
        severity: "warning",
        ...texts,
        path: ["spec", "selector"],
      }),
    ];
  });
}

type Texts = Pick<Finding, "what" | "why" | "fix">;

function lostPodsTexts(name: string, selector: JsonObject): Texts {
  return {
    what: `${name} selects none of the new Pods`,
    why: `It selects ${formatSelector(selector)}, but no Pod template of this deployment has these labels. After the old Pods are deleted, it reaches no Pods`,
    fix: "Add these labels to the Pod template, or set the Service's selector to the labels of the new Pods",
  };
}

/** A new selector, which no running Pod has. */
interface Switch {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** The kind of the object that creates the new Pods. */
  readonly kind: string;
}

function interruptedTexts(name: string, change: Switch): Texts {
  return {
    what: `${name} has no endpoints until new Pods are ready`,
    why: `Its selector changes together with the labels of the Pods, and no old Pod has ${formatSelector(change.after)}. Until then, requests to it fail`,
    fix: `${inTwoSteps(change)}. Or make sure that no one needs the Service until then`,
  };
}

/**
 * Returns the two deployments between which the Service always has Pods.
 * A Pod can't have two values of one label, so such Pods need an object of their own.
 */
function inTwoSteps({ before, after, kind }: Switch): string {
  const clashes = Object.entries(after).some(
    ([name, value]) => Object.hasOwn(before, name) && fieldOf(before, name) !== value,
  );
  return clashes
    ? `First deploy the new Pods in a ${kind} with another name, keep the old Pods, and leave the selector unchanged. Change the selector and remove the old Pods in a later deployment`
    : `First deploy Pods that have both the old and the new labels (${formatSelector({ ...before, ...after })}), and leave the selector unchanged. Change the selector in a later deployment`;
}

function formatSelector(selector: JsonObject): string {
  return Object.entries(selector)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

function isService({ id, live }: Change): boolean {
  return isCoreKind(id, "Service") && live !== undefined;
}

/** Returns the selector; undefined if another tool writes the endpoints. */
function serviceSelector(service: KubeObject | undefined): JsonObject | undefined {
  const selector = at(service, "spec", "selector");
  return isObject(selector) && Object.keys(selector).length > 0 ? selector : undefined;
}

/** The live and the planned objects that create Pods in a namespace. */
interface NamespaceWorkloads {
  readonly old: readonly KubeObject[];
  readonly made: readonly KubeObject[];
  /** True if any of them changes; otherwise a Service with an unchanged selector keeps its Pods. */
  readonly change: boolean;
}

function workloadsByNamespace({
  changes,
  deletions,
}: Plan): ReadonlyMap<string, NamespaceWorkloads> {
  const all = [
    ...changes.map(({ id, live, predicted, desired, action }) => ({
      namespace: id.namespace,
      old: asWorkload(live),
      made: asWorkload(predicted ?? desired),
      changes: action !== "unchanged",
    })),
    ...deletions.map(({ id: { namespace }, live }) => {
      return { namespace, old: asWorkload(live), made: undefined, changes: true };
    }),
  ];
  const workloads = all.filter(({ old, made }) => old !== undefined || made !== undefined);
  const grouped = Map.groupBy(workloads, ({ namespace }) => namespace);
  const inAll = ([namespace, each]: readonly [string, typeof workloads]) =>
    [
      namespace,
      {
        old: each.flatMap(({ old }) => old ?? []),
        made: each.flatMap(({ made }) => made ?? []),
        change: each.some(({ changes }) => changes),
      },
    ] as const;
  return new Map([...grouped].map(inAll));
}

function asWorkload(object: KubeObject | undefined): KubeObject | undefined {
  return object !== undefined && hasLabeledPods(object) ? object : undefined;
}

/**
 * Reports whether a selector matches the Pods of an object.
 * An unknown result counts as a match, so that the rule reports nothing.
 */
function isSelected(workload: KubeObject, selector: JsonObject): boolean {
  return matchSelector(selector, workload) !== "no";
}

/** Reports whether a selector matches Pods that a live object has already created. */
function hasPodsFor(maker: KubeObject, selector: JsonObject): boolean {
  return isSelected(maker, selector) && numberAt(maker, "spec", "replicas") !== 0;
}
