import { toJson } from "../../config/read-typed.ts";
import { allowAnnotation } from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { groupOf, idOf, isKubeObject, keyOf, nameOf } from "../../model/object.ts";
import {
  type DeletionEvent,
  type DeletionHook,
  deletionEvents,
  hookEventPath,
  hookRefusal,
} from "../../model/plan/deletion.ts";
import { type Problem, type Result, resultProblems } from "../../model/problems/problem.ts";
import { textOf, type YamlMap } from "../../model/sources/yaml-node.ts";
import type { RenderedHook } from "../../ports/render.ts";
import { hookPhase, inHelmOrder, type ObjectNamespace, withDefault, withField } from "./hooks.ts";

/**
 * Returns the event of a deletion at which a hook runs. A hook of both runs before it. A hook that
 * is also an object of the deployment doesn't run: its deletion is that of a deployed object.
 */
export function deletionEvent(hook: Pick<RenderedHook, "events">): DeletionEvent | undefined {
  if (hookPhase(hook) !== "never") return undefined;
  return deletionEvents.find((event) => hook.events.includes(event));
}

interface DeletionHooks {
  readonly hooks: readonly DeletionHook[];
  /** The notices about hooks that no deletion runs. */
  readonly notices: readonly Problem[];
}

interface HookContext extends ObjectNamespace {
  /** The templates whose objects differ in each rendering. */
  readonly random: ReadonlySet<string>;
  /** Returns the objects of a hook. */
  read(hook: RenderedHook): Result<readonly YamlMap[]>;
  placeOf(template: string): Problem["where"][number];
}

/**
 * Returns the hooks that a deletion runs, in the order of Helm: those before the deletion, then
 * those after it. qvs deletes every hook that it runs. Therefore it leaves out all objects whose
 * deletion could delete other objects or data.
 */
export function deletionHooks(hooks: readonly RenderedHook[], context: HookContext): DeletionHooks {
  const notices: Problem[] = [];
  const found = deletionEvents.flatMap((event) => {
    const ofEvent = hooks.filter((hook) => deletionEvent(hook) === event);
    return inHelmOrder(ofEvent).flatMap((hook) => {
      const read = context.read(hook);
      const leaveOut = (why: string) => notices.push(leftOutNotice(hook, why, context));
      if (!read.ok)
        leaveOut(
          resultProblems(read)
            .map(({ what }) => what)
            .join("; "),
        );
      return (read.ok ? read.value : []).flatMap((object): readonly DeletionHook[] => {
        const made = withNamespace(toJson(runAtDeletion(object, event)) as JsonObject, context);
        const why = hookRefusal(made);
        if (why !== undefined) leaveOut(why);
        const isRandom = context.random.has(hook.template);
        return why === undefined
          ? [{ event, object: made, ...(isRandom ? { isRandom } : {}) }]
          : [];
      });
    });
  });
  return { hooks: found, notices };
}

/**
 * Leaves out the hooks with the name of an object of the deployment, or of an earlier hook. A
 * deletion would change and delete that object. `namespace` is that of objects that name none.
 */
export function withoutNameConflicts(
  hooks: readonly DeletionHook[],
  objects: readonly JsonObject[],
  namespace: string,
): DeletionHooks {
  if (hooks.length === 0) return { hooks, notices: [] };
  const notices: Problem[] = [];
  const keys = new Set(objects.map((object) => placedKey(object, namespace)));
  const kept = hooks.filter(({ event, object }) => {
    const key = placedKey(object, namespace);
    const isTaken = keys.has(key);
    keys.add(key);
    if (isTaken)
      notices.push({
        code: "hook-left-out",
        where: [],
        what: `No deletion runs hook ${isKubeObject(object) ? nameOf(idOf(object)) : key}`,
        facts: [{ label: "event", value: event }],
        why: "The deployment has another object of this name, which the hook would change",
        fix: "Give the hook another name",
      });
    return !isTaken;
  });
  return { hooks: kept, notices };
}

function placedKey(object: JsonObject, namespace: string): string {
  const own = textAt(object, "metadata", "namespace") ?? "";
  return keyOf({
    group: groupOf(textAt(object, "apiVersion") ?? ""),
    kind: textAt(object, "kind") ?? "",
    namespace: own === "" ? namespace : own,
    name: textAt(object, "metadata", "name") ?? "",
  });
}

function leftOutNotice(
  { kind, name, template, events }: RenderedHook,
  why: string,
  { placeOf }: Pick<HookContext, "placeOf">,
): Problem {
  return {
    code: "hook-left-out",
    where: [placeOf(template)],
    what: `No deletion runs hook ${kind} ${name}`,
    facts: [{ label: "events", value: events.join(", ") }],
    why,
    fix: "Do its work manually before or after you delete the deployment",
  };
}

/** Prepares the place of the event in a Job. A deletion adds the release to it. */
function runAtDeletion(object: YamlMap, event: DeletionEvent): YamlMap {
  const group = groupOf(textOf(object, "apiVersion"));
  if (!isJob({ group, kind: textOf(object, "kind") })) return object;
  const marked = withField(object, hookEventPath, () => event);
  return withDefault(marked, ["metadata", "annotations", allowAnnotation], "job-runs-again");
}

/** Gives an object the namespace of the release, as Helm does. */
function withNamespace(
  object: JsonObject,
  { namespace, isNamespaced }: ObjectNamespace,
): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const isPlaced = typeof metadata["namespace"] === "string" && metadata["namespace"] !== "";
  return isPlaced || !isNamespaced(object)
    ? object
    : { ...object, metadata: { ...metadata, namespace } };
}
