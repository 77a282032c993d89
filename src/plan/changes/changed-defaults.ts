import { isDefaultClass, unnamedClasses } from "../../model/cluster/default-classes.ts";
import { at, fieldOf, type Json, sameJson } from "../../model/json.ts";
import { type KubeObject, nameOfKey, type ObjectId } from "../../model/object.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { byWhom } from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
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
  const giver = changedDefaults(desired, input, verdictOf);
  if (giver === undefined) return verdict;
  const does = input.observed.live.has(giver.key) ? "changed" : "created";
  const what = `${nameOfKey(giver.key)}, by which the server fills in defaults,`;
  return { steps, certainty: unchecked(`${what} is ${does} ${byWhom(giver.key)}`) };
}

/**
 * What changes before a new object is created and has the server give it other defaults then than in a dry-run now: a class that becomes the
 * default, the account or the LimitRange of a Pod. undefined where all stays.
 */
function changedDefaults(
  { key, id, object }: DesiredObject,
  { desired: { byKey, edges }, observed: { live } }: PlanInput,
  verdictOf: (giver: DesiredObject) => Verdict,
): DesiredObject | undefined {
  const kinds = giversOf(id, object);
  if (kinds.length === 0) return undefined;
  const before = (edges.get(key) ?? []).flatMap(({ on }) => byKey.get(on) ?? []);
  const givers = before.filter((each) => kinds.includes(kindOf(each.id)));
  return givers.find((giver) => {
    const { steps, predicted } = verdictOf(giver);
    const after = predicted ?? giver.object;
    return (
      steps.length > 0 && !sameJson(given(giver.id, live.get(giver.key)), given(giver.id, after))
    );
  });
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
