import { isDefaultClass, unnamedClasses } from "../../model/cluster/default-classes.ts";
import { nothingEarlier } from "../../model/earlier.ts";
import { at, fieldOf, type Json, sameJson } from "../../model/json.ts";
import { idOf, type KubeObject, nameOfKey, type ObjectId } from "../../model/object.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { byWhom, deletedByWhom, waitedFor } from "../earlier.ts";
import type { PlanInput, PlanRules } from "../plan-input.ts";
import { isRecreated } from "./unasked.ts";
import { unchecked, type Verdict } from "./verdict.ts";

/** What the server has filled in by what changes until an object is created is not foretold. */
export function withoutChangedDefaults(
  desired: DesiredObject,
  live: KubeObject | undefined,
  verdict: Verdict,
  input: PlanInput,
  verdictOf: (giver: DesiredObject) => Verdict,
): Verdict {
  const { steps, certainty } = verdict;
  if (certainty.by !== "server" || (live !== undefined && !isRecreated(steps))) return verdict;
  const kinds = giversOf(desired.id, desired.object);
  if (kinds.length === 0) return verdict;
  const givers = [...giversHere(kinds, input, verdictOf), ...giversBefore(kinds, input.rules)];
  const changed = givers.find((giver) => givesOther(giver, desired, input.desired));
  if (changed === undefined) return verdict;
  const what = `${nameOfKey(changed.key)}, by which the server fills in defaults,`;
  return { steps, certainty: unchecked(`${what} is ${changed.how}`) };
}

/** What the server may give a new object defaults by, and is otherwise then than in a dry-run now. */
interface ChangedGiver {
  readonly key: string;
  readonly id: ObjectId;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** Completes "it is …". */
  readonly how: string;
}

function giversHere(
  kinds: readonly string[],
  { desired: { objects }, observed: { live } }: PlanInput,
  verdictOf: (giver: DesiredObject) => Verdict,
): readonly ChangedGiver[] {
  return objects
    .filter(({ id }) => kinds.includes(kindOf(id)))
    .flatMap((giver) => {
      const { key, id, object } = giver;
      const { steps, predicted } = verdictOf(giver);
      const before = live.get(key);
      const how = `${before === undefined ? "created" : "changed"} ${byWhom(key)}`;
      return steps.length === 0 ? [] : [{ key, id, before, after: predicted ?? object, how }];
    });
}

function giversBefore(
  kinds: readonly string[],
  { earlier = nothingEarlier }: PlanRules,
): readonly ChangedGiver[] {
  const changed = [...earlier.changes].map(([key, { id, live, desired, predicted }]) => {
    const how = `${live === undefined ? "created" : "changed"} ${byWhom(key, earlier)}`;
    return { key, id, before: live, after: predicted ?? desired, how };
  });
  const deleted = [...earlier.deleted].map(([key, { live }]) => {
    const how = `deleted ${deletedByWhom(key, earlier)}`;
    return { key, id: idOf(live), before: live, after: undefined, how };
  });
  return [...changed, ...deleted].filter(({ id }) => kinds.includes(kindOf(id)));
}

/**
 * Whether the object gets other defaults by it: by what it waits for, and by a class that becomes the default or is it no longer. One that ceases to
 * be it is not waited for, so chance decides whether the object still gets it.
 */
function givesOther(
  { key, id, before, after }: ChangedGiver,
  { key: of, object }: DesiredObject,
  { edges, toEarlier }: PlanInput["desired"],
): boolean {
  const isUnnamed = unnamedClasses(object).some((kind) => kind === kindOf(id));
  const concerns = isUnnamed
    ? isDefault(id, before) || isDefault(id, after)
    : waitedFor(of, { edges, toEarlier }).some(({ on }) => on === key);
  return concerns && !sameJson(given(id, before), given(id, after));
}

function isDefault(id: ObjectId, object: KubeObject | undefined): boolean {
  return object !== undefined && isDefaultClass(id, object);
}

function giversOf(id: ObjectId, object: KubeObject): readonly string[] {
  switch (kindOf(id)) {
    case "/Pod":
      return Object.keys(fieldsGiven);
    case "/PersistentVolumeClaim":
    case "networking.k8s.io/Ingress":
      return unnamedClasses(object);
    default:
      return [];
  }
}

function kindOf({ group, kind }: Pick<ObjectId, "group" | "kind">): string {
  return `${group}/${kind}`;
}

/** What of each becomes a part of a Pod. */
const fieldsGiven: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "/LimitRange": [["spec", "limits"]],
  "/ServiceAccount": [["imagePullSecrets"], ["automountServiceAccountToken"]],
  "node.k8s.io/RuntimeClass": [["overhead"], ["scheduling"]],
  "scheduling.k8s.io/PriorityClass": [["globalDefault"], ["value"], ["preemptionPolicy"]],
};

function given(id: ObjectId, object: KubeObject | undefined): Json {
  const fields = fieldOf(fieldsGiven, kindOf(id));
  if (fields === undefined) return object !== undefined && isDefaultClass(id, object);
  return fields.map((path) => at(object, ...path) ?? null);
}
