import { stringify } from "yaml";
import { listAt, textAt } from "../../../src/model/json.ts";
import { idOf, type KubeObject, uidOf } from "../../../src/model/object.ts";
import { eventsIn } from "../cluster/audit-events.ts";
import { type Manifests, manifestsIn } from "../cluster/manifests-in.ts";
import type { LoadResult } from "./load.ts";
import { loadDuring } from "./roll-out.ts";
import type { TestNode } from "./use-node.ts";
import { growVolumes, provideVolumes } from "./volumes.ts";

interface DatabaseVersion {
  /** The size of each volume. */
  readonly gi: number;
  readonly image?: string;
  readonly partition?: number;
}

/** One Pod of the StatefulSet. */
interface DatabasePod {
  readonly name: string;
  readonly image: string;
  /** The ID of the container. A restarted container has a new one. */
  readonly container: string;
  /** The answer to a request: the content of its volume. */
  readonly data: string;
  /** The UID of the StatefulSet that owns the Pod. */
  readonly owner: string;
}

/** A StatefulSet `db` behind a Service, with one local volume for each Pod, deployed by qvs. */
export interface Database {
  readonly demo: Manifests;
  declare(version: DatabaseVersion): void;
  /** Returns the Pods by ordinal. */
  pods(): Promise<readonly DatabasePod[]>;
  /** Returns the UID, the volume and the size of each claim. */
  claims(): Promise<readonly string[]>;
  /** Returns the UID of the StatefulSet. */
  uid(): Promise<string>;
  /** Returns the number of Pods that were created so far. */
  createdPods(): Promise<number>;
  /**
   * Sends requests while `work` runs, and until the replaced Pods have ended and the disks have
   * grown.
   */
  growUnderLoad(gi: number, work: () => Promise<void>): Promise<LoadResult>;
}

/** Two images of the same program, which answers with the data on its volume. */
export const databaseImages = ["registry.example/db:1.0.0", "registry.example/db:2.0.0"] as const;

export async function databaseOn(node: TestNode, replicas: number): Promise<Database> {
  for (const image of databaseImages) await node.image(image, { GREETING_FILE: "/data/content" });
  const demo = await manifestsIn(node);
  const { namespace } = demo;
  await provideVolumes(node, namespace, replicas);
  const list = async (kind: string): Promise<readonly KubeObject[]> =>
    JSON.parse(await demo.kubectl("get", kind, "-o", "json")).items;
  return {
    demo,
    declare: (version) => demo.declare({ app: manifests(namespace, replicas, version) }),
    pods: async () => Promise.all((await list("pods")).map(readPod)),
    claims: async () => (await list("pvc")).map(describeClaim),
    uid: async () => (await list("statefulsets")).map(uidOf).join(),
    createdPods: async () => {
      const events = eventsIn(await node.auditLogSoFar(), namespace);
      const isCreation = ({ verb, object }: (typeof events)[number]) =>
        verb === "create" && /^pods(\/[^/]+)?$/.test(object);
      return events.filter(isCreation).length;
    },
    growUnderLoad: async (gi, work) => {
      const { load } = await loadDuring(node, { namespace, service: "db" }, async () => {
        await Promise.all([work(), growVolumes(node, namespace, gi)]);
      });
      return load;
    },
  };
}

async function readPod(pod: KubeObject): Promise<DatabasePod> {
  const [container] = listAt(pod, "spec", "containers");
  const [status] = listAt(pod, "status", "containerStatuses");
  const [owner] = listAt(pod, "metadata", "ownerReferences");
  const answer = await fetch(`http://${textAt(pod, "status", "podIP")}:8080/`);
  const [data = ""] = (await answer.text()).split("\n");
  return {
    name: idOf(pod).name,
    image: textAt(container, "image") ?? "",
    container: textAt(status, "containerID") ?? "",
    data,
    owner: textAt(owner, "uid") ?? "none",
  };
}

function describeClaim(claim: KubeObject): string {
  const size = textAt(claim, "spec", "resources", "requests", "storage");
  return `${uidOf(claim)} ${textAt(claim, "spec", "volumeName")} ${size}`;
}

function manifests(
  storageClassName: string,
  replicas: number,
  { gi, image = databaseImages[0], partition = 0 }: DatabaseVersion,
): string {
  const labels = { app: "db" };
  const container = {
    name: "db",
    image,
    readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "db" },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  };
  const db = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", annotations: { "vs.axis-dev.io/replace": "orphan" } },
    spec: {
      serviceName: "db",
      replicas,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            storageClassName,
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: `${gi}Gi` } },
          },
        },
      ],
    },
  };
  return [service, db].map((object) => stringify(object)).join("---\n");
}
