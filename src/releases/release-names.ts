import { deploymentLabel } from "../model/annotations.ts";
import { releaseNamePattern } from "../model/cluster/reserved-names.ts";
import { textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";

/** Labels of the Secrets that hold releases, besides the one that names the deployment. */
export const releaseRevisionLabel = "vs.axis-dev.io/revision";
export const releaseStatusLabel = "vs.axis-dev.io/status";

/** Nobody deploys that often: what is near it was forged, and numbers with more digits would not be found again. */
export const highestRelease = 999_999_999;

export interface ReleaseName {
  readonly deployment: string;
  readonly revision: number;
  /** 0 for the Secret that makes the release exist, 1 and up for those that hold the rest of its text. */
  readonly part: number;
}

export function releaseName(deployment: string, revision: number): string {
  return `qvs.${deployment}.v${revision}`;
}

export function releasePartName(deployment: string, revision: number, part: number): string {
  return `${releaseName(deployment, revision)}.part${part}`;
}

/** What a Secret's name says; undefined for a name that isn't one of ours. */
export function parseReleaseName(secret: KubeObject): ReleaseName | undefined {
  const name = textAt(secret, "metadata", "name") ?? "";
  const [, deployment, revision, part] = releaseNamePattern.exec(name) ?? [];
  if (deployment === undefined) return undefined;
  return { deployment, revision: Number(revision), part: Number(part ?? 0) };
}

/** Selects every Secret of a deployment's releases, parts included. */
export function releaseSelector(deployment: string): string {
  return `${deploymentLabel}=${deployment},${releaseRevisionLabel}`;
}

/**
 * The number of the next release: never one that a Secret already carries, even one of which only parts were written
 * before the run was killed.
 */
export function nextRevision(deployment: string, secrets: readonly KubeObject[]): Result<number> {
  const revisions = secrets
    .map(parseReleaseName)
    .filter((name) => name?.deployment === deployment)
    .map((name) => name?.revision ?? 0);
  const next = Math.max(0, ...revisions) + 1;
  if (next <= highestRelease) return ok(next);
  return failed([
    {
      code: "revision-limit",
      what: `The Secret ${releaseName(deployment, highestRelease)} has the highest number that a release can have, so none could follow it`,
      fix: "Find out who has written it, and delete it with its parts",
      where: [],
    },
  ]);
}
