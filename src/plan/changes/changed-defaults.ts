import { isDefaultClass, requiredDefaultClasses } from "../../model/cluster/default-classes.ts";
import { hasSameDefaults, podDefaultKinds } from "../../model/cluster/object-defaults.ts";
import { idOf, type KubeObject, nameFromKey, type ObjectId } from "../../model/object.ts";
import { noUpstreamDeployments } from "../../model/upstream-deployments.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { byWhom, deletedByWhom, waitedFor } from "../earlier.ts";
import type { PlanInput, PlanRules } from "../plan-input.ts";
import { isRecreated } from "./unasked.ts";
import { unchecked, type Verdict } from "./verdict.ts";

/**
 * Makes a verdict unchecked if objects that supply its defaults change before the object is
 * created.
 */
export function withoutChangedDefaults(
  desired: DesiredObject,
  live: KubeObject | undefined,
  verdict: Verdict,
  input: PlanInput,
  verdictOf: (giver: DesiredObject) => Verdict,
): Verdict {
  const { steps, certainty } = verdict;
  if (certainty.by !== "server" || (live !== undefined && !isRecreated(steps))) return verdict;
  const isGiver = giversOf(desired, input.desired);
  if (isGiver === undefined) return verdict;
  const givers = [...giversHere(isGiver, input, verdictOf), ...giversBefore(isGiver, input.rules)];
  const changed = givers.find((giver) => givesOther(giver, desired.object));
  if (changed === undefined) return verdict;
  const reason = `${nameFromKey(changed.key)}, which sets its defaults, is ${changed.how}`;
  return { steps, certainty: unchecked(reason) };
}

type IsGiver = (each: Pick<DesiredObject, "key" | "id">) => boolean;

/**
 * Returns a test for objects that can supply defaults to this object.
 * They are among its dependencies, or they are classes of a kind that the object doesn't name. The
 * object doesn't wait for a class that stops being the default, so chance decides whether it still
 * gets it.
 */
function giversOf(
  { key: of, id, object }: DesiredObject,
  { edges, toEarlier }: PlanInput["desired"],
): IsGiver | undefined {
  const kinds = kindsOfGivers(id, object);
  if (kinds.length === 0) return undefined;
  const unnamed: readonly string[] = requiredDefaultClasses(object);
  const waitsFor = new Set(waitedFor(of, { edges, toEarlier }).map(({ on }) => on));
  return (each) =>
    (waitsFor.has(each.key) && kinds.includes(kindOf(each.id))) ||
    (each.id.kind.endsWith("Class") && unnamed.includes(kindOf(each.id)));
}

/**
 * An object that supplies defaults to a new object, and that differs from its state in a dry run
 * now.
 */
interface ChangedGiver {
  readonly key: string;
  readonly id: ObjectId;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** Completes the sentence "it is …". */
  readonly how: string;
}

function giversHere(
  isGiver: IsGiver,
  { desired: { objects }, observed: { live } }: PlanInput,
  verdictOf: (giver: DesiredObject) => Verdict,
): readonly ChangedGiver[] {
  return objects.filter(isGiver).flatMap((giver) => {
    const { key, id, object } = giver;
    const { steps, predicted } = verdictOf(giver);
    const before = live.get(key);
    const how = `${before === undefined ? "created" : "changed"} ${byWhom(key)}`;
    return steps.length === 0 ? [] : [{ key, id, before, after: predicted ?? object, how }];
  });
}

function giversBefore(
  isGiver: IsGiver,
  { earlier = noUpstreamDeployments }: PlanRules,
): readonly ChangedGiver[] {
  const changed = [...earlier.changes.values()].filter(isGiver);
  const deleted = [...earlier.deleted].map(([key, { live }]) => ({ key, id: idOf(live), live }));
  return [
    ...changed.map(({ key, id, live, desired, predicted }) => {
      const how = `${live === undefined ? "created" : "changed"} ${byWhom(key, earlier)}`;
      return { key, id, before: live, after: predicted ?? desired, how };
    }),
    ...deleted.filter(isGiver).map(({ key, id, live }) => {
      const how = `deleted ${deletedByWhom(key, earlier)}`;
      return { key, id, before: live, after: undefined, how };
    }),
  ];
}

/**
 * Reports whether the change gives the object other defaults.
 * A class that neither was nor becomes the default gives nothing to an object that names no class.
 */
function givesOther({ id, before, after }: ChangedGiver, object: KubeObject): boolean {
  const isUnnamed = requiredDefaultClasses(object).some((kind) => kind === kindOf(id));
  const concerns = !isUnnamed || isDefault(id, before) || isDefault(id, after);
  return concerns && !hasSameDefaults(id, before, after);
}

function isDefault(id: ObjectId, object: KubeObject | undefined): boolean {
  return object !== undefined && isDefaultClass(id, object);
}

function kindsOfGivers(id: ObjectId, object: KubeObject): readonly string[] {
  switch (kindOf(id)) {
    case "/Pod":
      return podDefaultKinds;
    case "/PersistentVolumeClaim":
    case "networking.k8s.io/Ingress":
      return requiredDefaultClasses(object);
    default:
      return [];
  }
}

function kindOf({ group, kind }: Pick<ObjectId, "group" | "kind">): string {
  return `${group}/${kind}`;
}
