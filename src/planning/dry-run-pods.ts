import pMap from "p-map";
import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import { ephemeralClaimTemplate } from "../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import { type Change, type Plan, replacesPods } from "../model/plan/plan.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { SampleClaim } from "../preflight/cluster-facts.ts";
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
  const { live, id } = change;
  const makesClaims = live === undefined || replacesPods(change) || addsPods(change);
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

/**
 * Dry-runs one Pod of each changed template, and returns the answers by the key of the change.
 * The API server accepts a workload even if it will reject all its Pods. The result omits changes
 * without a sample Pod, and rejections that prove nothing.
 */
export async function dryRunPods(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, ApiResult<KubeObject>>> {
  const answers = await pMap(
    changes,
    async (change) => [change.key, await dryRunPod(cluster, change)] as const,
    { concurrency },
  );
  return new Map(
    answers.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const])),
  );
}

/**
 * Dry-runs one Pod of a change.
 * Returns undefined if the object creates no new Pods, its template isn't known yet, or the
 * rejection proves nothing.
 */
export async function dryRunPod(
  cluster: Cluster,
  change: Change,
): Promise<ApiResult<KubeObject> | undefined> {
  const pod = samplePod(change);
  if (pod === undefined) return undefined;
  const answer = await cluster.create(pod, { dryRun: true });
  if (answer.ok || !(await isCompletePodAccepted(cluster, change))) return answer;
  return undefined;
}

/**
 * Reports whether a Pod passes that contains the undeclared fields, too.
 * For an object outside this deployment, qvs can show only the declared fields, so it dry-runs a
 * Pod of these. Other field managers can own the missing fields. Then the rejection shows nothing
 * about the real Pods.
 */
async function isCompletePodAccepted(cluster: Cluster, change: Change): Promise<boolean> {
  if (change.redacted === undefined || change.predicted === undefined) return false;
  const completePod = samplePod({ ...change, redacted: undefined });
  return completePod === undefined || (await cluster.create(completePod, { dryRun: true })).ok;
}

/** Dry-runs one claim of each claim template, and returns the answers by the key of the change. */
export async function dryRunClaims(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, readonly SampleClaim[]>> {
  const claimsByKey = changes
    .map((change) => [change.key, sampleClaims(change)] as const)
    .filter(([, claims]) => claims.length > 0);
  const answers = await pMap(
    claimsByKey,
    async ([key, claims]) => [key, await dryRunEach(cluster, claims)] as const,
    { concurrency },
  );
  return new Map(answers);
}

async function dryRunEach(
  cluster: Cluster,
  claims: readonly KubeObject[],
): Promise<readonly SampleClaim[]> {
  return pMap(
    claims,
    async (claim) => ({ claim, answer: await cluster.create(claim, { dryRun: true }) }),
    { concurrency: 1 },
  );
}
