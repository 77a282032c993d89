import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { releaseSecretType } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { textAt } from "../model/json.ts";
import { type KubeObject, label } from "../model/object.ts";
import { type Fact, failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { isBeingDeleted } from "./decode.ts";
import { parseReleaseName, releaseRevisionLabel } from "./release-names.ts";

/**
 * Lists the metadata of all records in a namespace by the type of their Secrets.
 * Without a namespace, it lists all namespaces. The metadata shows the deployment of each record.
 */
export function listReleaseMetadata(cluster: Cluster, namespace: string | undefined) {
  const type = `type=${releaseSecretType}`;
  return cluster.listMetadata("v1", "Secret", namespace, undefined, type);
}

/**
 * Returns the records of this deployment that have lost a label by which qvs finds them.
 * If qvs ignored them, an older release would count as the current one. A drift correction would
 * restore that release.
 */
export function findUnlabeled(
  secrets: readonly KubeObject[],
  { name }: Pick<Deployment, "name">,
): readonly KubeObject[] {
  return secrets.filter(
    (secret) =>
      parseReleaseName(secret)?.deployment === name &&
      !isBeingDeleted(secret) &&
      (label(secret, deploymentLabel) !== name ||
        label(secret, releaseRevisionLabel) === undefined),
  );
}

/**
 * Describes the records without labels.
 * A user must restore the labels, because other changes to the Secrets are unknown.
 */
export function unlabeledRecords(
  secrets: readonly KubeObject[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): readonly UnreadableRecord[] {
  const byRevision = Map.groupBy(secrets, (secret) => parseReleaseName(secret)?.revision ?? 0);
  return [...byRevision].map(([revision, parts]) => {
    const names = parts.map((part) => textAt(part, "metadata", "name") ?? "").toSorted();
    const labels = `${managedByLabel}=${managedByValue} ${deploymentLabel}=${name} ${releaseRevisionLabel}=${revision}`;
    const lack =
      names.length === 1
        ? "lacks labels by which qvs finds it"
        : "lack labels by which qvs finds them";
    return {
      revision,
      problem: {
        code: "release-record-unreadable",
        what: `Release ${revision} can't be read`,
        why: `${names.join(", ")} ${lack}`,
        fix: `Find out who changed them, then restore the labels: kubectl label secret -n ${namespace} --overwrite ${names.join(" ")} ${labels}`,
        where: [],
      },
    };
  });
}

/** A record that is damaged, or that another client wrote. */
export interface UnreadableRecord {
  readonly revision: number;
  readonly problem: Problem;
}

/**
 * Returns the unreadable records that might describe live objects.
 * They are newer than the newest readable release that succeeded. The inventory of that release
 * contains all older objects.
 */
export function possiblyLiveRecords(
  unreadable: readonly UnreadableRecord[],
  { current }: ReleaseHistory,
): readonly UnreadableRecord[] {
  return unreadable.filter(({ revision }) => revision > (current?.revision ?? 0));
}

/**
 * Explains the effect of each unreadable record on a new deployment, which continues without it.
 */
export function unreadableNotices(
  unreadable: readonly UnreadableRecord[],
  history: ReleaseHistory,
  deployment: string,
): readonly Problem[] {
  const lost = new Set(possiblyLiveRecords(unreadable, history));
  return unreadable.map((record) => {
    const { problem } = record;
    if (!lost.has(record))
      return withCause(problem, "Newer releases list its objects, but you can't roll back to it");
    const effect =
      "qvs deletes nothing in this run, because the record might protect objects or be of a newer commit";
    const leftover: Fact = {
      label: "left over",
      value: `objects that only this record lists stay in the cluster: kubectl get all -l ${deploymentLabel}=${deployment}`,
    };
    return { ...withCause(problem, effect), facts: [...(problem.facts ?? []), leftover] };
  });
}

function withCause(problem: Problem, effect: string): Problem {
  return { ...problem, why: problem.why === undefined ? effect : `${problem.why}. ${effect}` };
}

/** Returns the reason why deletions wait. Undefined if all necessary records are readable. */
export function deletionDelayReason(
  unreadable: readonly UnreadableRecord[],
  history: ReleaseHistory,
): string | undefined {
  const [lost] = possiblyLiveRecords(unreadable, history);
  return lost && `release ${lost.revision} can't be read, and might protect it`;
}

/** Fails if the choice of a release depends on an unreadable record. */
export function requireReadable(
  to: number | "previous" | "running",
  unreadable: readonly UnreadableRecord[],
  history: ReleaseHistory,
): Result<undefined> {
  if (typeof to === "number") {
    const chosen = unreadable.filter(({ revision }) => revision === to);
    return chosen.length === 0 ? ok(undefined) : failed(chosen.map(({ problem }) => problem));
  }
  const newest = history.newest?.revision ?? 0;
  const newer = unreadable.filter(({ revision }) => revision > newest);
  if (newer.length === 0) return ok(undefined);
  const effect =
    to === "previous"
      ? "qvs can't determine the previous release"
      : "qvs can't determine the desired state";
  const fix = to === "previous" ? "Choose the release by its number with --to" : "Deploy again";
  return failed(
    newer.map(({ problem }) => ({
      ...withCause(problem, effect),
      fix,
      otherwise: [uncapitalized(problem.fix), ...(problem.otherwise ?? [])],
    })),
  );
}

function uncapitalized(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
