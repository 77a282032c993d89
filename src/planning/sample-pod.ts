import { ignoreChangesAnnotation } from "../model/annotations.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import { parseIgnoredPaths } from "../model/fields/field-path.ts";
import { at, fieldOf, isObject, type JsonObject, listAt, numberAt, textAt } from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { annotation, idOf, type KubeObject, uidOf } from "../model/object.ts";
import type { Change } from "../model/plan/plan.ts";
import { addsPods, asPlanned, hasKnownValues, keepsTemplate } from "../preflight/planned-pods.ts";
import { allocatedPlaceholder } from "../ssa/allocated-values.ts";

/** A placeholder for the hash of the new revision, which only the controller computes. */
const sampleRevision = "preview";

/**
 * A placeholder as long as the longest hash.
 * In a StatefulSet's label, the hash follows the name, and a label has at most 63 characters.
 */
const longSampleRevision = "previewing";

/**
 * A placeholder for the minute in the name of a CronJob's Job: eight digits until the year 2160.
 */
const sampleMinute = "00000000";

type PodLabels = Readonly<Record<string, string>>;

/**
 * The labels that a controller adds to each of its Pods.
 * The hashes differ from those of all running Pods.
 */
const controllerLabels: Readonly<Record<string, (made: KubeObject) => PodLabels>> = {
  "apps/Deployment": () => ({ "pod-template-hash": sampleRevision }),
  "apps/StatefulSet": (set) => ({
    "controller-revision-hash": `${idOf(set).name}-${longSampleRevision}`,
    "apps.kubernetes.io/pod-index": String(firstOrdinal(set)),
    "statefulset.kubernetes.io/pod-name": firstPodName(set),
  }),
  "apps/DaemonSet": () => ({
    "controller-revision-hash": sampleRevision,
    "pod-template-generation": sampleRevision,
  }),
  "apps/ReplicaSet": () => ({}),
  "/ReplicationController": () => ({}),
  "batch/Job": (job) =>
    at(job, "spec", "manualSelector") === true ? {} : jobLabels(idOf(job).name),
  "batch/CronJob": (cron) => jobLabels(`${idOf(cron).name}-${sampleMinute}`),
  "argoproj.io/Rollout": () => ({ "rollouts-pod-template-hash": sampleRevision }),
};

/**
 * Returns the labels that the API server sets in a Job; the ones without a prefix are for old
 * clients.
 */
function jobLabels(name: string): PodLabels {
  return {
    "batch.kubernetes.io/job-name": name,
    "batch.kubernetes.io/controller-uid": sampleRevision,
    "job-name": name,
    "controller-uid": sampleRevision,
  };
}

function firstOrdinal(set: KubeObject): number {
  return numberAt(set, "spec", "ordinals", "start") ?? 0;
}

function firstPodName(set: KubeObject): string {
  return `${idOf(set).name}-${firstOrdinal(set)}`;
}

/**
 * Returns one Pod for a dry run, as the controller of a changed object would create it
 * (docs/concepts/admission.md#pods).
 * The API server generates its name, because the name of a StatefulSet's first Pod is taken.
 * Returns undefined if the object creates no Pods, or its Pods stay as they are. Also returns
 * undefined if a value of the template isn't known or comes from a Secret.
 */
export function samplePod(change: Change): KubeObject | undefined {
  const makeLabels = fieldOf(controllerLabels, kindKey(change.id));
  const planned = asPlanned(change);
  const template = podTemplate(planned);
  if (makeLabels === undefined || template === undefined || !hasKnownValues(change))
    return undefined;
  if (change.action === "unchanged") return undefined;
  if (keepsTemplate(change) && !addsPods(change)) return undefined;
  if (change.redacted !== undefined && ignoresTemplate(change)) return undefined;
  const { metadata, spec } = template;
  const own = isObject(metadata) ? metadata : {};
  const given = Object.entries(isObject(own.labels) ? own.labels : {}).map(
    ([name, value]) => [name, value === allocatedPlaceholder ? sampleRevision : value] as const,
  );
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(own.annotations === undefined ? {} : { annotations: own.annotations }),
      labels: { ...Object.fromEntries(given), ...makeLabels(planned) },
      generateName: podNamePrefix(change.id.name),
      namespace: change.id.namespace,
      ownerReferences: [controllerReference(change)],
    },
    spec: withNetworkIdentity(withClaimVolumes(spec as JsonObject, change), planned),
  };
}

/**
 * Returns the prefix of Pod names; controllers leave out the hyphen if there is no room for it.
 */
function podNamePrefix(name: string): string {
  return name.length < 253 ? `${name}-` : name;
}

interface Template {
  readonly metadata?: JsonObject[string] | undefined;
  readonly spec: JsonObject;
}

function podTemplate(object: KubeObject): Template | undefined {
  const pods = podSpecOf(object);
  if (pods === undefined) return undefined;
  return { metadata: at(object, ...pods.path.slice(0, -1), "metadata"), spec: pods.spec };
}

/**
 * Reports whether the manifest ignores fields of the template.
 * qvs doesn't send ignored fields, and must not show those of an object outside this deployment.
 * The remaining fields aren't a whole Pod.
 */
function ignoresTemplate({ desired }: Change): boolean {
  const ignored = parseIgnoredPaths(annotation(desired, ignoreChangesAnnotation) ?? "");
  return ignored.some(({ steps = [] }) =>
    steps.some((step) => step.type === "field" && step.name === "template"),
  );
}

/**
 * Returns the owner of the Pod: a ReplicaSet for a Deployment, a Job for a CronJob.
 * Policies check whether a controller created the Pod.
 */
function controllerReference({ desired, live, id }: Change): JsonObject {
  const owner = fieldOf(intermediateOwners, kindKey(id));
  const { apiVersion, kind } = owner ?? desired;
  const uid = owner === undefined ? uidOf(live ?? desired) : "";
  return { apiVersion, kind, name: id.name, uid: uid || emptyUid, controller: true };
}

const intermediateOwners: Readonly<
  Record<string, { readonly apiVersion: string; readonly kind: string }>
> = {
  "apps/Deployment": { apiVersion: "apps/v1", kind: "ReplicaSet" },
  "argoproj.io/Rollout": { apiVersion: "apps/v1", kind: "ReplicaSet" },
  "batch/CronJob": { apiVersion: "batch/v1", kind: "Job" },
};

const emptyUid = "00000000-0000-0000-0000-000000000000";

/**
 * Adds the claims of a StatefulSet as volumes, which replace volumes of the template with the same
 * names.
 */
function withClaimVolumes(spec: JsonObject, { desired, id }: Change): JsonObject {
  if (kindKey(id) !== "apps/StatefulSet") return spec;
  const names = listAt(desired, "spec", "volumeClaimTemplates").flatMap(
    (claim) => textAt(claim, "metadata", "name") ?? [],
  );
  const claimed = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${id.name}-0` },
  }));
  const others = listAt(spec, "volumes").filter(
    (volume) => !names.includes(textAt(volume, "name") ?? ""),
  );
  return names.length === 0 ? spec : { ...spec, volumes: [...others, ...claimed] };
}

/** Adds the network identity that a StatefulSet derives from the name of each Pod. */
function withNetworkIdentity(spec: JsonObject, planned: KubeObject): JsonObject {
  if (kindKey(idOf(planned)) !== "apps/StatefulSet") return spec;
  const subdomain = textAt(planned, "spec", "serviceName") ?? "";
  return { ...spec, hostname: firstPodName(planned), ...(subdomain === "" ? {} : { subdomain }) };
}
