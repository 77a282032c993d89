import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { fc } from "../../support/fast-check.ts";
import { installWebhook, userWritten, type WebhookName, webhooks } from "./random-webhooks.ts";

/** The arguments of kubectl that create the initial objects. Undefined if qvs creates them. */
type Maker = readonly string[] | undefined;

const makers: readonly Maker[] = [
  ...[undefined, undefined, undefined, undefined],
  ["apply", "-f", "-"],
  ["create", "-f", "-"],
  ["create", "--save-config", "-f", "-"],
  ["apply", "--server-side", "--field-manager=argocd-controller", "-f", "-"],
  ["apply", "--server-side", "-f", "-"],
];

export interface Surroundings {
  readonly maker: Maker;
  /** Policies of the namespace, either from the start or only before the changes. */
  readonly rules: readonly Rule[];
  readonly areLate: boolean;
  readonly flags: readonly string[];
}

type Rule = keyof typeof rules | WebhookName;

export const surroundingsDraw: fc.Arbitrary<Surroundings> = fc.record({
  maker: fc.constantFrom(...makers),
  rules: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 3 })
        .map((numbers) => [
          ...new Set(numbers.map((each) => ruleNames[each % ruleNames.length] as Rule)),
        ]),
    },
  ),
  areLate: fc.boolean(),
  flags: fc.constantFrom<readonly string[]>(
    [],
    [],
    [],
    ["--conflicts=force"],
    ["--takeover=argocd-controller,flux"],
    ["--keep-revisions=1"],
  ),
});

type MakeRule = (namespace: string) => readonly KubeObject[];

const rules = {
  label: mutating("label", `Object{metadata: Object.metadata{labels: {"policy": "set"}}}`),
  sidecar: mutating(
    "sidecar",
    `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "sidecar", image: "sidecar:1"}]}}}}`,
    "object.kind in ['Deployment', 'StatefulSet', 'DaemonSet']",
  ),
  fewReplicas: mutating(
    "few-replicas",
    "Object{spec: Object.spec{replicas: 1}}",
    "object.kind in ['Deployment', 'StatefulSet'] && object.spec.?replicas.orValue(1) > 1",
  ),
  mirror: patching(
    "mirror",
    `[JSONPatch{op: "replace", path: "/spec/template/spec/containers/0/image", value: "mirror/" + object.spec.template.spec.containers[0].image}]`,
    "object.kind in ['Deployment', 'StatefulSet', 'DaemonSet'] && !object.spec.template.spec.containers[0].image.startsWith('mirror/')",
  ),
  variable: patching(
    "variable",
    `[JSONPatch{op: "add", path: "/spec/template/spec/containers/0/env", value: [{"name": "ADDED", "value": "1"}]}]`,
    "object.kind in ['Deployment', 'StatefulSet'] && !has(object.spec.template.spec.containers[0].env)",
  ),
  stamped: mutating(
    "stamped",
    `Object{metadata: Object.metadata{annotations: {"stamped": "first"}}}`,
    "!('stamped' in object.metadata.?annotations.orValue({}))",
  ),
  noTeam: validating("no-team", "!('team' in object.metadata.?labels.orValue({}))", "Deny"),
  warned: validating("warned", "'team' in object.metadata.?labels.orValue({})", "Warn"),
  notFewer: validating(
    "not-fewer",
    "oldObject == null || !has(object.spec) || object.spec.?replicas.orValue(1) >= oldObject.spec.?replicas.orValue(1)",
    "Deny",
    "object.kind in ['Deployment', 'StatefulSet']",
  ),
  sameImage: validating(
    "same-image",
    "oldObject == null || object.spec.template.spec.containers.all(c, oldObject.spec.template.spec.containers.exists(o, o.image == c.image))",
    "Deny",
    "object.kind in ['Deployment', 'StatefulSet', 'DaemonSet']",
  ),
  undeletable: validating(
    "undeletable",
    "request.operation != 'DELETE' || oldObject.kind != 'Service'",
    "Deny",
    "true",
    ["CREATE", "DELETE"],
  ),
  limits: () => [
    {
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "given" },
      spec: {
        limits: [
          {
            type: "Container",
            default: { cpu: "500m", memory: "256Mi" },
            defaultRequest: { cpu: "10m", memory: "16Mi" },
            max: { memory: "1Gi" },
          },
          { type: "PersistentVolumeClaim", max: { storage: "5Gi" } },
        ],
      },
    },
  ],
  quota: () => [
    {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "given" },
      spec: {
        hard: {
          "count/services": "6",
          "count/deployments.apps": "3",
          "count/configmaps": "6",
          pods: "12",
          persistentvolumeclaims: "2",
        },
      },
    },
  ],
} satisfies Readonly<Record<string, MakeRule>>;

const ruleNames = [...Object.keys(rules), ...Object.keys(webhooks)] as readonly Rule[];

/** Installs policies. Returns when the API server applies them. */
export async function installRules(
  names: readonly Rule[],
  cluster: TestCluster,
  namespace: string,
  onFinished: (work: () => void) => void,
): Promise<void> {
  await installObjects(
    names.flatMap((name) => (isWebhook(name) ? [] : rules[name](namespace))),
    cluster,
    namespace,
  );
  // A policy can reject the others.
  for (const name of names)
    if (isWebhook(name)) await installWebhook(name, cluster, namespace, onFinished);
}

async function installObjects(
  made: readonly KubeObject[],
  cluster: TestCluster,
  namespace: string,
): Promise<void> {
  if (made.length === 0) return;
  const list: JsonObject = { apiVersion: "v1", kind: "List", items: [...made] };
  const said = await cluster.kubectlOutput(
    ["-n", namespace, "create", "-f", "-"],
    JSON.stringify(list),
  );
  if (said.startsWith("Error")) throw new Error(said);
  for (const { kind, metadata } of made)
    if (kind.endsWith("PolicyBinding") && !isForProbes(metadata))
      await untilObeyed(cluster, namespace, String(metadata["name"]));
}

function isWebhook(name: Rule): name is WebhookName {
  return name in webhooks;
}

/**
 * Waits until a policy is in effect. Each policy has a second one that only answers a probe, and
 * that takes effect no earlier than the first.
 */
async function untilObeyed(cluster: TestCluster, namespace: string, name: string): Promise<void> {
  const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  const words = ["-n", namespace, "create", "--dry-run=server", "-o", "json", "-f", "-"];
  const said = () => cluster.kubectlOutput(words, JSON.stringify(probe));
  while (!(await said()).includes(`by-${name}`)) await sleep(100);
}

function isForProbes(metadata: JsonObject): boolean {
  return String(metadata["name"]).endsWith("-probe");
}

function mutating(name: string, expression: string, condition = "true"): MakeRule {
  return mutatingBy(name, condition, {
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression },
  });
}

function patching(name: string, expression: string, condition: string): MakeRule {
  return mutatingBy(name, condition, { patchType: "JSONPatch", jsonPatch: { expression } });
}

function mutatingBy(what: string, condition: string, mutation: JsonObject): MakeRule {
  const mutations = (each: JsonObject) => ({ mutations: [each], reinvocationPolicy: "Never" });
  return (namespace) => {
    const name = `${what}-${namespace}`;
    const sign = `Object{metadata: Object.metadata{labels: {"sign": "by-${name}"}}}`;
    const ofProbe = { patchType: "ApplyConfiguration", applyConfiguration: { expression: sign } };
    return [
      policy("Mutating", name, [`!(${isProbe(name)})`, condition], mutations(mutation)),
      binding("Mutating", name, namespace),
      policy("Mutating", `${name}-probe`, [isProbe(name)], mutations(ofProbe)),
      binding("Mutating", `${name}-probe`, namespace),
    ];
  };
}

function validating(
  what: string,
  expression: string,
  action: "Deny" | "Warn" = "Deny",
  condition = "true",
  operations: readonly string[] = ["CREATE", "UPDATE"],
): MakeRule {
  return (namespace) => {
    const name = `${what}-${namespace}`;
    const validations = (each: string) => ({
      validations: [{ expression: each, message: `by-${name}` }],
    });
    const conditions = [`!(${isProbe(name)})`, condition];
    return [
      policy("Validating", name, conditions, validations(expression), operations),
      binding("Validating", name, namespace, action),
      policy("Validating", `${name}-probe`, [isProbe(name)], validations("false")),
      binding("Validating", `${name}-probe`, namespace, "Deny"),
    ];
  };
}

function isProbe(name: string): string {
  return `object != null && object.metadata.name == '${name}'`;
}

function policy(
  type: "Mutating" | "Validating",
  name: string,
  conditions: readonly string[],
  spec: JsonObject,
  operations: readonly string[] = ["CREATE", "UPDATE"],
): KubeObject {
  const rule = { apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], scope: "Namespaced" };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}AdmissionPolicy`,
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [{ ...rule, operations: [...operations] }] },
      matchConditions: [userWritten, ...conditions].map((expression, index) => ({
        name: `condition-${index}`,
        expression,
      })),
      ...spec,
    },
  };
}

function binding(
  type: "Mutating" | "Validating",
  name: string,
  namespace: string,
  action?: string,
): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}AdmissionPolicyBinding`,
    metadata: { name },
    spec: {
      policyName: name,
      ...(action !== undefined && { validationActions: [action] }),
      matchResources: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      },
    },
  };
}
