import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { patchedBy, serveReviews } from "../../support/servers/webhook-server.ts";

interface Reviewed {
  readonly kind: string;
  readonly metadata: { readonly labels?: object };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { name: string }[] } };
  };
}

/**
 * Starts a mutating webhook that adds fields which the objects in this namespace lack, like
 * defaults or sidecars. Returns a function that stops it.
 */
export async function startWebhook(cluster: TestCluster, namespace: string) {
  const server = await serveReviews(cluster, ({ object }) =>
    patchedBy(defaultsOf(object as unknown as Reviewed)),
  );
  const name = `defaults-${namespace}`;
  const operations = ["CREATE", "UPDATE"];
  const rule = (group: string, resource: string) => ({
    ...{ apiGroups: [group], apiVersions: ["v1"], resources: [resource], operations },
  });
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name: "defaults.test.qvs",
        clientConfig: server.clientConfig,
        rules: [rule("", "configmaps"), rule("apps", "deployments")],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        ...{ sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 30 },
      },
    ],
  };
  await cluster.apply(namespace, JSON.stringify(configuration));
  return async () => {
    await cluster.kubectl("delete", "mutatingwebhookconfiguration", name, "--ignore-not-found");
    server.close();
  };
}

function defaultsOf({ kind, metadata, data, spec }: Reviewed): readonly object[] {
  const add = (path: string, value: unknown) => ({ op: "add", path, value });
  const label = metadata.labels === undefined ? [] : [add("/metadata/labels/filled-in", "yes")];
  if (kind === "ConfigMap") {
    return data === undefined || "level" in data ? label : [...label, add("/data/level", "info")];
  }
  const containers = spec?.template.spec.containers ?? [];
  if (containers.some(({ name }) => name === "sidecar")) return label;
  return [
    ...label,
    add("/spec/template/spec/containers/-", { name: "sidecar", image: "sidecar:1" }),
  ];
}
