import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { type Release, releaseSecretType } from "../model/release.ts";
import { checksumOf } from "./checksum.ts";
import {
  releaseName,
  releasePartName,
  releaseRevisionLabel,
  releaseStatusLabel,
} from "./release-names.ts";

export interface Encoding {
  readonly namespace: string;
  readonly compress: (text: string) => Uint8Array;
}

/** A Secret may hold 1 MiB of data (`MaxSecretSize`). */
const partBytes = 900 * 1024;

/** The first part shares its Secret with the state, which must never outgrow it: the end of a run would be lost. */
const firstPartBytes = 600 * 1024;

/**
 * The Secrets of a new release in the order in which they must be created: the parts first, and last the one that
 * makes the release exist. What a run killed in between leaves behind is no release.
 */
export function encodeRelease(release: Release, encoding: Encoding): readonly KubeObject[] {
  const { deployment, revision } = release;
  const [first = "", ...rest] = chunksOf(encoding.compress(contentText(release)));
  const parts = rest.map((chunk, index) =>
    secret(releasePartName(deployment, revision, index + 1), release, encoding.namespace, {
      content: chunk,
    }),
  );
  return [...parts, headOf(release, encoding, [first, ...rest])];
}

/**
 * Counts the Secrets that the record of a new release will take, before there is one: by its manifests, which are nearly all of it.
 * Only large ones are compressed for that.
 */
export function countRecordSecrets(
  expandedConfig: Release["expandedConfig"],
  compress: Encoding["compress"] | undefined,
): number {
  const text = JSON.stringify(expandedConfig);
  if (compress === undefined || text.length <= firstPartBytes) return 1;
  return chunksOf(compress(text)).length;
}

/** What the record of a release looks like from outside, for asking whether one may be created. */
export function emptyRecord(
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  revision: number,
): KubeObject {
  return secret(releaseName(name, revision), { deployment: name, revision }, namespace, {});
}

/**
 * The one Secret to replace when a release ends. Only what changes during a run is in it, so that the end of a run is
 * one atomic write and the parts are never touched again. `head` is that Secret as the cluster holds it.
 */
export function encodeReleaseState(
  release: Release,
  head: KubeObject,
  encoding: Encoding,
): KubeObject {
  const data = head.data as JsonObject;
  // The server keeps who owns which field by itself. Sent along, it would keep a write whose answer was lost in doubt.
  const { managedFields: _, ...rest } = head.metadata;
  const metadata = { ...rest, labels: { ...labelsOf(release), ...statusLabel(release) } };
  return { ...head, metadata, data: { ...data, state: stateData(release, encoding) } };
}

function headOf(release: Release, encoding: Encoding, chunks: readonly string[]): KubeObject {
  const name = releaseName(release.deployment, release.revision);
  const head = secret(name, release, encoding.namespace, {
    content: chunks[0] ?? "",
    parts: btoa(String(chunks.length - 1)),
    checksums: btoa(chunks.map(checksumOf).join(" ")),
    state: stateData(release, encoding),
  });
  return {
    ...head,
    metadata: { ...head.metadata, labels: { ...labelsOf(release), ...statusLabel(release) } },
  };
}

/** What never changes once a release is recorded. */
function contentText(release: Release): string {
  const {
    status: _s,
    finishedAt: _f,
    inventory: _i,
    results: _r,
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
  const { lastSeen, lastCorrected, superseded, cancelled } = release;
  const ended = { format, status, finishedAt, inventory, results, revisions };
  const state = { ...ended, lastSeen, lastCorrected, superseded, cancelled };
  return base64(compress(JSON.stringify(state)));
}

function secret(name: string, release: Named, namespace: string, data: JsonObject): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: labelsOf(release) },
    type: releaseSecretType,
    data,
  };
}

type Named = Pick<Release, "deployment" | "revision">;

function labelsOf(release: Named): Readonly<Record<string, Json>> {
  return {
    [managedByLabel]: managedByValue,
    [deploymentLabel]: release.deployment,
    [releaseRevisionLabel]: String(release.revision),
  };
}

function statusLabel(release: Release): JsonObject {
  return { [releaseStatusLabel]: release.status };
}

function chunksOf(bytes: Uint8Array): readonly string[] {
  const chunks = [base64(bytes.subarray(0, firstPartBytes))];
  for (let start = firstPartBytes; start < bytes.length; start += partBytes) {
    chunks.push(base64(bytes.subarray(start, start + partBytes)));
  }
  return chunks;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
