import { at, isList, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { label } from "../../model/object.ts";
import {
  type ControllerInput,
  createShape,
  isUnready,
  newHash,
  revisionHash,
  revisionLabel,
} from "./controller-input.ts";
import type { OrdinalPod } from "./stateful-set-controller.ts";

export function statefulPods(input: ControllerInput) {
  const { workload, own, assumption, state } = input;
  const { live, uid, hasSameTemplate, change, spec } = workload;
  const revision = textAt(live, "status", "updateRevision");
  const name = change.id.name;
  const pods = own
    .filter(({ controller }) => controller === uid && uid !== "")
    .map((pod): OrdinalPod => {
      const isNew = hasSameTemplate && label(pod.object, revisionLabel) === revision;
      const text = textAt(pod.object, "metadata", "name") ?? "";
      return {
        ...{ shape: pod.shape, owner: pod.owner, node: pod.node },
        ordinal: Number(text.slice(text.lastIndexOf("-") + 1)),
        isNew,
        isBroken: isUnready(pod, assumption) && !isNew,
      };
    });
  // The namespace's defaults are in Pods, but not in templates.
  const sample = state.samples.get(change.key);
  const next = sample ?? at(assumption.spec ?? spec, "template");
  const newRevision = hasSameTemplate ? revision : revisionHash(sample);
  const templates = { next, before: at(live ?? null, "spec", "template") };
  const shapeOf = (ordinal: number, isNew: boolean) => {
    // All Pods have the first revision, including those below the partition.
    const isOfNext = isNew || live === undefined;
    return createShape(
      withOwnClaims(isOfNext ? templates.next : templates.before, `${name}-${ordinal}`, spec),
      {
        [revisionLabel]: (isOfNext ? newRevision : revision) ?? newHash,
        "statefulset.kubernetes.io/pod-name": `${name}-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      { state, workload },
    );
  };
  return { live: pods, owner: change.key, shapeOf };
}

/**
 * Adds the volumes of the claim templates.
 * Each ordinal keeps its existing volumes, wherever they are.
 */
function withOwnClaims(
  template: Json | undefined,
  pod: string,
  { volumeClaimTemplates }: JsonObject,
) {
  const spec = (at(template, "spec") ?? {}) as JsonObject;
  const names = (isList(volumeClaimTemplates) ? volumeClaimTemplates : []).flatMap(
    (claim) => textAt(claim, "metadata", "name") ?? [],
  );
  const others = listAt(spec, "volumes").filter(
    (volume) => !names.includes(textAt(volume, "name") ?? ""),
  );
  const own = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}` },
  }));
  const metadata = at(template, "metadata") ?? {};
  return { metadata, spec: { ...spec, volumes: [...others, ...own] } };
}
