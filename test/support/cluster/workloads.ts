/**
 * YAML documents of small objects. Each ends with the document marker, so they can be concatenated.
 */

export interface Workload {
  readonly replicas?: number;
  readonly image?: string;
  readonly behaviour?: string;
  readonly configMap?: string;
  /** True to place each replica on its own node. */
  readonly spread?: boolean;
}

export function deployment(name: string, workload: Workload): string {
  const labels = { app: name };
  const spread = { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" };
  return document("apps/v1", "Deployment", name, {
    replicas: workload.replicas ?? 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: { "test.qvs/behaviour": workload.behaviour ?? "none" } },
      spec: {
        containers: [{ name: "main", image: workload.image ?? "acme/web:1" }],
        ...(workload.configMap && {
          volumes: [{ name: "config", configMap: { name: workload.configMap } }],
        }),
        ...(workload.spread && {
          affinity: {
            podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [spread] },
          },
        }),
      },
    },
  });
}

export function job(name: string, behaviour: string): string {
  return document("batch/v1", "Job", name, {
    backoffLimit: 0,
    template: {
      metadata: { annotations: { "test.qvs/behaviour": behaviour } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "acme/job:1" }] },
    },
  });
}

export function statefulSet(name: string): string {
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return document("apps/v1", "StatefulSet", name, {
    serviceName: name,
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "acme/db:1" }] },
    },
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
  });
}

export function loadBalancer(name: string): string {
  return document("v1", "Service", name, { type: "LoadBalancer", ports: [{ port: 80 }] });
}

export function externalSecret(name: string, key: string): string {
  return document("external-secrets.io/v1beta1", "ExternalSecret", name, {
    secretStoreRef: { name: "vault" },
    data: [{ secretKey: "password", remoteRef: { key } }],
  });
}

export function certificate(name: string): string {
  return document("cert-manager.io/v1", "Certificate", name, { secretName: `${name}-tls` });
}

export function blueGreen(image: string): string {
  const labels = { app: "web" };
  const service = (name: string) =>
    document("v1", "Service", name, { selector: labels, ports: [{ port: 80 }] });
  const rollout = document("argoproj.io/v1alpha1", "Rollout", "web", {
    replicas: 1,
    selector: { matchLabels: labels },
    strategy: {
      blueGreen: {
        activeService: "active",
        previewService: "preview",
        autoPromotionEnabled: false,
      },
    },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
  });
  return service("active") + service("preview") + rollout;
}

export function configMap(name: string): string {
  return `${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })}\n---\n`;
}

function document(apiVersion: string, kind: string, name: string, spec: unknown): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name }, spec })}\n---\n`;
}
