import { gunzipSync } from "node:zlib";
import { stringify } from "yaml";
import { leaseAddress, leaseHolder } from "../../src/io/kubernetes/lease/lease-object.ts";
import { deploymentLabel } from "../../src/model/annotations.ts";
import { type Release, releaseSecretType } from "../../src/model/deployments/release.ts";
import { isObject, type Json, listAt, textAt } from "../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { decodeReleases, isBeingDeleted } from "../../src/releases/decode.ts";
import { parseReleaseName } from "../../src/releases/release-names.ts";

/** The state of a namespace after a run. */
export interface ClusterState {
  /**
   * All objects except records and the lock, with the owners of their fields. It is YAML without
   * random values.
   */
  readonly objects: string;
  /** The releases, newest first. */
  readonly releases: readonly Release[];
  /** The holder of the lock. "" if the lock is free. */
  readonly holder: string;
  /** States that no run can leave, whatever happened. */
  readonly leaks: readonly string[];
  /** The keys of the objects with the label of the deployment. */
  readonly ours: readonly string[];
}

const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "Service"],
  ["apps/v1", "Deployment"],
] as const;

export async function readState(cluster: Cluster, namespace: string): Promise<ClusterState> {
  const lists = await Promise.all(
    kinds.map(([version, kind]) => listed(cluster, version, kind, namespace)),
  );
  const all = lists.flat().filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
  const secrets = all.filter((object) => object.type === releaseSecretType);
  const objects = all.filter((object) => object.type !== releaseSecretType);
  const decoded = decodeReleases("demo", secrets, (bytes) => gunzipSync(bytes).toString("utf8"));
  const lease = await cluster.read(leaseAddress("demo", namespace));
  return {
    objects: stringify(objects.map((object) => comparable(object, namespace))),
    releases: decoded.ok ? decoded.value.releases : [],
    holder: lease.ok && lease.value !== undefined ? leaseHolder(lease.value) : "",
    leaks: [
      ...(decoded.ok ? [] : decoded.problems.map(({ what }) => what)),
      ...partsWithoutRelease(secrets),
    ],
    ours: objects
      .filter((object) => textAt(object, "metadata", "labels", deploymentLabel) === "demo")
      .map((object) => keyOf(idOf(object)))
      .toSorted(),
  };
}

async function listed(
  cluster: Cluster,
  version: string,
  kind: string,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const answer = await cluster.list(version, kind, namespace);
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value.items.map((item) => ({ ...item, apiVersion: version, kind }));
}

function partsWithoutRelease(secrets: readonly KubeObject[]): readonly string[] {
  const names = secrets.map(parseReleaseName);
  const heads = new Set(names.filter((name) => name?.part === 0).map((name) => name?.revision));
  return secrets
    .filter((_, index) => !heads.has(names[index]?.revision))
    .filter((secret) => !isBeingDeleted(secret))
    .map(({ metadata }) => `${metadata.name} belongs to no release`);
}

/**
 * Returns the object without values that differ between runs, and without values that others wrote.
 */
function comparable(object: KubeObject, namespace: string): Json {
  const { uid, resourceVersion, generation, creationTimestamp, managedFields, ...metadata } =
    object.metadata;
  const owned = listAt({ managedFields: managedFields ?? [] }, "managedFields")
    .filter((entry) => textAt(entry, "manager")?.startsWith("qvs-"))
    .map((entry) => (isObject(entry) ? { ...entry, time: "" } : entry));
  const annotations = isObject(metadata.annotations) ? { ...metadata.annotations } : {};
  delete annotations["deployment.kubernetes.io/revision"];
  const { status, ...rest } = object;
  const spec = isObject(rest.spec) ? { ...rest.spec, clusterIP: "", clusterIPs: [] } : {};
  const whole = { ...rest, spec, metadata: { ...metadata, annotations, managedFields: owned } };
  return JSON.parse(JSON.stringify(whole).replaceAll(namespace, "NAMESPACE"));
}
