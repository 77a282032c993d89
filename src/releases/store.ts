import pMap from "p-map";
import { type ApiResult, apiProblem } from "../model/cluster/api/api-failure.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { type Release, releaseSecretType } from "../model/deployments/release.ts";
import { createReleaseHistory, type ReleaseHistory } from "../model/deployments/release-history.ts";
import { at, textAt } from "../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../model/object.ts";
import { UserError } from "../model/problems/errors.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { decodeReadable, isBeingDeleted } from "./decode.ts";
import { encodeRelease, encodeReleaseState } from "./encode.ts";
import { revisionsToPrune } from "./prune.ts";
import { nextRevision, parseReleaseName, releaseSelector } from "./release-names.ts";
import {
  findUnlabeled,
  listReleaseMetadata,
  type UnreadableRecord,
  unlabeledRecords,
} from "./unreadable-records.ts";

interface Compressor {
  readonly compress: (text: string) => Uint8Array;
}

/** The releases of a deployment, as stored in the cluster. */
export interface RecordedReleases extends ReleaseHistory {
  /** The number of the next release. */
  readonly next: number;
  readonly secrets: readonly KubeObject[];
  /** The unreadable records. Empty if the caller needs every record. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** Reads all releases. An unreadable record is a problem. */
export async function readReleases(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<Result<RecordedReleases>> {
  const read = await readReadableReleases(cluster, deployment, world);
  if (!read.ok || read.value.unreadable.length === 0) return read;
  return failed(read.value.unreadable.map(({ problem }) => problem));
}

/** Reads the releases for callers that can continue without the unreadable ones. */
export async function readReadableReleases(
  cluster: Cluster,
  deployment: Deployment,
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<Result<RecordedReleases>> {
  const { name, namespace } = deployment;
  const [listed, byType] = await Promise.all([
    cluster.list("v1", "Secret", namespace, releaseSelector(name)),
    listReleaseMetadata(cluster, namespace),
  ]);
  const doing = `read the releases of ${name} in namespace ${namespace}`;
  if (!listed.ok) return failed([apiProblem(cluster, doing, listed.failure)]);
  if (!byType.ok) return failed([apiProblem(cluster, doing, byType.failure)]);
  const secrets = listed.value.items;
  const decoded = decodeReadable(name, secrets, world.decompress);
  if (!decoded.ok) return decoded;
  const unlabelled = findUnlabeled(byType.value.items, deployment);
  const next = nextRevision(name, [...secrets, ...unlabelled]);
  if (!next.ok) return next;
  const { unreadable, ...history } = decoded.value;
  const found = unlabeledRecords(unlabelled, deployment);
  const hidden = new Set(found.map(({ revision }) => revision));
  const others = unreadable.filter(({ revision }) => !hidden.has(revision));
  return ok({ ...history, unreadable: [...found, ...others], next: next.value, secrets });
}

/**
 * Writes a pending release and returns its head Secret, which later records the end.
 * The run must change nothing before this write has succeeded.
 */
export async function recordPending(
  cluster: Cluster,
  release: Release,
  namespace: string,
  world: Compressor,
): Promise<KubeObject> {
  let head: KubeObject | undefined;
  for (const secret of encodeRelease(release, { namespace, compress: world.compress })) {
    head = valueOrThrow(
      cluster,
      await cluster.create(secret),
      `record release ${release.revision}`,
    );
  }
  if (head === undefined) throw new Error("a release is encoded as at least one Secret");
  return head;
}

/** Records the end of a release in one atomic write. */
export async function recordEnd(
  cluster: Cluster,
  release: Release,
  head: KubeObject,
  world: Compressor,
): Promise<void> {
  const doing = `record the end of release ${release.revision}`;
  await recordState(cluster, { release, head, doing }, world);
}

/** Records a run that found nothing to change on the current release. */
export async function recordSeen(
  cluster: Cluster,
  release: Release,
  { secrets }: RecordedReleases,
  world: Compressor,
): Promise<void> {
  const head = secrets.find(
    (secret) => ownPartNumber(secret, release) === 0 && secretRevision(secret) === release.revision,
  );
  if (head === undefined) throw new Error("a release that was read has a Secret");
  const doing = `record this run in release ${release.revision}`;
  await recordState(cluster, { release, head, doing }, world);
}

interface NewState {
  readonly release: Release;
  /** The Secret as last read or written. */
  readonly head: KubeObject;
  readonly doing: string;
}

/** Writes the new state. It retries if another client changed only other fields of the Secret. */
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
    const isConflict = !answer.ok && answer.failure.reason === "conflict" && attempt < retries;
    const fresh = isConflict ? await rereadIfUnchanged(cluster, head) : undefined;
    if (fresh === undefined) {
      valueOrThrow(cluster, answer, doing);
      return;
    }
    live = fresh;
  }
}

const retries = 5;

/** Reads the head Secret again. Undefined if the state of the release has changed. */
async function rereadIfUnchanged(
  cluster: Cluster,
  head: KubeObject,
): Promise<KubeObject | undefined> {
  const read = await cluster.read(addressOf(head));
  const live = read.ok ? read.value : undefined;
  const isSame = live?.metadata.uid === head.metadata.uid;
  return isSame && at(live, "data", "state") === at(head, "data", "state") ? live : undefined;
}

/**
 * Deletes old records. The next run deletes records that can't be deleted now, so it never fails.
 * The head Secret is deleted before the parts. A run that is killed in between leaves only orphaned
 * parts, which the next run deletes. The other order would leave an unreadable release.
 */
export async function pruneReleases(
  cluster: Cluster,
  recorded: RecordedReleases,
  current: Release,
  needed: { readonly keys: readonly string[]; readonly newest?: number | undefined },
): Promise<void> {
  const { keys, newest } = needed;
  const history = createReleaseHistory([current, ...recorded.releases]);
  const old = new Set(revisionsToPrune(history, keys, newest));
  const heads = headSecrets(recorded, current);
  const alive = new Set(heads.filter((head) => !isBeingDeleted(head)).map(secretRevision));
  await pMap(
    heads.filter((head) => old.has(secretRevision(head))),
    async (head) => {
      if (await tryDelete(cluster, head)) alive.delete(secretRevision(head));
    },
    { concurrency: 4 },
  );
  await deleteParts(cluster, recorded, current, alive);
}

/**
 * Deletes the parts that a run left when it was killed before it recorded its release.
 * Used by runs that record no release themselves.
 */
export async function pruneOrphanedParts(
  cluster: Cluster,
  recorded: RecordedReleases,
  current: Release,
): Promise<void> {
  const alive = headSecrets(recorded, current).filter((head) => !isBeingDeleted(head));
  await deleteParts(cluster, recorded, current, new Set(alive.map(secretRevision)));
}

/**
 * Deletes every record, once no object needs one.
 * The oldest release is first, and each head is deleted before its parts. If the run is killed, the
 * next run deletes the rest. Until the end, it finds the newest release and its inventory.
 * @throws {UserError} if the records can't be listed or deleted
 */
export async function deleteRecords(
  cluster: Cluster,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Promise<void> {
  const doing = (what: string) => `${what} the releases of ${name} in namespace ${namespace}`;
  const listed = await cluster.list("v1", "Secret", namespace, releaseSelector(name));
  if (!listed.ok) throw new UserError([apiProblem(cluster, doing("read"), listed.failure)]);
  const own = listed.value.items.filter(
    (secret) => ownPartNumber(secret, { deployment: name }) !== undefined,
  );
  const inOrder = own.toSorted(
    (a, b) => secretRevision(a) - secretRevision(b) || partNumber(a) - partNumber(b),
  );
  for (const secret of inOrder) {
    const answer = await cluster.delete(addressOf(secret), uidOf(secret));
    if (!answer.ok) throw new UserError([apiProblem(cluster, doing("delete"), answer.failure)]);
  }
}

function partNumber(secret: KubeObject): number {
  return parseReleaseName(secret)?.part ?? 0;
}

/** Returns the head Secrets, which make releases exist. */
function headSecrets({ secrets }: RecordedReleases, current: Release): readonly KubeObject[] {
  return secrets.filter((secret) => ownPartNumber(secret, current) === 0);
}

async function deleteParts(
  cluster: Cluster,
  { secrets }: RecordedReleases,
  current: Release,
  alive: ReadonlySet<number>,
): Promise<void> {
  const parts = secrets.filter((secret) => (ownPartNumber(secret, current) ?? 0) > 0);
  const left = parts.filter((part) => !alive.has(secretRevision(part)));
  await pMap(left, (part) => tryDelete(cluster, part), { concurrency: 4 });
}

/**
 * Returns the part number of a Secret: 0 for the head. Undefined if it isn't of this deployment.
 */
function ownPartNumber(
  secret: KubeObject,
  { deployment }: Pick<Release, "deployment">,
): number | undefined {
  const name = secret.type === releaseSecretType ? parseReleaseName(secret) : undefined;
  return name?.deployment === deployment ? name.part : undefined;
}

function secretRevision(secret: KubeObject): number {
  return parseReleaseName(secret)?.revision ?? 0;
}

async function tryDelete(cluster: Cluster, secret: KubeObject): Promise<boolean> {
  return (await cluster.delete(addressOf(secret), uidOf(secret))).ok;
}

function valueOrThrow(cluster: Cluster, answer: ApiResult<KubeObject>, doing: string): KubeObject {
  if (answer.ok) return answer.value;
  throw new UserError([apiProblem(cluster, doing, answer.failure)]);
}
