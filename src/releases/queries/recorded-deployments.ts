import type { ReleaseSummary } from "../../model/deployments/deployment-state.ts";
import type { Release } from "../../model/deployments/release.ts";
import { type ReleaseHistory, sortNewestFirst } from "../../model/deployments/release-history.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, label } from "../../model/object.ts";
import { isBeingDeleted } from "../decode.ts";
import { parseReleaseName, releaseStatusLabel } from "../release-names.ts";
import { releaseStatus } from "../select.ts";

/** A deployment, from the metadata of its records. */
export interface RecordedDeployment {
  readonly name: string;
  /** The namespace of the records. */
  readonly namespace: string;
  /** The revisions of the releases, newest first. Never empty. */
  readonly revisions: readonly number[];
  /** The revisions with the status in their labels. */
  readonly statuses: readonly { readonly revision: number; readonly status: string }[];
  /** The names of the Secrets of the newest succeeded release and all later ones. */
  readonly secrets: readonly string[];
}

/** Lists every deployment with release Secrets, by namespace and name. */
export function recordedDeployments(secrets: readonly KubeObject[]): readonly RecordedDeployment[] {
  const known = secrets.flatMap((secret) => {
    const name = isBeingDeleted(secret) ? undefined : parseReleaseName(secret);
    const namespace = textAt(secret, "metadata", "namespace") ?? "";
    return name === undefined ? [] : [{ secret, ...name, namespace }];
  });
  const groups = Map.groupBy(known, ({ deployment, namespace }) => `${namespace}/${deployment}`);
  return [...groups.keys()].toSorted().flatMap((key) => {
    const own = groups.get(key) ?? [];
    const heads = sortNewestFirst(own.filter(({ part }) => part === 0));
    const [newest] = heads;
    if (newest === undefined) return [];
    const current = heads.find(({ secret }) => label(secret, releaseStatusLabel) === "succeeded");
    const oldest = current?.revision ?? 0;
    return [
      {
        name: newest.deployment,
        namespace: newest.namespace,
        revisions: heads.map(({ revision }) => revision),
        statuses: heads.map(({ revision, secret }) => ({
          revision,
          status: label(secret, releaseStatusLabel) ?? "",
        })),
        secrets: own
          .filter(({ revision }) => revision >= oldest)
          .map(({ secret }) => textAt(secret, "metadata", "name") ?? ""),
      },
    ];
  });
}

/**
 * Summarizes the releases of one deployment, newest first.
 * `isLocked` is true if a run holds the deployment lock, so that a pending release is under way.
 */
export function summarizeReleases(
  { releases, current }: ReleaseHistory,
  isLocked = false,
): readonly ReleaseSummary[] {
  return releases.map((release, index) => ({
    ...summarize(release),
    status: releaseStatus(release, isLocked && index === 0),
    isRunning: release === current,
  }));
}

function summarize(release: Release): Omit<ReleaseSummary, "status" | "isRunning"> {
  const { revision, rollbackOf, onlyStage, startedAt, finishedAt, source, results } = release;
  return {
    ...{ revision, rollbackOf, onlyStage, startedAt, finishedAt },
    commit: source.commit,
    uncommitted: source.uncommitted === true,
    actor: source.actor,
    run: source.run,
    changed: results.filter(({ outcome }) => outcome !== "unchanged"),
    unchanged: results.filter(({ outcome }) => outcome === "unchanged").length,
    declared: release.expandedConfig.length,
    lastSeen: release.lastSeen,
    overrodeFreeze: release.overrode?.id,
  };
}
