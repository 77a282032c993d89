import { setTimeout as sleep } from "node:timers/promises";
import { at, type Json, type JsonObject, textAt } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { patchedBy, serveReviews } from "../../support/servers/webhook-server.ts";

/** An admission webhook. `answer` is undefined if the webhook can't be reached. */
interface Webhook {
  readonly type: "Mutating" | "Validating";
  readonly failurePolicy: "Fail" | "Ignore";
  readonly operations: readonly string[];
  /** The plurals of its kinds. Default: all kinds that users write. */
  readonly resources?: readonly string[];
  readonly answer?: (request: JsonObject) => JsonObject;
}

const written = ["CREATE", "UPDATE"];
const allowed: JsonObject = { allowed: true };

/**
 * The webhooks that a namespace can have. They see information that policies don't see, such as the
 * user.
 */
export const webhooks = {
  hookLabels: mutating((object) => [
    { op: "add", path: "/metadata/labels", value: { ...labelsOf(object), hooked: "yes" } },
  ]),
  hookTakesLabel: mutating((object) =>
    "team" in labelsOf(object) ? [{ op: "remove", path: "/metadata/labels/team" }] : [],
  ),
  hookSidecar: mutating(
    (object) => {
      const containers = (at(object, "spec", "template", "spec", "containers") ??
        []) as JsonObject[];
      const has = containers.some((each) => textAt(each, "name") === "hooked");
      const sidecar = { name: "hooked", image: "hooked:1" };
      return has ? [] : [{ op: "add", path: "/spec/template/spec/containers/-", value: sidecar }];
    },
    ["deployments", "statefulsets", "daemonsets"],
  ),
  hookOwnerless: mutating((object) =>
    at(object, "metadata", "ownerReferences") === undefined
      ? []
      : [{ op: "remove", path: "/metadata/ownerReferences" }],
  ),
  hookRefusesTeam: validating(({ object }) =>
    "team" in labelsOf(object ?? null) ? refused("no team") : allowed,
  ),
  hookRefusesDeletions: validating(
    ({ name }) => (String(name).length % 2 === 0 ? refused("it stays") : allowed),
    ["DELETE"],
  ),
  hookWarns: validating(({ object }) =>
    "team" in labelsOf(object ?? null) ? { allowed: true, warnings: ["a team"] } : allowed,
  ),
  hookRefusesPods: {
    ...validating(({ object }) =>
      "team" in labelsOf(object ?? null) ? allowed : refused("a Pod without a team"),
    ),
    resources: ["pods"],
  },
  hookDown: { type: "Validating", failurePolicy: "Fail", operations: written },
  hookDownForPods: {
    ...{ type: "Mutating", failurePolicy: "Fail", operations: ["CREATE"] },
    resources: ["pods"],
  },
  hookDownForDeletions: { type: "Validating", failurePolicy: "Fail", operations: ["DELETE"] },
  hookIgnored: { type: "Mutating", failurePolicy: "Ignore", operations: [...written, "DELETE"] },
} satisfies Readonly<Record<string, Webhook>>;

export type WebhookName = keyof typeof webhooks;

/** Installs a webhook. Returns when the API server calls it. It is removed with the test. */
export async function installWebhook(
  name: WebhookName,
  cluster: TestCluster,
  namespace: string,
  onFinished: (work: () => void) => void,
): Promise<void> {
  const webhook: Webhook = webhooks[name];
  const own = `${name.toLowerCase()}-${namespace}`;
  let isAsked = false;
  const isProbe = (request: JsonObject) => request["name"] === own;
  const server = await serveReviews(cluster, (request) => {
    isAsked ||= isProbe(request);
    return isProbe(request) ? allowed : (webhook.answer?.(request) ?? allowed);
  });
  const { clientConfig } = server;
  const probes = { failurePolicy: "Ignore", clientConfig, rules: [rule(["configmaps"], written)] };
  const resources = webhook.resources ?? ["*"];
  const dead = { url: "https://127.0.0.1:1/" };
  const configuration = configurationOf(webhook, own, namespace, [
    {
      name: `${name.toLowerCase()}.test.qvs`,
      failurePolicy: webhook.failurePolicy,
      clientConfig: webhook.answer === undefined ? dead : clientConfig,
      rules: [rule(resources, webhook.operations)],
      matchConditions: webhook.resources ? [] : [{ name: "not-own", expression: userWritten }],
    },
    {
      name: "probe.test.qvs",
      ...probes,
      matchConditions: [{ name: "probe", expression: `request.name == '${own}'` }],
    },
  ]);
  await cluster.apply(namespace, JSON.stringify(configuration));
  const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: own } };
  const words = ["-n", namespace, "create", "--dry-run=server", "-f", "-"];
  while (!isAsked) {
    await cluster.kubectlOutput(words, JSON.stringify(probe));
    await sleep(50);
  }
  onFinished(() => {
    server.close();
    void cluster.kubectlOutput(["delete", configuration.kind, own, "--ignore-not-found"], "");
  });
}

/**
 * A CEL expression that excludes objects that neither manifests nor users write: qvs's records, and
 * objects of controllers.
 */
export const userWritten =
  "!(request.resource.resource in ['secrets', 'leases', 'events', 'pods', 'replicasets', 'controllerrevisions', 'endpoints', 'endpointslices', 'jobs'])";

function configurationOf(
  { type }: Webhook,
  name: string,
  namespace: string,
  hooks: readonly JsonObject[],
): KubeObject {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const common = { namespaceSelector, sideEffects: "None", admissionReviewVersions: ["v1"] };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}WebhookConfiguration`,
    metadata: { name },
    webhooks: hooks.map((hook) => ({ ...common, timeoutSeconds: 10, ...hook })),
  };
}

function rule(resources: readonly string[], operations: readonly string[]): JsonObject {
  const all = { apiGroups: ["*"], apiVersions: ["*"], scope: "Namespaced" };
  return { ...all, resources: [...resources], operations: [...operations] };
}

function mutating(
  patch: (object: Json) => readonly object[],
  resources?: readonly string[],
): Webhook {
  const answer = ({ object }: JsonObject) => patchedBy(patch(object ?? null));
  const of = resources === undefined ? {} : { resources };
  return { type: "Mutating", failurePolicy: "Fail", operations: written, ...of, answer };
}

function validating(
  answer: (request: JsonObject) => JsonObject,
  operations: readonly string[] = written,
): Webhook {
  return { type: "Validating", failurePolicy: "Fail", operations, answer };
}

function refused(message: string): JsonObject {
  return { allowed: false, status: { message, code: 403 } };
}

function labelsOf(object: Json): JsonObject {
  return (at(object, "metadata", "labels") ?? {}) as JsonObject;
}
