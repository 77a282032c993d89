import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { TestCluster } from "../support/cluster.ts";

interface Reviewed {
  readonly kind: string;
  readonly metadata: { readonly labels?: object };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { name: string }[] } };
  };
}

interface Review {
  readonly request: { readonly uid: string; readonly object: Reviewed };
}

/** A mutating webhook that fills in what an object of this namespace does not have, as defaults and sidecars are. Returns what ends it. */
export async function startWebhook(cluster: TestCluster, namespace: string) {
  // The API server's own certificate, which it has made for this address.
  const file = (name: string) => readFileSync(join(cluster.directory, "certificates", name));
  const [cert, key] = [file("apiserver.crt"), file("apiserver.key")];
  const server = createServer({ cert, key }, async (request, response) => {
    const { request: review } = (await json(request)) as Review;
    const patch = Buffer.from(JSON.stringify(defaultsOf(review.object))).toString("base64");
    const answer = { uid: review.uid, allowed: true, patchType: "JSONPatch", patch };
    const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
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
        clientConfig: { url, caBundle: cert.toString("base64") },
        rules: [rule("", "configmaps"), rule("apps", "deployments")],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        ...{ sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 30 },
      },
    ],
  };
  await cluster.apply(namespace, JSON.stringify(configuration));
  return async () => {
    await cluster.kubectl("delete", "mutatingwebhookconfiguration", name, "--ignore-not-found");
    server.closeAllConnections();
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
