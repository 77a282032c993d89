import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Deployment } from "../model/deployment.ts";
import { textAt } from "../model/json.ts";
import { type KubeObject, label } from "../model/object.ts";
import { releaseSecretType } from "../model/release.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { isBeingDeleted } from "./decode.ts";
import { parseReleaseName, releaseRevisionLabel } from "./release-names.ts";
import type { UnreadableRecord } from "./unreadable-records.ts";

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
