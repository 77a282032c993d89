import pMap from "p-map";
import { type Answer, apiProblem } from "../model/cluster/api-failure.ts";
import type { Deployment } from "../model/deployment.ts";
import { at, textAt } from "../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../model/object.ts";
import { UserError } from "../model/problems/errors.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import { type Release, releaseSecretType } from "../model/release.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { decodeReadable, isBeingDeleted } from "./decode.ts";
import { encodeRelease, encodeReleaseState } from "./encode.ts";
import { revisionsToPrune } from "./prune.ts";
import { nextRevision, parseReleaseName, releaseSelector } from "./release-names.ts";
import { listByType, unlabelledAmong, unlabelledRecords } from "./unlabelled.ts";
import type { UnreadableRecord } from "./unreadable.ts";

interface Compressor {
  readonly compress: (text: string) => Uint8Array;
}

/** The releases of a deployment as the cluster holds them. */
export interface RecordedReleases {
  /** Newest first. */
  readonly releases: readonly Release[];
  /** The number that a new release gets. */
  readonly next: number;
  readonly secrets: readonly KubeObject[];
  /** Records that can't be read; none where each of them is needed. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** All releases: a record that can't be read is a problem. */
export async function readReleases(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<Result<RecordedReleases>> {
  const read = await readReadableReleases(cluster, deployment, world);
  if (!read.ok || read.value.unreadable.length === 0) return read;
  return failed(read.value.unreadable.map(({ problem }) => problem));
}

/** For what goes on without those that can't be read. */
export async function readReadableReleases(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<Result<RecordedReleases>> {
  const { name, namespace } = deployment;
  const [listed, ofType] = await Promise.all([
    cluster.list("v1", "Secret", namespace, releaseSelector(name)),
    listByType(cluster, namespace),
  ]);
  const doing = `read the releases of ${name} in namespace ${namespace}`;
  if (!listed.ok) return failed([apiProblem(cluster, doing, listed.failure)]);
  if (!ofType.ok) return failed([apiProblem(cluster, doing, ofType.failure)]);
  const secrets = listed.value.items;
  const decoded = decodeReadable(name, secrets, world.decompress);
  if (!decoded.ok) return decoded;
  const unlabelled = unlabelledAmong(ofType.value.items, deployment);
  const next = nextRevision(name, [...secrets, ...unlabelled]);
  if (!next.ok) return next;
  const { releases, unreadable } = decoded.value;
  const found = unlabelledRecords(unlabelled, deployment);
  const hidden = new Set(found.map(({ revision }) => revision));
  const others = unreadable.filter(({ revision }) => !hidden.has(revision));
  return ok({ releases, unreadable: [...found, ...others], next: next.value, secrets });
}

/** Writes a pending release and returns the Secret that ends it. Nothing may change before this has succeeded. */
export async function recordPending(
  cluster: Cluster,
  release: Release,
  namespace: string,
  world: Compressor,
): Promise<KubeObject> {
  let head: KubeObject | undefined;
  for (const secret of encodeRelease(release, { namespace, compress: world.compress })) {
    head = orThrow(cluster, await cluster.create(secret), `record release ${release.revision}`);
  }
  if (head === undefined) throw new Error("a release is encoded as at least one Secret");
  return head;
}

/** One atomic write: the release has ended. */
export async function recordEnd(
  cluster: Cluster,
  release: Release,
  head: KubeObject,
  world: Compressor,
): Promise<void> {
  const doing = `record the end of release ${release.revision}`;
  await recordState(cluster, { release, head, doing }, world);
}

/** The release that runs, with the run that has found nothing to change. */
export async function recordSeen(
  cluster: Cluster,
  release: Release,
  { secrets }: RecordedReleases,
  world: Compressor,
): Promise<void> {
  const head = secrets.find(
    (secret) => partOf(secret, release) === 0 && revisionOf(secret) === release.revision,
  );
  if (head === undefined) throw new Error("a release that was read has a Secret");
  const doing = `note this run on release ${release.revision}`;
  await recordState(cluster, { release, head, doing }, world);
}

interface NewState {
  readonly release: Release;
  /** The Secret as it was read or written last. */
  readonly head: KubeObject;
  readonly doing: string;
}

/** Whoever has only annotated the Secret meanwhile does not stand in the way. */
async function recordState(
  cluster: Cluster,
  { release, head, doing }: NewState,
  world: Compressor,
): Promise<void> {
  const namespace = textAt(head, "metadata", "namespace") ?? "";
  let live = head;
  for (let attempt = 0; ; attempt += 1) {
    const ended = encodeReleaseState(release, live, { namespace, compress: world.compress });
    const answer = await cluster.replace(ended);
    const outrun = !answer.ok && answer.failure.reason === "conflict" && attempt < retries;
    const fresh = outrun ? await withSameState(cluster, head) : undefined;
    if (fresh === undefined) {
      orThrow(cluster, answer, doing);
      return;
    }
    live = fresh;
  }
}

const retries = 5;

/** The Secret of a release as it is now; undefined when the release is in another state than it was. */
async function withSameState(cluster: Cluster, head: KubeObject): Promise<KubeObject | undefined> {
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
  const heads = headsOf(recorded, current);
  const alive = new Set(heads.filter((head) => !isBeingDeleted(head)).map(revisionOf));
  await pMap(
    heads.filter((head) => old.has(revisionOf(head))),
    async (head) => {
      if (await removed(cluster, head)) alive.delete(revisionOf(head));
    },
    { concurrency: 4 },
  );
  await deleteParts(cluster, recorded, current, alive);
}

/** Deletes what a run left that was killed while it recorded a release, where the next run has no release to record. */
export async function pruneOrphanedParts(
  cluster: Cluster,
  recorded: RecordedReleases,
  current: Release,
): Promise<void> {
  const alive = headsOf(recorded, current).filter((head) => !isBeingDeleted(head));
  await deleteParts(cluster, recorded, current, new Set(alive.map(revisionOf)));
}

/**
 * Deletes every record, when nothing is left that one of them would be needed for. The oldest first, and each before its parts: what
 * a run leaves that is killed in between is deleted by the next one, which until the end finds the newest release and its inventory.
 * Throws a UserError.
 */
export async function deleteRecords(
  cluster: Cluster,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Promise<void> {
  const doing = (what: string) => `${what} the releases of ${name} in namespace ${namespace}`;
  const listed = await cluster.list("v1", "Secret", namespace, releaseSelector(name));
  if (!listed.ok) throw new UserError([apiProblem(cluster, doing("read"), listed.failure)]);
  const own = listed.value.items.filter(
    (secret) => partOf(secret, { deployment: name }) !== undefined,
  );
  const inOrder = own.toSorted(
    (a, b) => revisionOf(a) - revisionOf(b) || partNumber(a) - partNumber(b),
  );
  for (const secret of inOrder) {
    const answer = await cluster.delete(addressOf(secret), uidOf(secret));
    if (!answer.ok) throw new UserError([apiProblem(cluster, doing("delete"), answer.failure)]);
  }
}

function partNumber(secret: KubeObject): number {
  return parseReleaseName(secret)?.part ?? 0;
}

/** The Secrets that make releases exist. */
function headsOf({ secrets }: RecordedReleases, current: Release): readonly KubeObject[] {
  return secrets.filter((secret) => partOf(secret, current) === 0);
}

async function deleteParts(
  cluster: Cluster,
  { secrets }: RecordedReleases,
  current: Release,
  alive: ReadonlySet<number>,
): Promise<void> {
  const parts = secrets.filter((secret) => (partOf(secret, current) ?? 0) > 0);
  const left = parts.filter((part) => !alive.has(revisionOf(part)));
  await pMap(left, (part) => removed(cluster, part), { concurrency: 4 });
}

/** Which part of a release of this deployment a Secret is, 0 for the one that makes it exist; undefined for any other. */
function partOf(
  secret: KubeObject,
  { deployment }: Pick<Release, "deployment">,
): number | undefined {
  const name = secret.type === releaseSecretType ? parseReleaseName(secret) : undefined;
  return name?.deployment === deployment ? name.part : undefined;
}

function revisionOf(secret: KubeObject): number {
  return parseReleaseName(secret)?.revision ?? 0;
}

async function removed(cluster: Cluster, secret: KubeObject): Promise<boolean> {
  return (await cluster.delete(addressOf(secret), uidOf(secret))).ok;
}

function orThrow(cluster: Cluster, answer: Answer<KubeObject>, doing: string): KubeObject {
  if (answer.ok) return answer.value;
  throw new UserError([apiProblem(cluster, doing, answer.failure)]);
}
