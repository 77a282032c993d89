import {
  hasSameDefaults,
  isDefaultClass,
  requiredDefaultClasses,
} from "../../model/cluster/fields/object-defaults.ts";
import { noUpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import { podDefaultKinds } from "../../model/governors.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject, nameFromKey, type ObjectId } from "../../model/object.ts";
import { isRecreated } from "../../model/plan/plan.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput, PlanRules } from "../plan-input.ts";
import { allDependencies, changeActor, deletionActor } from "../upstream-deployments.ts";
import { type ChangeVerdict, unchecked } from "./verdict.ts";

/**
 * Makes a verdict unchecked if objects that supply its defaults change before the object is
 * created.
 */
export function uncheckChangedDefaults(
  desired: DesiredObject,
  live: KubeObject | undefined,
  verdict: ChangeVerdict,
  input: PlanInput,
  getVerdict: (giver: DesiredObject) => ChangeVerdict,
): ChangeVerdict {
  const { steps, certainty } = verdict;
  if (certainty.by !== "server" || (live !== undefined && !isRecreated(steps))) return verdict;
  const isDefaultSource = defaultSourceTest(desired, input.desired);
  if (isDefaultSource === undefined) return verdict;
  const defaultChanges = [
    ...ownDefaultChanges(isDefaultSource, input, getVerdict),
    ...upstreamDefaultChanges(isDefaultSource, input.rules),
  ];
  const changed = defaultChanges.find((giver) => changesDefaults(giver, desired.object));
  if (changed === undefined) return verdict;
  const reason = `${nameFromKey(changed.key)}, which sets its defaults, is ${changed.how}`;
  return { steps, certainty: unchecked(reason) };
}

type IsDefaultSource = (each: Pick<DesiredObject, "key" | "id">) => boolean;

/**
 * Returns a test for objects that can supply defaults to this object.
 * They are among its dependencies, or they are classes of a kind that the object doesn't name. The
 * object doesn't wait for a class that stops being the default, so chance decides whether it still
 * gets it.
 */
function defaultSourceTest(
  { key: ownKey, id, object }: DesiredObject,
  { edges, upstreamEdges }: PlanInput["desired"],
): IsDefaultSource | undefined {
  const kinds = defaultSourceKinds(id, object);
  if (kinds.length === 0) return undefined;
  const unnamed: readonly string[] = requiredDefaultClasses(object);
  const awaitedKeys = new Set(
    allDependencies(ownKey, { edges, upstreamEdges }).map(({ on }) => on),
  );
  return (each) =>
    (awaitedKeys.has(each.key) && kinds.includes(kindKey(each.id))) ||
    (each.id.kind.endsWith("Class") && unnamed.includes(kindKey(each.id)));
}

/**
 * An object that supplies defaults to a new object, and that differs from its state in a dry run
 * now.
 */
interface DefaultChange {
  readonly key: string;
  readonly id: ObjectId;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** Completes the sentence "it is …". */
  readonly how: string;
}

function ownDefaultChanges(
  isDefaultSource: IsDefaultSource,
  { desired: { objects }, observed: { live } }: PlanInput,
  getVerdict: (giver: DesiredObject) => ChangeVerdict,
): readonly DefaultChange[] {
  return objects.filter(isDefaultSource).flatMap((giver) => {
    const { key, id, object } = giver;
    const { steps, predicted } = getVerdict(giver);
    const before = live.get(key);
    const how = `${before === undefined ? "created" : "changed"} ${changeActor(key)}`;
    return steps.length === 0 ? [] : [{ key, id, before, after: predicted ?? object, how }];
  });
}

function upstreamDefaultChanges(
  isDefaultSource: IsDefaultSource,
  { upstream = noUpstreamDeployments }: PlanRules,
): readonly DefaultChange[] {
  const changed = [...upstream.changes.values()].filter(isDefaultSource);
  const deleted = [...upstream.deleted].map(([key, { live }]) => ({ key, id: idOf(live), live }));
  return [
    ...changed.map(({ key, id, live, desired, predicted }) => {
      const how = `${live === undefined ? "created" : "changed"} ${changeActor(key, upstream)}`;
      return { key, id, before: live, after: predicted ?? desired, how };
    }),
    ...deleted.filter(isDefaultSource).map(({ key, id, live }) => {
      const how = `deleted ${deletionActor(key, upstream)}`;
      return { key, id, before: live, after: undefined, how };
    }),
  ];
}

/**
 * Reports whether the change gives the object other defaults.
 * A class that neither was nor becomes the default gives nothing to an object that names no class.
 */
function changesDefaults({ id, before, after }: DefaultChange, object: KubeObject): boolean {
  const isUnnamed = requiredDefaultClasses(object).some((kind) => kind === kindKey(id));
  const isRelevant = !isUnnamed || isDefault(id, before) || isDefault(id, after);
  return isRelevant && !hasSameDefaults(id, before, after);
}

function isDefault(id: ObjectId, object: KubeObject | undefined): boolean {
  return object !== undefined && isDefaultClass(id, object);
}

function defaultSourceKinds(id: ObjectId, object: KubeObject): readonly string[] {
  switch (kindKey(id)) {
    case "/Pod":
      return podDefaultKinds;
    case "/PersistentVolumeClaim":
    case "networking.k8s.io/Ingress":
      return requiredDefaultClasses(object);
    default:
      return [];
  }
}
