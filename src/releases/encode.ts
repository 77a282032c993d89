import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { type Release, releaseSecretType } from "../model/deployments/release.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import {
  releaseName,
  releasePartName,
  releaseRevisionLabel,
  releaseStatusLabel,
} from "./release-names.ts";

/**
 * Returns the CRC-32 of gzip (RFC 1952), in hexadecimal.
 * It shows which Secret of a record is damaged. It doesn't protect against forgery.
 */
export function crc32(text: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

const table: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

export interface Encoding {
  readonly namespace: string;
  readonly compress: (text: string) => Uint8Array;
}

/** The size of a part. A Secret can contain 1 MiB of data (`MaxSecretSize`). */
const partBytes = 900 * 1024;

/**
 * The size of the first part, which shares its Secret with the state.
 * The state must always fit: otherwise the end of a run would be lost.
 */
const firstPartBytes = 600 * 1024;

/**
 * Encodes a new release as Secrets, in the order of their creation.
 * The head Secret is last, because it makes the release exist. If a run is killed before that, its
 * parts aren't a release.
 */
export function encodeRelease(release: Release, encoding: Encoding): readonly KubeObject[] {
  const { deployment, revision } = release;
  const [first = "", ...rest] = splitChunks(encoding.compress(contentText(release)));
  const parts = rest.map((chunk, index) =>
    recordSecret(releasePartName(deployment, revision, index + 1), release, encoding.namespace, {
      content: chunk,
    }),
  );
  return [...parts, headSecret(release, encoding, [first, ...rest])];
}

/**
 * Estimates the number of Secrets of a new release.
 * The manifests are most of the record. Only large manifests are compressed for the estimate.
 */
export function countRecordSecrets(
  manifests: readonly Pick<Release["expandedConfig"][number], "object">[],
  compress: Encoding["compress"] | undefined,
): number {
  const text = JSON.stringify(manifests);
  if (compress === undefined || text.length <= firstPartBytes) return 1;
  return splitChunks(compress(text)).length;
}

/** Returns a record without content, to check whether qvs can create one. */
export function emptyRecord(
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  revision: number,
): KubeObject {
  return recordSecret(releaseName(name, revision), { deployment: name, revision }, namespace, {});
}

/**
 * Returns the head Secret with the final state of a release.
 * It contains everything that changes during a run. The end of a run is therefore one atomic write,
 * and the parts never change. `head` is that Secret as stored in the cluster.
 */
export function encodeReleaseState(
  release: Release,
  head: KubeObject,
  encoding: Encoding,
): KubeObject {
  const data = head.data as JsonObject;
  // The API server tracks the owners of fields itself. A write of `managedFields` whose response is
  // lost would stay unresolved.
  const { managedFields: _, ...rest } = head.metadata;
  const metadata = { ...rest, labels: { ...recordLabels(release), ...statusLabel(release) } };
  return { ...head, metadata, data: { ...data, state: stateData(release, encoding) } };
}

function headSecret(release: Release, encoding: Encoding, chunks: readonly string[]): KubeObject {
  const name = releaseName(release.deployment, release.revision);
  const head = recordSecret(name, release, encoding.namespace, {
    content: chunks[0] ?? "",
    parts: btoa(String(chunks.length - 1)),
    checksums: btoa(chunks.map(crc32).join(" ")),
    state: stateData(release, encoding),
  });
  return {
    ...head,
    metadata: { ...head.metadata, labels: { ...recordLabels(release), ...statusLabel(release) } },
  };
}

/** Returns the content that never changes after the release is recorded. */
function contentText(release: Release): string {
  const {
    status: _s,
    finishedAt: _f,
    inventory: _i,
    results: _r,
    passedChecks: _p,
    rollouts: _o,
    revisions: _v,
    lastSeen: _l,
    lastCorrected: _c,
    superseded: _u,
    cancelled: _d,
    ...content
  } = release;
  return JSON.stringify(content);
}

function stateData(release: Release, { compress }: Encoding): string {
  const { format, status, finishedAt, inventory, results, revisions } = release;
  const { passedChecks, rollouts, lastSeen, lastCorrected, superseded, cancelled } = release;
  const ended = { format, status, finishedAt, inventory, results, revisions };
  const state = {
    ...ended,
    passedChecks,
    rollouts,
    lastSeen,
    lastCorrected,
    superseded,
    cancelled,
  };
  return base64(compress(JSON.stringify(state)));
}

function recordSecret(
  name: string,
  release: ReleaseKey,
  namespace: string,
  data: JsonObject,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: recordLabels(release) },
    type: releaseSecretType,
    data,
  };
}

type ReleaseKey = Pick<Release, "deployment" | "revision">;

function recordLabels(release: ReleaseKey): Readonly<Record<string, Json>> {
  return {
    [managedByLabel]: managedByValue,
    [deploymentLabel]: release.deployment,
    [releaseRevisionLabel]: String(release.revision),
  };
}

function statusLabel(release: Release): JsonObject {
  return { [releaseStatusLabel]: release.status };
}

function splitChunks(bytes: Uint8Array): readonly string[] {
  const chunks = [base64(bytes.subarray(0, firstPartBytes))];
  for (let start = firstPartBytes; start < bytes.length; start += partBytes) {
    chunks.push(base64(bytes.subarray(start, start + partBytes)));
  }
  return chunks;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
