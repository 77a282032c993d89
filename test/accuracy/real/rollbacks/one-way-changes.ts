import { replaceAnnotation } from "../../../../src/model/annotations.ts";
import { at, type Json, type JsonObject } from "../../../../src/model/json.ts";
import { drop, type Edit, set } from "../edits.ts";
import type { UndoneChange } from "./groups.ts";

const allowDelete = (kind: string) => [`--allow-delete=${kind}`];

/** Sets an immutable field, and allows the replacement that this needs. */
function replaced(object: string, path: string, value: Json): readonly Edit[] {
  const annotation = `metadata.annotations.${replaceAnnotation.replaceAll(".", "\\.")}`;
  return [set(object, path, value), set(object, annotation, "true")];
}

const issuers = "CustomResourceDefinition/issuers.cert-manager.io";

/** Stores the custom resources in a new version. */
const storeNewVersion: Edit = (objects) => {
  const found = objects.find(({ kind, metadata }) => `${kind}/${metadata["name"]}` === issuers);
  const versions = (found === undefined ? [] : at(found, "spec", "versions")) as JsonObject[];
  const stored = versions.find(({ storage }) => storage === true);
  if (stored === undefined) throw new Error(`${issuers} stores no version`);
  versions.push({ ...structuredClone(stored), name: "v2" });
  Object.assign(stored, { storage: false });
  return objects;
};

const issuer = (namespace: string) => ({
  apiVersion: `${namespace}.cert-manager.io/v1`,
  kind: "Issuer",
  metadata: { name: "theirs" },
  spec: { selfSigned: {} },
});

/**
 * Changes that a rollback can't revert completely, and deletions, by the batch whose manifests they
 * change.
 */
export const oneWayChanges: Readonly<Record<string, readonly UndoneChange[]>> = {
  "databases with volumes": [
    { what: "a deleted Service", edits: [drop("Service/zk")] },
    { what: "a deleted set", edits: [drop("StatefulSet/cassandra")] },
    {
      what: "one replica fewer, without its volume",
      edits: [
        set("StatefulSet/cassandra", "spec.replicas", 2),
        set("StatefulSet/cassandra", "spec.persistentVolumeClaimRetentionPolicy", {
          whenScaled: "Delete",
        }),
      ],
    },
  ],
  "immutable fields of databases": [
    {
      what: "a set replaced for a larger volume",
      edits: replaced(
        "StatefulSet/cassandra",
        "spec.volumeClaimTemplates.0.spec.resources.requests.storage",
        "2Gi",
      ),
    },
    {
      what: "a set replaced for another order",
      edits: replaced("StatefulSet/cassandra", "spec.podManagementPolicy", "Parallel"),
    },
    {
      what: "a set replaced for another selector",
      edits: [
        ...replaced("StatefulSet/cassandra", "spec.selector.matchLabels.ring", "new"),
        set("StatefulSet/cassandra", "spec.template.metadata.labels.ring", "new"),
      ],
    },
    {
      what: "a set replaced for another Service",
      edits: replaced("StatefulSet/cassandra", "spec.serviceName", "cockroachdb"),
    },
  ],
  "a web application with a cache": [
    {
      what: "a Deployment replaced for another selector",
      edits: [
        ...replaced("Deployment/frontend", "spec.selector.matchLabels.tier", "web"),
        set("Deployment/frontend", "spec.template.metadata.labels.tier", "web"),
      ],
    },
    {
      what: "a deleted cache",
      edits: [drop("Deployment/redis-replica"), drop("Service/redis-replica")],
    },
    {
      what: "an image that a user has set",
      meanwhile: () => [
        {
          words: [
            ...["set", "image", "deployment/redis-replica"],
            "replica=gcr.io/google_samples/gb-redisslave:v3",
          ],
        },
      ],
      edits: [
        set(
          "Deployment/redis-replica",
          "spec.template.spec.containers.0.image",
          "gcr.io/google_samples/gb-redisslave:v2",
        ),
      ],
      flags: ["--conflicts=force"],
    },
    {
      what: "a number of replicas that a user has set",
      meanwhile: () => [{ words: ["scale", "deployment/frontend", "--replicas=4"] }],
      edits: [set("Deployment/frontend", "spec.replicas", 2)],
      flags: ["--conflicts=force"],
    },
  ],
  "a blog with a volume": [
    { what: "a deleted CronJob", edits: [drop("CronJob/cron-job")] },
    { what: "a deleted load balancer", edits: [drop("Service/wordpress")] },
    {
      what: "an application replaced for another selector",
      edits: [
        ...replaced("Deployment/wordpress", "spec.selector.matchLabels.tier", "blog"),
        set("Deployment/wordpress", "spec.template.metadata.labels.tier", "blog"),
      ],
    },
    {
      what: "a volume deleted with its application",
      edits: [drop("Deployment/wordpress"), drop("PersistentVolumeClaim/wp-pv-claim")],
      flags: allowDelete("PersistentVolumeClaim"),
    },
  ],
  "Rollouts with their analysis": [
    { what: "a deleted Rollout", edits: [drop("Rollout/rollout-bluegreen")] },
    {
      what: "a Rollout replaced for another selector",
      edits: [
        ...replaced("Rollout/rollout-bluegreen", "spec.selector.matchLabels.app", "green"),
        set("Rollout/rollout-bluegreen", "spec.template.metadata.labels.app", "green"),
      ],
    },
  ],
  "addons with roles": [
    {
      what: "other data, immutable from now on",
      edits: [
        set("ConfigMap/metrics-server-config", "data.NannyConfiguration", "kind: None\n"),
        set("ConfigMap/metrics-server-config", "immutable", true),
      ],
    },
    {
      what: "the same data, immutable from now on",
      edits: [set("ConfigMap/metrics-server-config", "immutable", true)],
    },
  ],
  "immutable fields of addons": [
    {
      what: "a binding replaced for another role",
      edits: replaced("ClusterRoleBinding/system:kube-dns-autoscaler", "roleRef.name", "view"),
    },
    {
      what: "a class replaced for another provisioner",
      edits: replaced("StorageClass/standard", "provisioner", "example.com/disk"),
    },
    {
      what: "a class replaced for another policy",
      edits: replaced("StorageClass/standard", "reclaimPolicy", "Retain"),
    },
    {
      what: "a class replaced for a later binding",
      edits: replaced("StorageClass/standard", "volumeBindingMode", "WaitForFirstConsumer"),
    },
  ],
  "an operator with its CustomResourceDefinitions": [
    { what: "a new stored version", edits: [storeNewVersion] },
    {
      what: "an operator replaced for another selector",
      edits: [
        ...replaced("Deployment/cert-manager", "spec.selector.matchLabels.tier", "new"),
        set("Deployment/cert-manager", "spec.template.metadata.labels.tier", "new"),
      ],
    },
    {
      what: "a definition deleted with an object of a user",
      meanwhile: (namespace) => [{ words: ["create", "-f", "-"], input: issuer(namespace) }],
      others: (namespace) => [issuer(namespace)],
      edits: [drop(issuers)],
      flags: allowDelete("CustomResourceDefinition"),
    },
  ],
  "changed routes": [{ what: "a deleted route", edits: [drop("HTTPRoute/my-app")] }],
  "changed traffic rules": [
    {
      what: "a definition deleted with its rule",
      edits: [
        drop("DestinationRule/istio-subset-split-destrule"),
        drop("CustomResourceDefinition/destinationrules.networking.istio.io"),
      ],
      flags: allowDelete("CustomResourceDefinition"),
    },
  ],
};
