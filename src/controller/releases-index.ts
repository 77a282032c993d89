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

/** A deployment by its name in the namespace of its releases. */
export interface DeploymentId {
  readonly namespace: string;
  readonly name: string;
}

/** `shop/web`; neither name can have a slash. */
function deploymentKey({ namespace, name }: DeploymentId): string {
  return `${namespace}/${name}`;
}

export function deploymentOfKey(key: string): DeploymentId {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

/** Which deployments there are, by the Secrets of their releases. */
export interface ReleasesIndex {
  /** Returns the deployment whose releases changed, if it is one. */
  handle(event: MetadataEvent): string | undefined;
  /** Forgets the releases in a namespace, or in all, whose Secrets are not among these keys, and returns the deployments that had them. */
  keep(namespace: string | undefined, present: ReadonlySet<string>): readonly string[];
  deployments(): readonly string[];
  /**
   * Which releases there are and how each of them stands, as a text to compare. What a run notes on a release without changing
   * anything is not in it, or each run would be the reason for the next.
   */
  stateOf(deployment: string): string | undefined;
  /** Why it is not certain what should be there; undefined where the newest release has succeeded. */
  unsettled(deployment: string): string | undefined;
}

/** Selects the releases of all deployments. */
export function releasesIn(namespace: string | undefined): MetadataQuery {
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
      const head = headOf(event.object);
      if (head === undefined || !isChosen(head)) return undefined;
      const deployment = deploymentKey(head);
      const status = event.type === "DELETED" ? undefined : statusOf(event.object);
      return change(deployment, head.revision, status) ? deployment : undefined;
    },
    keep(namespace, present) {
      const lost = [...releases].flatMap(([deployment, known]) => {
        const id = deploymentOfKey(deployment);
        if (namespace !== undefined && namespace !== id.namespace) return [];
        const gone = [...known.keys()].filter((revision) => !present.has(headKey(id, revision)));
        return gone.map((revision) => ({ deployment, revision }));
      });
      for (const { deployment, revision } of lost) change(deployment, revision, undefined);
      return [...new Set(lost.map(({ deployment }) => deployment))];
    },
    deployments: () => [...releases.keys()].toSorted(),
    stateOf(deployment) {
      const known = releases.get(deployment);
      return known && JSON.stringify([...known].toSorted(([a], [b]) => a - b));
    },
    unsettled(deployment) {
      const known = releases.get(deployment) ?? new Map<number, string>();
      const newest = Math.max(...known.keys());
      const status = known.get(newest);
      if (status === "succeeded") return undefined;
      return `release ${newest} ${status === "pending" ? "has not ended" : "failed"}`;
    },
  };
}

/** The release that a Secret makes exist; undefined for its parts, and for what only looks like one. */
function headOf(secret: KubeObject): (DeploymentId & { readonly revision: number }) | undefined {
  const found = parseReleaseName(secret);
  if (found?.part !== 0 || label(secret, deploymentLabel) !== found.deployment) return undefined;
  const namespace = textAt(secret, "metadata", "namespace") ?? "";
  return { namespace, name: found.deployment, revision: found.revision };
}

function headKey({ namespace, name }: DeploymentId, revision: number): string {
  return keyOf({ group: "", kind: "Secret", namespace, name: releaseName(name, revision) });
}

/** One that is being deleted is pruned: it does not count any more. */
function statusOf(secret: KubeObject): string | undefined {
  if (secret.metadata.deletionTimestamp !== undefined) return undefined;
  return label(secret, releaseStatusLabel) ?? "";
}
