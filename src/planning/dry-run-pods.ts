import pMap from "p-map";
import type { Answer } from "../model/cluster/api-failure.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { SampleClaim } from "../preflight/facts.ts";
import { sampleClaims } from "./sample-claims.ts";
import { samplePod } from "./sample-pod.ts";

/**
 * What the server says to one Pod of each changed template, by the key of the change: a workload is accepted whose every Pod is
 * refused. Those are missing of which no Pod can be made up, or whose refusal says nothing.
 */
export async function dryRunPods(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, Answer<KubeObject>>> {
  const answers = await pMap(
    changes,
    async (change) => [change.key, await dryRunPod(cluster, change)] as const,
    { concurrency },
  );
  return new Map(
    answers.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const])),
  );
}

/** undefined where the object makes no Pods, or not others than before, or where its template is not known yet. */
export async function dryRunPod(
  cluster: Cluster,
  change: Change,
): Promise<Answer<KubeObject> | undefined> {
  const pod = samplePod(change);
  if (pod === undefined) return undefined;
  const answer = await cluster.create(pod, { dryRun: true });
  if (answer.ok || !(await isMadeWhole(cluster, change))) return answer;
  return undefined;
}

/**
 * Of somebody else's object only what is declared may be told, so only a Pod of that is asked about. Others may hold what it lacks: then its
 * refusal says nothing of the Pods that come.
 */
async function isMadeWhole(cluster: Cluster, change: Change): Promise<boolean> {
  if (change.shows === undefined || change.predicted === undefined) return false;
  const whole = samplePod({ ...change, shows: undefined });
  return whole === undefined || (await cluster.create(whole, { dryRun: true })).ok;
}

/** The same of one claim of each template that a change makes claims of. */
export async function dryRunClaims(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, readonly SampleClaim[]>> {
  const making = changes
    .map((change) => [change.key, sampleClaims(change)] as const)
    .filter(([, claims]) => claims.length > 0);
  const answers = await pMap(
    making,
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
