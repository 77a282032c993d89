import type { RoleDocument } from "../model/cluster/role-document.ts";
import type { KubeObject } from "../model/object.ts";

/** What is to be known to run the controller in a cluster. */
export interface ControllerInstall {
  readonly image: string;
  /** Where its Pods and Leases are. */
  readonly namespace: string;
  /** Of its Deployment, its ServiceAccount and the group of its replicas. */
  readonly name: string;
  /** Of `qvs`. */
  readonly args: readonly string[];
  /** What it may do: Roles and bindings. */
  readonly roles: readonly RoleDocument[];
}

/** The objects to apply, in an order in which they can be applied (docs/operate/correct-drift.md). */
export function controllerManifests(install: ControllerInstall): readonly RoleDocument[] {
  return [
    plain(serviceAccount(install), `The controller's own identity. Image: ${install.image}`),
    ...install.roles,
    plain(
      deployment(install),
      "Two replicas share the work; one of them goes on when the other is gone.",
    ),
    plain(podMonitor(install), "For the Prometheus operator. Leave it out where there is none."),
  ];
}

function plain(object: KubeObject, about: string): RoleDocument {
  return { object, about, rules: [] };
}

function metadataOf({ name, namespace }: ControllerInstall) {
  return { name, namespace, labels: labelsOf(name) };
}

function labelsOf(name: string) {
  return { "app.kubernetes.io/name": name };
}

function serviceAccount(install: ControllerInstall): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: metadataOf(install) };
}

const port = 8080;

function deployment(install: ControllerInstall): KubeObject {
  const { name } = install;
  const selector = { matchLabels: labelsOf(name) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(install),
    spec: {
      replicas: 2,
      selector,
      template: {
        metadata: { labels: labelsOf(name) },
        spec: {
          serviceAccountName: name,
          // Longer than one request may take, with its repetitions.
          terminationGracePeriodSeconds: 90,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: selector,
            },
          ],
          containers: [container(install)],
        },
      },
    },
  };
}

function container({ image, args }: ControllerInstall) {
  return {
    name: "controller",
    image,
    args: [...args, "--listen", `:${port}`],
    env: [field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace")],
    ports: [{ name: "http", containerPort: port }],
    livenessProbe: {
      httpGet: { path: "/healthz", port: "http" },
      periodSeconds: 20,
      timeoutSeconds: 5,
    },
    readinessProbe: {
      httpGet: { path: "/readyz", port: "http" },
      periodSeconds: 10,
      timeoutSeconds: 5,
    },
    resources: { requests: { cpu: "50m", memory: "192Mi" }, limits: { memory: "768Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

function field(name: string, fieldPath: string) {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function podMonitor(install: ControllerInstall): KubeObject {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PodMonitor",
    metadata: metadataOf(install),
    spec: {
      selector: { matchLabels: labelsOf(install.name) },
      podMetricsEndpoints: [{ port: "http", path: "/metrics", interval: "30s" }],
    },
  };
}
