import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Manifests, manifestsIn, type Surroundings } from "../support/cluster/manifests-in.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";

/** The two versions of the demo. A sweep deploys them alternately. */
export type Version = "blue" | "green";

/** A small deployment in its own namespace, and a directory for kubeconfigs next to its repository. */
export interface Demo extends Manifests {
  readonly folder: string;
  declareVersion(version: Version): void;
}

export async function demoIn(
  cluster: TestCluster,
  namespace?: string,
  surroundings?: Surroundings,
): Promise<Demo> {
  const manifests = await manifestsIn(cluster, namespace, surroundings);
  const folder = join(dirname(manifests.directory), "kubeconfigs");
  mkdirSync(folder);
  return {
    ...manifests,
    folder,
    declareVersion: (version) => manifests.declare(declared(version)),
  };
}

export const otherVersion = { blue: "green", green: "blue" } as const;

/**
 * Returns the manifests of a version. A deployment of the other version renames a ConfigMap (as hash
 * suffixes do), creates an object, deletes one, updates two, and leaves one unchanged.
 */
function declared(version: Version) {
  return {
    appSetup: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings-${version}}
data: {colour: ${version}}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: the same for both}
`,
    app: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {test.qvs/delay: 300ms}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "acme/web:1", envFrom: [{configMapRef: {name: settings-${version}}}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: ${version === "blue" ? 80 : 8080}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: only-${version}}
`,
  };
}
