import { expect, test } from "vitest";
import { parse } from "yaml";
import { type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Deletion } from "../../../../src/model/plan/deletion.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { pendingAdmission } from "../../../../src/preflight/rules/pending-admission.ts";
import { pendingAdmissionOfDeletions } from "../../../../src/preflight/rules/pending-admission-of-deletions.ts";
import { pendingAdmissionOfRecords } from "../../../../src/preflight/rules/pending-admission-of-records.ts";
import { planOf, type Situation } from "../../../support/plan/plan-text.ts";
import { around } from "../rollout-plan.ts";

const policy = (of: string, more = "") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicy
  metadata: {name: teams}
  spec:
    failurePolicy: Fail
    matchConstraints: {resourceRules: [{apiGroups: [${of.includes("/") ? "apps" : '""'}], apiVersions: [v1], operations: [CREATE], resources: [${of.replace("apps/", "")}]}]${more}}
    validations: [{expression: "false"}]
`;
const binding = (action: string, more = "") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicyBinding
  metadata: {name: teams}
  spec: {policyName: teams, validationActions: [${action}]${more}}
`;
const webhook = (of: string, failurePolicy: string, service = "guard") => `
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingWebhookConfiguration
  metadata: {name: guard}
  webhooks:
    - name: guard.example.com
      failurePolicy: ${failurePolicy}
      clientConfig: {service: {namespace: shop, name: ${service}}}
      rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [${of}]}]
`;
const shop = `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}
app/guard: {apiVersion: v1, kind: Service, metadata: {name: guard}, spec: {selector: {app: web}, ports: [{port: 443}]}}
`;

function found(declared: string, facts: Partial<ClusterFacts> = {}): readonly string[] {
  return foundIn({ declared }, facts);
}

type OwnPart = NonNullable<Deletion["lastSent"]>;

/** The live fields that qvs can show. */
interface Visibility {
  readonly ours?: (live: KubeObject) => OwnPart | undefined;
  readonly hides?: readonly string[];
}

const wholly = (live: KubeObject): OwnPart => ({ sent: live, secretValues: [] });

function foundIn(
  situation: Situation,
  facts: Partial<ClusterFacts> = {},
  rule = pendingAdmission,
  { ours = wholly, hides }: Visibility = {},
): readonly string[] {
  const planned = planOf(situation);
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const deletions = planned.value.deletions.map((each) => ({
    ...each,
    lastSent: ours(each.live),
  }));
  return rule({
    plan: { ...planned.value, deletions, hides },
    facts: { ...around(), ...facts },
    timeoutMs: undefined,
    releases: { declared: new Set() },
    placeOf: () => undefined,
  }).map(({ severity, what, why }) =>
    severity === "error" && why.includes("denied") ? why : `${severity}: ${what}`,
  );
}

test.each<[string, string, readonly string[]]>([
  [
    "a policy about Pods, which a Deployment creates",
    `appSetup/p: ${policy("pods")}`,
    [
      "warning: ValidatingAdmissionPolicy teams can't be asked about Deployment shop/web before it is deployed",
    ],
  ],
  [
    "a policy and its binding: the binding decides",
    `appSetup/p: ${policy("pods")}appSetup/b: ${binding("Deny")}`,
    [
      "warning: ValidatingAdmissionPolicyBinding teams can't be asked about Deployment shop/web before it is deployed",
    ],
  ],
  ["a policy that only warns", `appSetup/p: ${policy("pods")}appSetup/b: ${binding("Warn")}`, []],
  ["a policy about other kinds", `appSetup/p: ${policy("secrets")}`, []],
  [
    "a policy about Deployments",
    `appSetup/p: ${policy("apps/deployments")}`,
    [
      "warning: ValidatingAdmissionPolicy teams can't be asked about Deployment shop/web before it is deployed",
    ],
  ],
  [
    "a policy that selects another namespace",
    `appSetup/p: ${policy("pods", ", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}")}`,
    [],
  ],
  ["a policy of app is applied after everything else in app", `app/p: ${policy("pods")}`, []],
  [
    "a webhook about its own Pods, before they can exist",
    `appSetup/w: ${webhook("pods", "Fail")}`,
    ["error: ValidatingWebhookConfiguration guard would block Deployment shop/web"],
  ],
  [
    "a webhook about objects that its own Pods don't need is awaited",
    `appSetup/w: ${webhook("configmaps", "Fail")}app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n`,
    ["warning: ValidatingWebhookConfiguration guard delays ConfigMap shop/settings"],
  ],
  [
    "a webhook about objects that its own Pods need",
    `appSetup/w: ${webhook("configmaps", "Fail")}app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\napp/canary: {apiVersion: apps/v1, kind: Deployment, metadata: {name: canary}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: settings}}]}]}}}}\n`,
    ["error: ValidatingWebhookConfiguration guard would block ConfigMap shop/settings"],
  ],
  [
    "a webhook that allows everything while it is unavailable",
    `appSetup/w: ${webhook("pods", "Ignore")}`,
    [
      "warning: ValidatingWebhookConfiguration guard can't be asked about Deployment shop/web before it is deployed",
    ],
  ],
  [
    "a webhook that another deployment serves",
    `appSetup/w: ${webhook('"*"', "Fail", "other")}`,
    [
      "warning: ValidatingWebhookConfiguration guard can't be asked about Deployment shop/web, Service shop/guard before it is deployed",
    ],
  ],
  ["a webhook about other kinds", `appSetup/w: ${webhook("secrets", "Fail")}`, []],
])("%s", (_, admission, expected) => {
  expect(found(`${shop}${admission}`)).toEqual(expected);
});

const missingService = new Map([
  ["core:Service::shop/other", { known: true, value: { exists: false } } as const],
]);
const dead = (of: string, more = "") =>
  webhook(of, "Fail", "other").replace("failurePolicy: Fail", `failurePolicy: Fail${more}`);
const conditions = "\n      matchConditions: [{name: a, expression: 'false'}]";

test.each<[string, string, readonly string[]]>([
  [
    "that no Service answers",
    dead("pods"),
    ["error: ValidatingWebhookConfiguration guard would block Deployment shop/web"],
  ],
  ["about other kinds", dead("secrets"), []],
  [
    "with conditions, which can leave out the objects",
    dead("pods", conditions),
    [
      "warning: ValidatingWebhookConfiguration guard can't be asked about Deployment shop/web before it is deployed",
    ],
  ],
])("a webhook of appSetup %s", (_, configuration, expected) => {
  const facts = { dependencies: missingService };
  expect(found(`${shop}appSetup/w: ${configuration}`, facts)).toEqual(expected);
});

const blocksRecords = [
  "error: ValidatingWebhookConfiguration guard would block the records of releases",
];

test.each<[string, string, readonly string[]]>([
  ["about Secrets", dead("secrets"), blocksRecords],
  ["about Leases", dead("leases"), blocksRecords],
  ["about Pods", dead("pods"), []],
  [
    "about another namespace",
    dead(
      "secrets",
      "\n      namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}",
    ),
    [],
  ],
  ["with conditions", dead("secrets", conditions), []],
  ["that is ignored without an answer", webhook("secrets", "Ignore", "other"), []],
  ["with a declared Service", webhook("secrets", "Fail"), []],
])("a webhook without a server and the records of qvs: %s", (_, configuration, expected) => {
  for (const stage of ["appSetup", "app"]) {
    const declared = `${shop}${stage}/w: ${configuration}`;
    const facts = { dependencies: missingService };
    expect(foundIn({ declared }, facts, pendingAdmissionOfRecords), stage).toEqual(expected);
    expect(foundIn({ declared }, {}, pendingAdmissionOfRecords), "unknown").toEqual([]);
  }
});

/** Returns a policy about Services. The application has one Service, with port 443. */
const evaluated = (spec: string, bound = "validationActions: [Deny]") => `
appSetup/p:
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicy
  metadata: {name: teams}
  spec:
    matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [services]}]}
    ${spec}
appSetup/b:
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicyBinding
  metadata: {name: teams}
  spec: {policyName: teams, ${bound}}
appSetup/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: "80"}}
`;

const denied = (message: string) => [
  `appSetup deploys ValidatingAdmissionPolicyBinding teams first. The API server would answer: ValidatingAdmissionPolicy 'teams' with binding 'teams' denied request: ${message}`,
];
const open = [
  "warning: ValidatingAdmissionPolicyBinding teams can't be asked about Service shop/guard before it is deployed",
];
const missing = "has(object.metadata.annotations.team)";

test.each<[string, string, string | undefined, readonly string[]]>([
  ["an allowed object", '[{expression: "object.spec.ports[0].port < 1000"}]', undefined, []],
  [
    "a denied object, with its message",
    "[{expression: 'object.spec.ports[0].port < 80', message: Ports are small}]",
    undefined,
    denied("Ports are small"),
  ],
  [
    "a denied object, with a message expression",
    `[{expression: "false", messageExpression: "'at ' + string(object.spec.ports[0].port)"}]`,
    undefined,
    denied("at 443"),
  ],
  [
    "a denied object, without a message",
    '[{expression: " false "}]',
    undefined,
    denied("failed expression: false"),
  ],
  [
    "an expression that qvs can't evaluate",
    `[{expression: ${missing}}]`,
    undefined,
    denied(`expression '${missing}' resulted in error: no such key: annotations`),
  ],
  [
    "such an expression of a policy that ignores failures",
    `[{expression: ${missing}}]\n    failurePolicy: Ignore`,
    undefined,
    [],
  ],
  [
    "an expression that only the API server can evaluate",
    "[{expression: authorizer.group('').resource('x').check('y').allowed()}]",
    undefined,
    open,
  ],
  [
    "the user of the request",
    `[{expression: "request.userInfo.username == 'a'"}]`,
    undefined,
    open,
  ],
  [
    "a denial next to an unknown result",
    `[{expression: "request.userInfo.username == 'a'"}, {expression: "false"}]`,
    undefined,
    denied("failed expression: false"),
  ],
  [
    "the operation of the request",
    `[{expression: "request.operation == 'CREATE' && request.name == 'guard' && oldObject == null"}]`,
    undefined,
    [],
  ],
  ["a binding that only warns", '[{expression: "false"}]', "validationActions: [Warn, Audit]", []],
  [
    "a false condition",
    `[{expression: "false"}]\n    matchConditions: [{name: a, expression: "object.metadata.name != 'guard'"}]`,
    undefined,
    [],
  ],
  [
    "a condition that qvs can't evaluate",
    `[{expression: "false"}]\n    matchConditions: [{name: a, expression: "request.userInfo.username != 'guard'"}]`,
    undefined,
    open,
  ],
  [
    "variables",
    `[{expression: variables.small}]\n    variables: [{name: port, expression: "object.spec.ports[0].port"}, {name: small, expression: variables.port < 80}]`,
    undefined,
    denied("failed expression: variables.small"),
  ],
  [
    "params of the plan",
    `[{expression: 'object.spec.ports[0].port < int(params.data.most)'}]\n    paramKind: {apiVersion: v1, kind: ConfigMap}`,
    "validationActions: [Deny], paramRef: {name: limits, namespace: shop}",
    denied("failed expression: object.spec.ports[0].port < int(params.data.most)"),
  ],
  [
    "params that are not in the plan",
    `[{expression: "false"}]\n    paramKind: {apiVersion: v1, kind: ConfigMap}`,
    "validationActions: [Deny], paramRef: {name: other, namespace: shop}",
    open,
  ],
  [
    "a binding for other objects",
    '[{expression: "false"}]',
    "validationActions: [Deny], matchResources: {objectSelector: {matchLabels: {of: others}}}",
    [],
  ],
  [
    "a binding for namespaces with unknown labels",
    '[{expression: "false"}]',
    "validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {of: others}}}",
    open,
  ],
  [
    "a binding without this object",
    '[{expression: "false"}]',
    'validationActions: [Deny], matchResources: {excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [services/*]}]}',
    [],
  ],
])(
  "a new policy evaluates the objects of the deployment: %s",
  (_, validations, bound, expected) => {
    expect(found(`${shop}${evaluated(`validations: ${validations}`, bound)}`)).toEqual(expected);
  },
);

test("the policy sees namespace labels only if they are known", () => {
  const namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop", labels: { of: "us" } },
  };
  const bound =
    "validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {of: us}}}";
  const declared = `${shop}${evaluated("validations: [{expression: \"namespaceObject.metadata.labels.of == 'them'\"}]", bound)}`;
  const namespaces = { known: true, value: [namespace] } as const;
  expect(found(declared, { namespaces })).toEqual(
    denied("failed expression: namespaceObject.metadata.labels.of == 'them'"),
  );
});

test("qvs reads the existing policy of a new binding, and prints a warning if it can't", () => {
  const [, only = ""] = evaluated("validations: []").split("appSetup/b:");
  const declared = `${shop}appSetup/b:${only}`;
  expect(found(declared)).toEqual([
    "warning: ValidatingAdmissionPolicyBinding teams can't be asked about Deployment shop/web, Service shop/guard before it is deployed",
  ]);
  const [, text = ""] = evaluated('validations: [{expression: "false"}]').split("appSetup/p:");
  const [policy = ""] = text.split("appSetup/b:");
  const key = "admissionregistration.k8s.io:ValidatingAdmissionPolicy::teams";
  const live = { known: true, value: { exists: true, object: parse(policy) } } as const;
  expect(found(declared, { dependencies: new Map([[key, live]]) })).toEqual(
    denied("failed expression: false"),
  );
});

test("the policy evaluates the Pod that the API server returned", () => {
  const declared = `${shop}appSetup/p: ${policy("pods").replace('"false"', "has(object.spec.nodeName)")}appSetup/b: ${binding("Deny")}`;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-1" }, spec: {} };
  const key = keyOf({ group: "apps", kind: "Deployment", namespace: "shop", name: "web" });
  const samplePods = new Map([[key, { ok: true, value: pod } as const]]);
  expect(found(declared, { samplePods })).toEqual(
    denied("failed expression: has(object.spec.nodeName)"),
  );
});

const guarding = (stage: string, spec: string) => `
${stage}/p:
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicy
  metadata: {name: teams}
  spec:
    matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [configmaps]}]}
    ${spec}
${stage}/b:
  apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicyBinding
  metadata: {name: teams}
  spec: {policyName: teams, validationActions: [Deny]}
`;
const old =
  "app/old: {apiVersion: v1, kind: ConfigMap, metadata: {name: old, labels: {team: a}}}\n";
const stays = "app/stays: {apiVersion: v1, kind: ConfigMap, metadata: {name: stays}}\n";
const guarded =
  "object == null && request.operation == 'DELETE' && oldObject.metadata.labels.team == 'a'";
const denying = `validations: [{expression: "!(${guarded})", message: Stay}]`;
const refusal = [
  "warning: ConfigMap shop/old: its deletion can be rejected by a policy of this deployment",
];

test.each<[string, string, readonly string[]]>([
  ["a policy of appSetup denies it", guarding("appSetup", denying), refusal],
  ["a policy of app denies it", guarding("app", denying), refusal],
  ["a policy allows it", guarding("appSetup", `validations: [{expression: "${guarded}"}]`), []],
  [
    "the result is unknown",
    guarding("appSetup", `validations: [{expression: "request.userInfo.username == 'a'"}]`),
    [
      "warning: ValidatingAdmissionPolicyBinding teams can't be asked about deleting ConfigMap shop/old before it is deployed",
    ],
  ],
  [
    "a new webhook is called",
    `app/w: ${webhook("configmaps", "Fail")}`,
    [
      "warning: ValidatingWebhookConfiguration guard can't be asked about deleting ConfigMap shop/old before it is deployed",
    ],
  ],
  ["a webhook about other kinds", `app/w: ${webhook("pods", "Fail")}`, []],
])(
  "qvs deletes undeclared objects after the policies are in effect: %s",
  (_, admission, expected) => {
    const situation = { before: old + stays, declared: stays + admission };
    expect(foundIn(situation, {}, pendingAdmissionOfDeletions)).toEqual(expected);
  },
);

/** A policy by the author of the pull request that would reveal live values in its messages. */
const curious = guarding(
  "appSetup",
  `validations: [{expression: "!oldObject.data.url.startsWith('db')", messageExpression: oldObject.data.url}]`,
);
const unevaluable = [
  "warning: ValidatingAdmissionPolicyBinding teams can't be asked about deleting ConfigMap shop/old before it is deployed",
];

test.each<
  [string, (live: KubeObject) => OwnPart | undefined, readonly string[], readonly string[]]
>([
  ["fields that this deployment has written", wholly, [], refusal],
  [
    "a Secret's value that a reference has inserted",
    (live) => ({ sent: live, secretValues: ["open-sesame"] }),
    [],
    unevaluable,
  ],
  [
    "fields of other managers",
    ({ apiVersion, kind, metadata }) => ({
      sent: { apiVersion, kind, metadata },
      secretValues: [],
    }),
    [],
    unevaluable,
  ],
  ["fields that no release records", () => undefined, [], unevaluable],
  ["a param that is a secret", wholly, ["open-sesame"], unevaluable],
])("a new policy evaluates a deletion by %s", (_, ours, hides, expected) => {
  const before = `app/old: {apiVersion: v1, kind: ConfigMap, metadata: {name: old}, data: {url: "db://me:open-sesame@db"}}\n`;
  const situation = { before: before + stays, declared: stays + curious };
  expect(foundIn(situation, {}, pendingAdmissionOfDeletions, { ours, hides })).toEqual(expected);
});
