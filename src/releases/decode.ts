import { releaseSecretType } from "../model/deployments/release.ts";
import { createReleaseHistory, type ReleaseHistory } from "../model/deployments/release-history.ts";
import type { KubeObject } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import {
  type Decompress,
  decodeRecord,
  limitTotalSize,
  newerTypeProblem,
} from "./decode-record.ts";
import { parseReleaseName } from "./release-names.ts";
import type { UnreadableRecord } from "./unreadable-records.ts";

/** Decodes all releases, for callers that need every one. An unreadable record is a problem. */
export function decodeReleases(
  deployment: string,
  secrets: readonly KubeObject[],
  decompress: Decompress,
): Result<ReleaseHistory> {
  const decoded = decodeReadable(deployment, secrets, decompress);
  if (!decoded.ok) return decoded;
  const { unreadable } = decoded.value;
  return unreadable.length === 0 ? decoded : failed(unreadable.map(({ problem }) => problem));
}

/** The readable releases of a deployment, and its unreadable records. */
interface DecodedReleases extends ReleaseHistory {
  readonly unreadable: readonly UnreadableRecord[];
}

/**
 * Decodes the releases of a deployment and lists its unreadable records.
 * It ignores other Secrets and parts without a release. It also ignores a release that is being
 * deleted, whose parts might not exist anymore. A record of a newer version is a problem, not an
 * unreadable record, because it isn't damaged.
 */
export function decodeReadable(
  deployment: string,
  secrets: readonly KubeObject[],
  decompress: Decompress,
): Result<DecodedReleases> {
  const bounded = limitTotalSize(decompress);
  const named = secrets
    .map((secret) => ({ secret, name: parseReleaseName(secret) }))
    .filter(({ name }) => name?.deployment === deployment);
  const own = named.filter(({ secret }) => secret.type === releaseSecretType);
  const results = own
    .filter(({ secret, name }) => name?.part === 0 && !isBeingDeleted(secret))
    .toSorted((a, b) => (b.name?.revision ?? 0) - (a.name?.revision ?? 0))
    .map(({ secret, name }) => {
      const parts = own
        .filter((other) => other.name?.revision === name?.revision && other.name?.part !== 0)
        .toSorted((a, b) => (a.name?.part ?? 0) - (b.name?.part ?? 0));
      const found = decodeRecord(
        secret,
        parts.map((part) => part.secret),
        bounded,
      );
      return { revision: name?.revision ?? 0, found };
    });
  const heads = named.filter(({ name }) => name?.part === 0);
  const problems = [
    ...heads.flatMap(({ secret }) => newerTypeProblem(secret) ?? []),
    ...results.flatMap(({ found }) => (found.state === "newer" ? [found.problem] : [])),
  ];
  if (problems.length > 0) return failed(problems);
  const readable = results.flatMap(({ found }) => (found.state === "read" ? [found.release] : []));
  return ok({
    ...createReleaseHistory(readable),
    unreadable: results.flatMap(({ revision, found }) =>
      found.state === "unreadable" ? [{ revision, problem: found.problem }] : [],
    ),
  });
}

/**
 * Reports whether a Secret is being deleted.
 * A pruned record exists for a moment longer, and its parts can disappear first.
 */
export function isBeingDeleted(secret: KubeObject): boolean {
  return secret.metadata.deletionTimestamp !== undefined;
}
