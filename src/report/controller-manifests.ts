import type { RoleDocument } from "../model/cluster/role-document.ts";
import type { KubeObject } from "../model/object.ts";

/** The settings of the controller's installation. */
export interface ControllerInstall {
  readonly image: string;
  /** The namespace of its Pods and Leases. */
  readonly namespace: string;
  /** The name of its `Deployment`, its ServiceAccount and the group of its replicas. */
  readonly name: string;
  /** The arguments of `qvs`. */
  readonly args: readonly string[];
  /** Its permissions: roles and bindings. */
  readonly roles: readonly RoleDocument[];
}

/** Returns the objects to apply, in a working order (docs/operate/correct-drift.md). */
export function controllerManifests(install: ControllerInstall): readonly RoleDocument[] {
  return [
    plain(serviceAccount(install), `The controller's own identity. Image: ${install.image}`),
    ...install.roles,
    plain(
      deployment(install),
      "Two replicas share the work. If one stops, the other one continues.",
    ),
    plain(podMonitor(install), "For the Prometheus operator. Omit it in a cluster without one."),
  ];
}

function plain(object: KubeObject, about: string): RoleDocument {
  return { object, about, rules: [] };
}

function objectMetadata({ name, namespace }: ControllerInstall) {
  return { name, namespace, labels: nameLabels(name) };
}

function nameLabels(name: string) {
  return { "app.kubernetes.io/name": name };
}

function serviceAccount(install: ControllerInstall): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: objectMetadata(install) };
}

const port = 8080;

function deployment(install: ControllerInstall): KubeObject {
  const { name } = install;
  const selector = { matchLabels: nameLabels(name) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: objectMetadata(install),
    spec: {
      replicas: 2,
      selector,
      template: {
        metadata: { labels: nameLabels(name) },
        spec: {
          serviceAccountName: name,
          // Longer than a request with all its retries can take.
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
    metadata: objectMetadata(install),
    spec: {
      selector: { matchLabels: nameLabels(install.name) },
      podMetricsEndpoints: [{ port: "http", path: "/metrics", interval: "30s" }],
    },
  };
}
