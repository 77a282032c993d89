import { ephemeralClaimTemplate } from "../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { addsPods, asPlanned, hasKnownValues } from "../preflight/planned-pods.ts";
import { samplePod } from "./sample-pod.ts";

/**
 * Returns one claim for each template that a changed object creates claims from; none if their
 * values aren't known.
 * These are claims of a StatefulSet that is new or gets more Pods, and ephemeral claims of new
 * Pods. The API server generates their names.
 */
export function sampleClaims(change: Change): readonly KubeObject[] {
  if (!hasKnownValues(change) || change.redacted !== undefined) return [];
  const planned = asPlanned(change);
  return [...statefulSetClaims(change, planned), ...ephemeralClaims(change, planned)];
}

function statefulSetClaims(change: Change, planned: KubeObject): readonly KubeObject[] {
  const { live, action, id } = change;
  const makesClaims = live === undefined || action === "replace" || addsPods(change);
  if (!makesClaims || groupOf(planned.apiVersion) !== "apps" || planned.kind !== "StatefulSet")
    return [];
  const selected = objectOrEmpty(planned, "spec", "selector", "matchLabels");
  return listAt(planned, "spec", "volumeClaimTemplates").map((template) => {
    const claim = claimFromTemplate(
      template,
      id.namespace,
      `${textAt(template, "metadata", "name")}-`,
    );
    const labels = { ...objectOrEmpty(claim, "metadata", "labels"), ...selected };
    return { ...claim, metadata: { ...claim.metadata, labels } };
  });
}

function ephemeralClaims(change: Change, planned: KubeObject): readonly KubeObject[] {
  const volumes = listAt(podSpecOf(planned)?.spec, "volumes");
  const templates = volumes.flatMap((volume) => ephemeralClaimTemplate(volume) ?? []);
  if (templates.length === 0 || samplePod(change) === undefined) return [];
  return templates.map((template) =>
    claimFromTemplate(template, change.id.namespace, `${change.id.name}-`),
  );
}

function claimFromTemplate(template: Json, namespace: string, generateName: string): KubeObject {
  const { labels, annotations } = objectOrEmpty(template, "metadata");
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...{ generateName, namespace },
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: objectOrEmpty(template, "spec"),
  };
}

function objectOrEmpty(value: Json, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}
