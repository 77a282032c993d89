import { deploymentLabel } from "../model/annotations.ts";
import { textAt } from "../model/json.ts";
import { type KubeObject, keyOf, label } from "../model/object.ts";
import type { MetadataEvent, MetadataQuery } from "../ports/kubernetes.ts";
import {
  parseReleaseName,
  releaseName,
  releaseRevisionLabel,
  releaseStatusLabel,
} from "../releases/release-names.ts";

/** A deployment: its name and the namespace of its releases. */
export interface DeploymentId {
  readonly namespace: string;
  readonly name: string;
}

/** Returns `shop/web`. Neither name can contain a slash. */
function deploymentKey({ namespace, name }: DeploymentId): string {
  return `${namespace}/${name}`;
}

export function parseDeploymentKey(key: string): DeploymentId {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

/** The existing deployments, by the Secrets of their releases. */
export interface ReleasesIndex {
  /** Returns the deployment whose releases changed; undefined if none changed. */
  handle(event: MetadataEvent): string | undefined;
  /**
   * Removes the releases in a namespace, or in all, whose Secrets aren't in `present`.
   * Returns the affected deployments.
   */
  keep(namespace: string | undefined, present: ReadonlySet<string>): readonly string[];
  deployments(): readonly string[];
  /**
   * Returns the releases of a deployment and their states as a string for comparison.
   * It contains no notes that a run adds to a release without a change. Otherwise, each run would
   * cause the next one.
   */
  stateKey(deployment: string): string | undefined;
  /**
   * Returns the reason why the desired state is uncertain; undefined if the newest release
   * succeeded.
   */
  unsettledReason(deployment: string): string | undefined;
}

/** Selects the releases of all deployments. */
export function releaseQuery(namespace: string | undefined): MetadataQuery {
  const labelSelector = `${deploymentLabel},${releaseRevisionLabel}`;
  return { apiVersion: "v1", kind: "Secret", namespace, labelSelector };
}

export function createReleasesIndex(isChosen: (id: DeploymentId) => boolean): ReleasesIndex {
  /** Deployment → revision → status. */
  const releases = new Map<string, Map<number, string>>();

  function change(deployment: string, revision: number, status: string | undefined): boolean {
    const known = releases.get(deployment) ?? new Map<number, string>();
    if (known.get(revision) === status) return false;
    if (status === undefined) known.delete(revision);
    else known.set(revision, status);
    if (known.size === 0) releases.delete(deployment);
    else releases.set(deployment, known);
    return true;
  }

  return {
    handle(event) {
      if (event.type === "SYNCED") return undefined;
      const head = parseReleaseHead(event.object);
      if (head === undefined || !isChosen(head)) return undefined;
      const deployment = deploymentKey(head);
      const status = event.type === "DELETED" ? undefined : releaseStatus(event.object);
      return change(deployment, head.revision, status) ? deployment : undefined;
    },
    keep(namespace, present) {
      const lost = [...releases].flatMap(([deployment, known]) => {
        const id = parseDeploymentKey(deployment);
        if (namespace !== undefined && namespace !== id.namespace) return [];
        const missing = [...known.keys()].filter((revision) => !present.has(headKey(id, revision)));
        return missing.map((revision) => ({ deployment, revision }));
      });
      for (const { deployment, revision } of lost) change(deployment, revision, undefined);
      return [...new Set(lost.map(({ deployment }) => deployment))];
    },
    deployments: () => [...releases.keys()].toSorted(),
    stateKey(deployment) {
      const known = releases.get(deployment);
      return known && JSON.stringify([...known].toSorted(([a], [b]) => a - b));
    },
    unsettledReason(deployment) {
      const known = releases.get(deployment) ?? new Map<number, string>();
      const newest = Math.max(...known.keys());
      const status = known.get(newest);
      if (status === "succeeded") return undefined;
      return `release ${newest} ${status === "pending" ? "hasn't ended" : "failed"}`;
    },
  };
}

/**
 * Returns the release that a Secret represents.
 * Returns undefined for a further part of a release, and for a Secret that isn't a release.
 */
function parseReleaseHead(
  secret: KubeObject,
): (DeploymentId & { readonly revision: number }) | undefined {
  const found = parseReleaseName(secret);
  if (found?.part !== 0 || label(secret, deploymentLabel) !== found.deployment) return undefined;
  const namespace = textAt(secret, "metadata", "namespace") ?? "";
  return { namespace, name: found.deployment, revision: found.revision };
}

function headKey({ namespace, name }: DeploymentId, revision: number): string {
  return keyOf({ group: "", kind: "Secret", namespace, name: releaseName(name, revision) });
}

/** Returns the status of a release; undefined for a release that is being pruned. */
function releaseStatus(secret: KubeObject): string | undefined {
  if (secret.metadata.deletionTimestamp !== undefined) return undefined;
  return label(secret, releaseStatusLabel) ?? "";
}
