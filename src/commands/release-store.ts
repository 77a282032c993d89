import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import { at } from "../model/json.ts";
import { addressOf, type KubeObject } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problem.ts";
import { type Release, releaseSecretType } from "../model/release.ts";
import type { Answer, Cluster } from "../ports.ts";
import { decodeReleases, isBeingDeleted } from "../releases/decode.ts";
import { encodeRelease, encodeReleaseState } from "../releases/encode.ts";
import { revisionsToPrune } from "../releases/prune.ts";
import { nextRevision, parseReleaseName, releaseSelector } from "../releases/release-names.ts";
import { clusterProblem } from "./cluster-problem.ts";
import { inParallel } from "./in-parallel.ts";
import type { World } from "./world.ts";

/** The releases of a deployment as the cluster holds them. */
export interface RecordedReleases {
  /** Newest first. */
  readonly releases: readonly Release[];
  /** The number that a new release gets. */
  readonly next: number;
  readonly secrets: readonly KubeObject[];
}

export async function readReleases(
  cluster: Cluster,
  deployment: Deployment,
  world: Pick<World, "decompress">,
): Promise<Result<RecordedReleases>> {
  const { name, namespace } = deployment;
  const listed = await cluster.list("v1", "Secret", namespace, releaseSelector(name));
  if (!listed.ok) {
    const doing = `read the releases of ${name} in namespace ${namespace}`;
    return failed([clusterProblem(cluster, doing, listed.failure)]);
  }
  const secrets = listed.value.items;
  const releases = decodeReleases(name, secrets, world.decompress);
  if (!releases.ok) return releases;
  return ok({ releases: releases.value, next: nextRevision(name, secrets), secrets });
}

/** Writes a pending release and returns the Secret that ends it. Nothing may change before this has succeeded. */
export async function recordPending(
  cluster: Cluster,
  release: Release,
  namespace: string,
  world: Pick<World, "compress">,
): Promise<KubeObject> {
  let head: KubeObject | undefined;
  for (const secret of encodeRelease(release, { namespace, compress: world.compress })) {
    head = orThrow(cluster, await cluster.create(secret), `record release ${release.revision}`);
  }
  if (head === undefined) throw new Error("a release is encoded as at least one Secret");
  return head;
}

/** One atomic write: the release has ended. Whoever has only annotated its Secret meanwhile does not stand in the way. */
export async function recordEnd(
  cluster: Cluster,
  release: Release,
  head: KubeObject,
  world: Pick<World, "compress">,
): Promise<void> {
  const namespace = String(head.metadata.namespace);
  let live = head;
  for (let attempt = 0; ; attempt += 1) {
    const ended = encodeReleaseState(release, live, { namespace, compress: world.compress });
    const answer = await cluster.replace(ended);
    const outrun = !answer.ok && answer.failure.reason === "conflict" && attempt < retries;
    const fresh = outrun ? await stillPending(cluster, head) : undefined;
    if (fresh === undefined) {
      orThrow(cluster, answer, `record the end of release ${release.revision}`);
      return;
    }
    live = fresh;
  }
}

const retries = 5;

/** The Secret of a pending release as it is now; undefined when it is not that any more. */
async function stillPending(cluster: Cluster, head: KubeObject): Promise<KubeObject | undefined> {
  const read = await cluster.read(addressOf(head));
  const live = read.ok ? read.value : undefined;
  const isSame = live?.metadata.uid === head.metadata.uid;
  return isSame && at(live, "data", "state") === at(head, "data", "state") ? live : undefined;
}

/**
 * Deletes old records. What cannot be deleted now goes with the next run: it is no reason to fail. The Secret that
 * makes a release exist goes before its parts, so that a run killed in between leaves parts of no release, which the
 * next one deletes; the other way round it would leave a release that nobody can read.
 */
export async function pruneReleases(
  cluster: Cluster,
  recorded: RecordedReleases,
  current: Release,
  needed: { readonly keys: readonly string[]; readonly newest?: number | undefined },
): Promise<void> {
  const { keys, newest } = needed;
  const old = new Set(revisionsToPrune([current, ...recorded.releases], keys, newest));
  const heads = recorded.secrets.filter((secret) => partOf(secret, current) === 0);
  const alive = new Set(heads.filter((head) => !isBeingDeleted(head)).map(revisionOf));
  await inParallel(
    heads.filter((head) => old.has(revisionOf(head))),
    4,
    async (head) => {
      if (await removed(cluster, head)) alive.delete(revisionOf(head));
    },
  );
  const parts = recorded.secrets.filter((secret) => (partOf(secret, current) ?? 0) > 0);
  const left = parts.filter((part) => !alive.has(revisionOf(part)));
  await inParallel(left, 4, (part) => removed(cluster, part));
}

/** Which part of a release of this deployment a Secret is, 0 for the one that makes it exist; undefined for any other. */
function partOf(secret: KubeObject, { deployment }: Release): number | undefined {
  const name = secret.type === releaseSecretType ? parseReleaseName(secret) : undefined;
  return name?.deployment === deployment ? name.part : undefined;
}

function revisionOf(secret: KubeObject): number {
  return parseReleaseName(secret)?.revision ?? 0;
}

async function removed(cluster: Cluster, secret: KubeObject): Promise<boolean> {
  return (await cluster.delete(addressOf(secret), String(secret.metadata.uid))).ok;
}

function orThrow(cluster: Cluster, answer: Answer<KubeObject>, doing: string): KubeObject {
  if (answer.ok) return answer.value;
  throw new UserError([clusterProblem(cluster, doing, answer.failure)]);
}
