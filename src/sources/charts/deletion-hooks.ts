import { toJson } from "../../config/read-typed.ts";
import { allowAnnotation } from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import {
  type DeletionEvent,
  type DeletionHook,
  deletionEvents,
  hookEventAnnotation,
} from "../../model/deletion-hook.ts";
import type { JsonObject } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import { textOf, type YamlMap } from "../../model/yaml-node.ts";
import type { RenderedHook } from "../../ports/render.ts";
import { withField } from "./edit-yaml.ts";
import { hookPhase, inHelmOrder, type ObjectNamespace, withDefault } from "./hooks.ts";

/** Returns the event of a deletion at which a hook runs. A hook of both runs before it. */
export function deletionEvent({ events }: Pick<RenderedHook, "events">): DeletionEvent | undefined {
  return deletionEvents.find((event) => events.includes(event));
}

/**
 * Returns the hooks that a deletion runs, in the order of Helm: those before the deletion, then
 * those after it. `read` returns the objects of a hook.
 */
export function deletionHooks(
  hooks: readonly RenderedHook[],
  read: (hook: RenderedHook) => readonly YamlMap[],
  placing: ObjectNamespace,
): readonly DeletionHook[] {
  return deletionEvents.flatMap((event) => {
    const ofEvent = hooks.filter((hook) => deletionEvent(hook) === event);
    return inHelmOrder(ofEvent).flatMap((hook) =>
      read(hook).map((object): DeletionHook => {
        const isDeployed = hookPhase(hook) !== "never";
        const deletesFailed = hook.deletePolicies.includes("hook-failed");
        return {
          event,
          object: withNamespace(toJson(runAtDeletion(object, event)) as JsonObject, placing),
          ...(deletesFailed ? { deletesFailed } : {}),
          ...(isDeployed ? { isDeployed } : {}),
        };
      }),
    );
  });
}

/** Makes a Job differ from one of the same name that ran at another event. */
function runAtDeletion(object: YamlMap, event: DeletionEvent): YamlMap {
  const group = groupOf(textOf(object, "apiVersion"));
  if (!isJob({ group, kind: textOf(object, "kind") })) return object;
  const path = ["spec", "template", "metadata", "annotations", hookEventAnnotation];
  const marked = withField(object, path, () => event);
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
