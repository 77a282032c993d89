import { deploymentLabel, managedByLabel, managedByValue } from "../model/annotations.ts";
import type { Deployment } from "../model/deployment.ts";
import { textAt } from "../model/json.ts";
import { type KubeObject, label } from "../model/object.ts";
import { releaseSecretType } from "../model/release.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { isBeingDeleted } from "./decode.ts";
import { parseReleaseName, releaseRevisionLabel } from "./release-names.ts";
import type { UnreadableRecord } from "./unreadable.ts";

/** All records of a place, by the type of their Secrets: metadata is enough to see whose they are. */
export function listByType(cluster: Cluster, namespace: string | undefined) {
  const type = `type=${releaseSecretType}`;
  return cluster.listMetadata("v1", "Secret", namespace, undefined, type);
}

/**
 * Among the records of a place those of this deployment that have lost a label by which they are found. Passed over in silence, an
 * older release would count as the one that runs, and a correction would bring it back.
 */
export function unlabelledAmong(
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

/** Nobody knows what else was done to them, so a person gives the labels back. */
export function unlabelledRecords(
  secrets: readonly KubeObject[],
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): readonly UnreadableRecord[] {
  const byRevision = Map.groupBy(secrets, (secret) => parseReleaseName(secret)?.revision ?? 0);
  return [...byRevision].map(([revision, parts]) => {
    const names = parts.map((part) => textAt(part, "metadata", "name") ?? "").toSorted();
    const labels = `${managedByLabel}=${managedByValue} ${deploymentLabel}=${name} ${releaseRevisionLabel}=${revision}`;
    const lack =
      names.length === 1 ? "lacks the labels by which it is" : "lack the labels by which they are";
    return {
      revision,
      problem: {
        code: "release-record-unreadable",
        what: `Release ${revision} can't be read: ${names.join(", ")} ${lack} found`,
        fix: `Find out who has changed them; to give them back: kubectl label secret -n ${namespace} --overwrite ${names.join(" ")} ${labels}`,
        where: [],
      },
    };
  });
}
