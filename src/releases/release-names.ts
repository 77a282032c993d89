import { deploymentLabel } from "../model/annotations.ts";
import { releaseNamePattern } from "../model/cluster/deployment-lock.ts";
import { textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";

/** The labels of release Secrets, in addition to the label with the deployment name. */
export const releaseRevisionLabel = "vs.axis-dev.io/revision";
export const releaseStatusLabel = "vs.axis-dev.io/status";

/**
 * The highest number of a release. No deployment reaches it, so a number near it is forged.
 * qvs wouldn't find a number with more digits again.
 */
export const maxReleaseRevision = 999_999_999;

export interface ReleaseName {
  readonly deployment: string;
  readonly revision: number;
  /**
   * 0 for the head Secret, which makes the release exist. 1 and up for the parts with its other
   * content.
   */
  readonly part: number;
}

export function releaseName(deployment: string, revision: number): string {
  return `qvs.${deployment}.v${revision}`;
}

export function releasePartName(deployment: string, revision: number, part: number): string {
  return `${releaseName(deployment, revision)}.part${part}`;
}

/** Parses the name of a Secret. Undefined if it isn't the name of a release Secret. */
export function parseReleaseName(secret: KubeObject): ReleaseName | undefined {
  const name = textAt(secret, "metadata", "name") ?? "";
  const [, deployment, revision, part] = releaseNamePattern.exec(name) ?? [];
  if (deployment === undefined) return undefined;
  return { deployment, revision: Number(revision), part: Number(part ?? 0) };
}

/** Returns the selector for all release Secrets of a deployment, parts included. */
export function releaseSelector(deployment: string): string {
  return `${deploymentLabel}=${deployment},${releaseRevisionLabel}`;
}

/**
 * Returns the number of the next release.
 * It is never the number of an existing Secret, even if only the parts exist because the run was
 * killed.
 */
export function nextRevision(deployment: string, secrets: readonly KubeObject[]): Result<number> {
  const revisions = secrets
    .map(parseReleaseName)
    .filter((name) => name?.deployment === deployment)
    .map((name) => name?.revision ?? 0);
  const next = Math.max(0, ...revisions) + 1;
  if (next <= maxReleaseRevision) return ok(next);
  return failed([
    {
      code: "revision-limit",
      what: `Secret ${releaseName(deployment, maxReleaseRevision)} has the highest possible release number`,
      why: "No release can follow it",
      fix: "Find out who wrote it, then delete it with its parts",
      where: [],
    },
  ]);
}
