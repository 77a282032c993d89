import { at, isObject, type JsonObject } from "../../model/json.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { hasLabelledPods, selectionOf } from "../made-labels.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Reports Services that lose their Pods, permanently or until new Pods are ready.
 * qvs writes a Service at once, but a rollout changes the labels of its Pods step by step
 * (https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service).
 */
export function serviceWithoutEndpoints({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const makersIn = makersByNamespace(plan);
  return plan.changes.filter(isService).flatMap((service): readonly Finding[] => {
    const { live, desired, predicted, key, id } = service;
    const makers = makersIn.get(id.namespace);
    if (makers === undefined || (service.action === "unchanged" && !makers.change)) return [];
    const [before, after] = [selectorOf(live), selectorOf(predicted ?? desired)];
    if (before === undefined || after === undefined) return [];
    const old = makers.old.filter((maker) => isSelected(maker, before));
    const found = makers.made.filter((maker) => isSelected(maker, after));
    const stays = found.length > 0 && old.some((maker) => isSelected(maker, after));
    if (old.length === 0 || stays) return [];
    const where = declaredAt({ where: placeOf(key) });
    const about = { object: addressOf(desired), where, path: ["spec", "selector"] };
    const finding = found.length === 0 ? lost : interrupted;
    return [finding(nameOf(id), after, about)];
  });
}

type About = Pick<Finding, "object" | "where" | "path">;

function lost(name: string, selector: JsonObject, about: About): Finding {
  return {
    code: "service-without-endpoints",
    severity: "warning",
    what: `${name} selects none of the new Pods: nobody reaches them through it once the old ones are deleted`,
    why: `it selects ${inWords(selector)}, and no Pod template of this deployment has these labels any more`,
    fix: "Give the Pod template these labels, or the Service the selector of the new Pods",
    ...about,
  };
}

function interrupted(name: string, selector: JsonObject, about: About): Finding {
  return {
    code: "service-without-endpoints",
    severity: "warning",
    what: `${name} has no endpoints until new Pods are ready: until then, requests to it fail`,
    why: `its selector changes with the labels of the Pods, and no old Pod has ${inWords(selector)}`,
    fix: "Change the labels of the Pods first, and the selector of the Service in a later deployment; or check that nobody needs it until then",
    ...about,
  };
}

function inWords(selector: JsonObject): string {
  return Object.entries(selector)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

function isService({ id, live }: Change): boolean {
  return id.group === "" && id.kind === "Service" && live !== undefined;
}

/** Returns the selector; undefined if another tool writes the endpoints. */
function selectorOf(service: KubeObject | undefined): JsonObject | undefined {
  const selector = at(service, "spec", "selector");
  return isObject(selector) && Object.keys(selector).length > 0 ? selector : undefined;
}

/** The live and the planned objects that create Pods in a namespace. */
interface Makers {
  readonly old: readonly KubeObject[];
  readonly made: readonly KubeObject[];
  /** True if any of them changes; otherwise a Service with an unchanged selector keeps its Pods. */
  readonly change: boolean;
}

function makersByNamespace({ changes, deletions }: Plan): ReadonlyMap<string, Makers> {
  const all = [
    ...changes.map(({ id, live, predicted, desired, action }) => ({
      namespace: id.namespace,
      old: onlyMaker(live),
      made: onlyMaker(predicted ?? desired),
      changes: action !== "unchanged",
    })),
    ...deletions.map(({ id: { namespace }, live }) => {
      return { namespace, old: onlyMaker(live), made: undefined, changes: true };
    }),
  ];
  const makers = all.filter(({ old, made }) => old !== undefined || made !== undefined);
  const grouped = Map.groupBy(makers, ({ namespace }) => namespace);
  const inAll = ([namespace, each]: readonly [string, typeof makers]) =>
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

function onlyMaker(object: KubeObject | undefined): KubeObject | undefined {
  return object !== undefined && hasLabelledPods(object) ? object : undefined;
}

/**
 * Reports whether a selector matches the Pods of an object.
 * An unknown result counts as a match, so that the rule reports nothing.
 */
function isSelected(maker: KubeObject, selector: JsonObject): boolean {
  return selectionOf(selector, maker) !== "no";
}
