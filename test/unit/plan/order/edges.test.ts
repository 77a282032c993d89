import { expect, test } from "vitest";
import * as yaml from "yaml";
import { keyOf } from "../../../../src/model/object.ts";
import { linkObjects } from "../../../../src/plan/order/edges.ts";
import { undeclaredDependencies } from "../../../../src/plan/order/explicit-edges.ts";
import { declare, shown, text } from "../../../support/plan/declare.ts";

const noChecks = { namespace: "shop", checks: [] };

/** Compares every object with its dependencies, as an indented tree. */
function check(yaml: string, expected: string, live: readonly string[] = []): void {
  const objects = declare(yaml);
  const linked = linkObjects(objects, (key) => live.includes(key), noChecks);
  const tree = shown(linked, ({ graph }) =>
    objects
      .flatMap(({ key }) => [
        key,
        ...(graph.get(key) ?? []).map(({ on, reason }) => `  ${on}: ${reason}`),
      ])
      .join("\n"),
  );
  expect(tree).toBe(text(expected));
}

test("objects wait for their Namespace", () => {
  check(
    `
    app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: other}}
    `,
    `
    core:ConfigMap::other/b
    core:ConfigMap::shop/a
      core:Namespace::shop: it is in this namespace
    core:Namespace::shop
    `,
  );
});

test("custom resources wait for the CustomResourceDefinition of their kind", () => {
  check(
    `
    appSetup/crd:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: widgets.acme.example}
      spec: {group: acme.example, scope: Cluster, names: {kind: Unknown}, versions: [{name: v1}]}
    app/widget: {apiVersion: acme.example/v1, kind: Unknown, metadata: {name: one}}
    `,
    `
    acme.example:Unknown::one
      apiextensions.k8s.io:CustomResourceDefinition::widgets.acme.example: this defines its kind
    apiextensions.k8s.io:CustomResourceDefinition::widgets.acme.example
    `,
  );
});

test("a Rollout waits for the Services that it switches", () => {
  check(
    `
    app/active: {apiVersion: v1, kind: Service, metadata: {name: active}}
    app/preview: {apiVersion: v1, kind: Service, metadata: {name: preview}}
    app/web:
      apiVersion: argoproj.io/v1alpha1
      kind: Rollout
      metadata: {name: a}
      spec: {strategy: {blueGreen: {activeService: active, previewService: preview}}}
    `,
    `
    argoproj.io:Rollout::shop/a
      core:Service::shop/active: it directs this Service to its Pods
      core:Service::shop/preview: it directs this Service to its Pods
    core:Service::shop/active
    core:Service::shop/preview
    `,
  );
});

test("bindings wait for ServiceAccounts and roles, and workloads wait for the bindings of their ServiceAccount", () => {
  check(
    `
    app/sa: {apiVersion: v1, kind: ServiceAccount, metadata: {name: runner}}
    app/role: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: reader}}
    app/clusterRole: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "acme:all"}}
    app/binding:
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata: {name: reads}
      roleRef: {kind: Role, name: reader}
      subjects: [{kind: ServiceAccount, name: runner}]
    app/clusterBinding:
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: all}
      roleRef: {kind: ClusterRole, name: "acme:all"}
      subjects: [{kind: ServiceAccount, name: runner, namespace: shop}, {kind: User, name: runner}]
    app/job:
      apiVersion: batch/v1
      kind: CronJob
      metadata: {name: nightly}
      spec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: runner, containers: [{name: a}]}}}}}
    app/other:
      apiVersion: batch/v1
      kind: Job
      metadata: {name: other}
      spec: {template: {spec: {containers: [{name: a}]}}}
    `,
    `
    batch:CronJob::shop/nightly
      core:ServiceAccount::shop/runner: its Pods use this ServiceAccount
      rbac.authorization.k8s.io:ClusterRoleBinding::all: its Pods run as runner, to which this grants a role
      rbac.authorization.k8s.io:RoleBinding::shop/reads: its Pods run as runner, to which this grants a role
    batch:Job::shop/other
    core:ServiceAccount::shop/runner
    rbac.authorization.k8s.io:ClusterRole::acme:all
    rbac.authorization.k8s.io:ClusterRoleBinding::all
      core:ServiceAccount::shop/runner: it grants a role to this ServiceAccount
      rbac.authorization.k8s.io:ClusterRole::acme:all: it grants this role
    rbac.authorization.k8s.io:Role::shop/reader
    rbac.authorization.k8s.io:RoleBinding::shop/reads
      core:ServiceAccount::shop/runner: it grants a role to this ServiceAccount
      rbac.authorization.k8s.io:Role::shop/reader: it grants this role
    `,
  );
});

const everyPlace = `
containers:
  - name: web
    envFrom: [{configMapRef: {name: env}}, {secretRef: {name: env}}]
    env: [{name: A, valueFrom: {configMapKeyRef: {name: key, key: a}}}, {name: B, valueFrom: {secretKeyRef: {name: key, key: b}}}]
initContainers: [{name: init, envFrom: [{configMapRef: {name: init}}]}]
imagePullSecrets: [{name: pull}]
volumes:
  - {name: a, configMap: {name: volume}}
  - {name: b, secret: {secretName: volume}}
  - {name: c, persistentVolumeClaim: {claimName: data}}
  - {name: d, projected: {sources: [{configMap: {name: projected}}, {secret: {name: projected}}]}}
  - {name: e, azureFile: {secretName: share}}
  - {name: f, iscsi: {secretRef: {name: disk}}}
`;

const named = `
app/c1: {apiVersion: v1, kind: ConfigMap, metadata: {name: env}}
app/c2: {apiVersion: v1, kind: ConfigMap, metadata: {name: key}}
app/c3: {apiVersion: v1, kind: ConfigMap, metadata: {name: init}}
app/c4: {apiVersion: v1, kind: ConfigMap, metadata: {name: volume}}
app/c5: {apiVersion: v1, kind: ConfigMap, metadata: {name: projected}}
app/c6: {apiVersion: v1, kind: ConfigMap, metadata: {name: unused}}
app/c7: {apiVersion: v1, kind: ConfigMap, metadata: {name: env, namespace: elsewhere}}
app/s1: {apiVersion: v1, kind: Secret, metadata: {name: env}}
app/s2: {apiVersion: v1, kind: Secret, metadata: {name: key}}
app/s3: {apiVersion: v1, kind: Secret, metadata: {name: pull}}
app/s4: {apiVersion: v1, kind: Secret, metadata: {name: volume}}
app/s5: {apiVersion: v1, kind: Secret, metadata: {name: projected}}
app/s6: {apiVersion: v1, kind: Secret, metadata: {name: share}}
app/s7: {apiVersion: v1, kind: Secret, metadata: {name: disk}}
app/p1: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}
`;

const inTemplate = (spec: string) => `spec: {template: {spec: ${spec}}}`;

test.each([
  ["Pod", "v1", (spec: string) => `spec: ${spec}`],
  ["Deployment", "apps/v1", inTemplate],
  ["StatefulSet", "apps/v1", inTemplate],
  ["DaemonSet", "apps/v1", inTemplate],
  ["ReplicaSet", "apps/v1", inTemplate],
  ["Job", "batch/v1", inTemplate],
  [
    "CronJob",
    "batch/v1",
    (spec: string) => `spec: {jobTemplate: {spec: {template: {spec: ${spec}}}}}`,
  ],
  ["Rollout", "argoproj.io/v1alpha1", inTemplate],
])("a %s waits for every object that its Pods name", (kind, apiVersion, place) => {
  const { parse, stringify } = yaml;
  const spec = stringify(parse(everyPlace), { collectionStyle: "flow", lineWidth: 0 }).trim();
  const objects = declare(
    `${named}\napp/w: {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: w}, ${place(spec)}}`,
  );
  const linked = linkObjects(objects, () => false, noChecks);
  const key = objects.find((object) => object.resource === "w")?.key ?? "";
  const awaited = linked.ok ? linked.value.graph.get(key)?.map((edge) => edge.on) : [];
  expect(awaited?.join("\n")).toBe(
    text(`
    core:ConfigMap::shop/env
    core:ConfigMap::shop/init
    core:ConfigMap::shop/key
    core:ConfigMap::shop/projected
    core:ConfigMap::shop/volume
    core:PersistentVolumeClaim::shop/data
    core:Secret::shop/disk
    core:Secret::shop/env
    core:Secret::shop/key
    core:Secret::shop/projected
    core:Secret::shop/pull
    core:Secret::shop/share
    core:Secret::shop/volume
    `),
  );
});

test("an ExternalSecret counts as its Secret, and PersistentVolumeClaims wait for their StorageClass", () => {
  check(
    `
    app/ext: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: ext}, spec: {target: {name: token}}}
    app/same: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: same}}
    app/far: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: token, namespace: other}}
    app/fast: {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}
    app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: fast}}
    app/pod:
      apiVersion: v1
      kind: Pod
      metadata: {name: pod}
      spec: {containers: [{name: a, envFrom: [{secretRef: {name: token}}, {secretRef: {name: same}}]}]}
    `,
    `
    core:PersistentVolumeClaim::shop/data
      storage.k8s.io:StorageClass::fast: it uses this StorageClass
    core:Pod::shop/pod
      external-secrets.io:ExternalSecret::shop/ext: its Pods use the Secret token, which this creates
      external-secrets.io:ExternalSecret::shop/same: its Pods use the Secret same, which this creates
    external-secrets.io:ExternalSecret::other/token
    external-secrets.io:ExternalSecret::shop/ext
    external-secrets.io:ExternalSecret::shop/same
    storage.k8s.io:StorageClass::fast
    `,
  );
});

test("a custom resource in a version other than the storage version waits for the conversion webhook", () => {
  check(
    `
    app/def:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: dbs.example.com}
      spec:
        group: example.com
        names: {kind: Db}
        conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: hook, namespace: shop}}}}
        versions: [{name: v1}, {name: v2, storage: true}]
    app/old: {apiVersion: example.com/v1, kind: Db, metadata: {name: old}}
    app/new: {apiVersion: example.com/v2, kind: Db, metadata: {name: new}}
    app/hook: {apiVersion: v1, kind: Service, metadata: {name: hook}, spec: {selector: {app: hook}}}
    app/web: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {labels: {app: web}}, spec: {}}}}
    app/run: {apiVersion: apps/v1, kind: Deployment, metadata: {name: run}, spec: {template: {metadata: {labels: {app: hook, more: x}}, spec: {}}}}
    `,
    `
    apiextensions.k8s.io:CustomResourceDefinition::dbs.example.com
    apps:Deployment::shop/run
    apps:Deployment::shop/web
    core:Service::shop/hook
    example.com:Db::shop/new
      apiextensions.k8s.io:CustomResourceDefinition::dbs.example.com: this defines its kind
    example.com:Db::shop/old
      apiextensions.k8s.io:CustomResourceDefinition::dbs.example.com: this defines its kind
      apps:Deployment::shop/run: the Pods of this convert objects of its kind
      core:Service::shop/hook: this converts objects of its kind
    `,
  );
});

test("a Rollout waits for the workload that it references", () => {
  check(
    `
    app/base: {apiVersion: apps/v1, kind: Deployment, metadata: {name: base}}
    app/web:
      apiVersion: argoproj.io/v1alpha1
      kind: Rollout
      metadata: {name: web}
      spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: base}}
    `,
    `
    apps:Deployment::shop/base
    argoproj.io:Rollout::shop/web
      apps:Deployment::shop/base: it uses the Pod template of this
    `,
  );
});

test("objects wait for the quotas of their namespace, and PersistentVolumeClaims for LimitRanges", () => {
  check(
    `
    app/most: {apiVersion: v1, kind: ResourceQuota, metadata: {name: most}}
    app/elsewhere: {apiVersion: v1, kind: ResourceQuota, metadata: {name: most, namespace: elsewhere}}
    app/bounds: {apiVersion: v1, kind: LimitRange, metadata: {name: bounds}}
    app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
    app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}
    `,
    `
    core:ConfigMap::shop/settings
      core:ResourceQuota::shop/most: this counts the objects of its namespace
    core:LimitRange::shop/bounds
    core:PersistentVolumeClaim::shop/data
      core:LimitRange::shop/bounds: this limits PersistentVolumeClaims
      core:ResourceQuota::shop/most: this counts the objects of its namespace
    core:ResourceQuota::elsewhere/most
    core:ResourceQuota::shop/most
    `,
  );
});

test("workloads wait for the objects that influence their scheduling", () => {
  check(
    `
    app/fast: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: fast}, value: 10}
    app/small: {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: small}, handler: small}
    app/other: {apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: a}}}
    app/usual: {apiVersion: v1, kind: LimitRange, metadata: {name: usual}}
    app/elsewhere: {apiVersion: v1, kind: LimitRange, metadata: {name: usual, namespace: elsewhere}}
    app/web:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web}
      spec:
        template:
          spec:
            priorityClassName: fast
            runtimeClassName: small
            affinity:
              podAntiAffinity:
                requiredDuringSchedulingIgnoredDuringExecution: [{namespaceSelector: {matchLabels: {team: a}}}]
            containers: [{name: a}]
    app/api:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: api, namespace: far}
      spec: {template: {spec: {priorityClassName: fast, containers: [{name: a}]}}}
    `,
    `
    apps:Deployment::far/api
      scheduling.k8s.io:PriorityClass::fast: its Pods use this PriorityClass
    apps:Deployment::shop/web
      core:LimitRange::shop/usual: this sets defaults for its Pods
      core:Namespace::other: its Pods are scheduled by labels of Namespaces
      node.k8s.io:RuntimeClass::small: its Pods use this RuntimeClass
      scheduling.k8s.io:PriorityClass::fast: its Pods use this PriorityClass
    core:LimitRange::elsewhere/usual
    core:LimitRange::shop/usual
    core:Namespace::other
    node.k8s.io:RuntimeClass::small
    scheduling.k8s.io:PriorityClass::fast
    `,
  );
});

test("webhooks are last in their stage, unless an annotation says otherwise", () => {
  check(
    `
    app/hook: {apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: hook}}
    app/service: {apiVersion: v1, kind: Service, metadata: {name: hook}}
    app/user:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: user, annotations: {vs.axis-dev.io/dependsOn: "admissionregistration.k8s.io:MutatingWebhookConfiguration::hook"}}
    `,
    `
    admissionregistration.k8s.io:MutatingWebhookConfiguration::hook
      core:Service::shop/hook: a MutatingWebhookConfiguration is the last of its stage
    core:ConfigMap::shop/user
      admissionregistration.k8s.io:MutatingWebhookConfiguration::hook: annotation vs.axis-dev.io/dependsOn
    core:Service::shop/hook
    `,
  );
});

test("a parameter of a policy is written after the other objects, and before the policy", () => {
  const group = "admissionregistration.k8s.io";
  check(
    `
    app/policy: {apiVersion: ${group}/v1, kind: ValidatingAdmissionPolicy, metadata: {name: most}, spec: {paramKind: {apiVersion: v1, kind: ConfigMap}}}
    app/binding: {apiVersion: ${group}/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: most}, spec: {policyName: most, paramRef: {name: limits, namespace: shop}}}
    app/limits: {apiVersion: v1, kind: ConfigMap, metadata: {name: limits}}
    app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
    appSetup/early: {apiVersion: v1, kind: ConfigMap, metadata: {name: early}}
    `,
    `
    ${group}:ValidatingAdmissionPolicy::most
      core:ConfigMap::shop/limits: a ValidatingAdmissionPolicy is the last of its stage
      core:ConfigMap::shop/settings: a ValidatingAdmissionPolicy is the last of its stage
    ${group}:ValidatingAdmissionPolicyBinding::most
      core:ConfigMap::shop/limits: a ValidatingAdmissionPolicyBinding is the last of its stage
      core:ConfigMap::shop/settings: a ValidatingAdmissionPolicyBinding is the last of its stage
    core:ConfigMap::shop/early
    core:ConfigMap::shop/limits
      core:ConfigMap::shop/settings: a parameter of a policy changes its decisions
    core:ConfigMap::shop/settings
    `,
  );
});

test("annotations and references to resource ids are edges, also to live objects outside the deployment", () => {
  check(
    `
    appSetup/db: {apiVersion: v1, kind: ConfigMap, metadata: {name: db-setup}}
    app/db: {apiVersion: v1, kind: ConfigMap, metadata: {name: db}}
    app/web:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: " core:ConfigMap::a , apps:Deployment::infra/proxy,core:Namespace::live"}}
      dependsOn: [db]
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    `,
    `
    core:ConfigMap::shop/a
    core:ConfigMap::shop/db
    core:ConfigMap::shop/db-setup
    core:ConfigMap::shop/web
      apps:Deployment::infra/proxy: annotation vs.axis-dev.io/dependsOn
      core:ConfigMap::shop/a: annotation vs.axis-dev.io/dependsOn
      core:ConfigMap::shop/db: reference to resource db
      core:Namespace::live: annotation vs.axis-dev.io/dependsOn
    `,
    ["apps:Deployment::infra/proxy", "core:Namespace::live"],
  );
});

test("every invalid dependency is reported with its fix", () => {
  check(
    `
    app/web:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/confg,ConfigMap/config"}}
      dependsOn: [network]
    app/config: {apiVersion: v1, kind: ConfigMap, metadata: {name: config}}
    `,
    `
    ConfigMap shop/web depends on core:ConfigMap::shop/confg, which doesn't exist
      why: It isn't in the cluster, and this deployment doesn't declare it
      → Did you mean "core:ConfigMap::shop/config"?
        or declare it in this deployment
        or create it first
        or correct the annotation vs.axis-dev.io/dependsOn
    ConfigMap shop/web: "ConfigMap/config" in the annotation vs.axis-dev.io/dependsOn isn't valid
      → Write each entry as <apiGroup>:<Kind>::<namespace>/<name>, with "core" for the core group, and separate entries by commas
    ConfigMap shop/web refers to resource network, which isn't a Kubernetes object
      why: This deployment has no Kubernetes object of that id, and qvs doesn't know values of other providers
      → Refer to a resource of the provider kubernetes
    `,
  );
});

test("a declared cycle is an error that names every edge", () => {
  check(
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/b"}}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, dependsOn: [c]}
    app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/a"}}}
    app/self: {apiVersion: v1, kind: ConfigMap, metadata: {name: self, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/self"}}}
    `,
    `
    ConfigMap shop/a depends on itself through other objects
      dependency: core:ConfigMap::shop/a waits for core:ConfigMap::shop/b (annotation vs.axis-dev.io/dependsOn)
      dependency: core:ConfigMap::shop/b waits for core:ConfigMap::shop/c (reference to resource c)
      dependency: core:ConfigMap::shop/c waits for core:ConfigMap::shop/a (annotation vs.axis-dev.io/dependsOn)
      → Remove one of these dependencies from its annotation or reference
    ConfigMap shop/self depends on itself
      cycle: core:ConfigMap::shop/self → core:ConfigMap::shop/self
      dependency: annotation vs.axis-dev.io/dependsOn
      → Remove one of these dependencies from its annotation or reference
    `,
  );
});

test("a declared dependency takes precedence over an inferred one", () => {
  check(
    `
    app/config:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: config, annotations: {vs.axis-dev.io/dependsOn: "core:Pod::shop/pod"}}
    app/pod:
      apiVersion: v1
      kind: Pod
      metadata: {name: pod}
      spec: {containers: [{name: a, envFrom: [{configMapRef: {name: config, optional: true}}]}]}
    `,
    `
    core:ConfigMap::shop/config
      core:Pod::shop/pod: annotation vs.axis-dev.io/dependsOn
    core:Pod::shop/pod
    `,
  );
});

test("objects of appSetup can't depend on objects of app", () => {
  check(
    `
    appSetup/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/b"}}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
    `,
    `
    ConfigMap shop/a of appSetup depends on ConfigMap shop/b of app
      dependency: annotation vs.axis-dev.io/dependsOn
      why: qvs deploys all of appSetup before app
      → Move the resource b to appSetup
        or move the resource a to app
    ConfigMap shop/a of appSetup depends on Namespace shop of app
      dependency: it is in this namespace
      why: qvs deploys all of appSetup before app
      → Move the resource ns to appSetup
        or move the resource a to app
    `,
  );
});

test("qvs reads only dependencies that no manifest declares", () => {
  const objects = declare(`
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: b, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::a,apps:Deployment::infra/proxy,acme.example:Widget::one"}}
  `);
  expect(undeclaredDependencies(objects).map(keyOf)).toEqual([
    "acme.example:Widget::one",
    "acme.example:Widget::shop/one",
    "apps:Deployment::infra/proxy",
  ]);
});

test("a token Secret waits for its ServiceAccount", () => {
  check(
    `
    app/token:
      apiVersion: v1
      kind: Secret
      type: kubernetes.io/service-account-token
      metadata: {name: token, annotations: {kubernetes.io/service-account.name: robot}}
    app/other:
      apiVersion: v1
      kind: Secret
      metadata: {name: other, annotations: {kubernetes.io/service-account.name: robot}}
    app/robot: {apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}}
    `,
    `
    core:Secret::shop/other
    core:Secret::shop/token
      core:ServiceAccount::shop/robot: it contains a token of this ServiceAccount
    core:ServiceAccount::shop/robot
    `,
  );
});

test("routes wait for their Gateways, and scalers for their targets", () => {
  check(
    `
    app/gateway: {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge}}
    app/shared: {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: infra}}
    app/mesh: {apiVersion: v1, kind: Service, metadata: {name: mesh}}
    app/http:
      apiVersion: gateway.networking.k8s.io/v1
      kind: HTTPRoute
      metadata: {name: http}
      spec: {parentRefs: [{name: edge}, {name: edge, namespace: infra}, {kind: Service, group: "", name: mesh}, {}]}
    app/grpc:
      apiVersion: gateway.networking.k8s.io/v1
      kind: GRPCRoute
      metadata: {name: grpc}
      spec: {parentRefs: [{name: edge}]}
    app/web: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
    app/db: {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}}
    app/scaled: {apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: a}, spec: {scaleTargetRef: {name: web}}}
    app/scaled-db: {apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: b}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}}}
    `,
    `
    apps:Deployment::shop/web
    apps:StatefulSet::shop/db
    core:Service::shop/mesh
    gateway.networking.k8s.io:GRPCRoute::shop/grpc
      gateway.networking.k8s.io:Gateway::shop/edge: it is attached to this Gateway
    gateway.networking.k8s.io:Gateway::infra/edge
    gateway.networking.k8s.io:Gateway::shop/edge
    gateway.networking.k8s.io:HTTPRoute::shop/http
      core:Service::shop/mesh: it is attached to this Service
      gateway.networking.k8s.io:Gateway::infra/edge: it is attached to this Gateway
      gateway.networking.k8s.io:Gateway::shop/edge: it is attached to this Gateway
    keda.sh:ScaledObject::shop/a
      apps:Deployment::shop/web: it scales this
    keda.sh:ScaledObject::shop/b
      apps:StatefulSet::shop/db: it scales this
    `,
  );
});

test("workloads wait for the objects that create their Secrets", () => {
  check(
    `
    app/tls: {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: web}, spec: {secretName: web-tls}}
    app/sealed: {apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: keys}}
    app/external: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: db}}
    app/elsewhere: {apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: keys, namespace: other}}
    app/web:
      apiVersion: v1
      kind: Pod
      metadata: {name: web}
      spec: {volumes: [{name: a, secret: {secretName: web-tls}}], containers: [{name: a, envFrom: [{secretRef: {name: keys}}, {secretRef: {name: db}}]}]}
    `,
    `
    bitnami.com:SealedSecret::other/keys
    bitnami.com:SealedSecret::shop/keys
    cert-manager.io:Certificate::shop/web
    core:Pod::shop/web
      bitnami.com:SealedSecret::shop/keys: its Pods use the Secret keys, which this creates
      cert-manager.io:Certificate::shop/web: its Pods use the Secret web-tls, which this creates
      external-secrets.io:ExternalSecret::shop/db: its Pods use the Secret db, which this creates
    external-secrets.io:ExternalSecret::shop/db
    `,
  );
});

test("Pods wait for the image pull secrets of their ServiceAccount, but the ServiceAccount doesn't", () => {
  check(
    `
    app/made: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: made}}
    app/plain: {apiVersion: v1, kind: Secret, metadata: {name: plain}}
    app/sa: {apiVersion: v1, kind: ServiceAccount, metadata: {name: sa}, imagePullSecrets: [{name: plain}, {name: made}]}
    app/pod: {apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {serviceAccountName: sa, containers: []}}
    app/own: {apiVersion: v1, kind: Pod, metadata: {name: own}, spec: {serviceAccountName: sa, imagePullSecrets: [{name: x}], containers: []}}
    `,
    `
    core:Pod::shop/own
      core:ServiceAccount::shop/sa: its Pods use this ServiceAccount
    core:Pod::shop/pod
      core:Secret::shop/plain: its Pods pull images with this Secret of their ServiceAccount
      core:ServiceAccount::shop/sa: its Pods use this ServiceAccount
      external-secrets.io:ExternalSecret::shop/made: its Pods pull images with the Secret made, which this creates
    core:Secret::shop/plain
    core:ServiceAccount::shop/sa
    external-secrets.io:ExternalSecret::shop/made
    `,
  );
});

test("objects without a class wait for a possible default class", () => {
  check(
    `
    app/sc: {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: sc}}
    app/ic: {apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: ic}}
    app/none: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: none}, spec: {storageClassName: ""}}
    app/any: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: any}, spec: {}}
    app/named: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: named}, spec: {ingressClassName: x}}
    app/web: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {}}
    app/low: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}
    app/usual: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 2, globalDefault: true}
    app/pod: {apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {containers: []}}
    `,
    `
    core:PersistentVolumeClaim::shop/any
      storage.k8s.io:StorageClass::sc: it names no StorageClass and gets the default
    core:PersistentVolumeClaim::shop/none
    core:Pod::shop/pod
      scheduling.k8s.io:PriorityClass::usual: it names no PriorityClass and gets the default
    networking.k8s.io:Ingress::shop/named
    networking.k8s.io:Ingress::shop/web
      networking.k8s.io:IngressClass::ic: it names no IngressClass and gets the default
    networking.k8s.io:IngressClass::ic
    scheduling.k8s.io:PriorityClass::low
    scheduling.k8s.io:PriorityClass::usual
    storage.k8s.io:StorageClass::sc
    `,
  );
});

test("objects wait for their secret store or issuer, and scalers of any kind for their targets", () => {
  check(
    `
    app/store: {apiVersion: external-secrets.io/v1, kind: SecretStore, metadata: {name: vault}}
    app/cluster-store: {apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, metadata: {name: vault}}
    app/one: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: one}, spec: {secretStoreRef: {name: vault}}}
    app/two:
      apiVersion: external-secrets.io/v1
      kind: ExternalSecret
      metadata: {name: two}
      spec:
        secretStoreRef: {name: vault, kind: ClusterSecretStore}
        data: [{sourceRef: {storeRef: {name: vault}}}]
    app/push: {apiVersion: external-secrets.io/v1, kind: PushSecret, metadata: {name: push}, spec: {secretStoreRefs: [{name: vault}]}}
    app/issuer: {apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: ca}}
    app/cluster-issuer: {apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: ca}}
    app/cert: {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: a}, spec: {secretName: a, issuerRef: {name: ca}}}
    app/cert-2: {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: b}, spec: {secretName: b, issuerRef: {kind: ClusterIssuer, name: ca}}}
    app/cert-3: {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, spec: {secretName: c, issuerRef: {group: other.example, name: ca}}}
    app/web: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
    app/scaler: {apiVersion: scale.example/v1, kind: PodScaler, metadata: {name: s}, spec: {scaleTargetRef: {name: web}}}
    `,
    `
    apps:Deployment::shop/web
    cert-manager.io:Certificate::shop/a
      cert-manager.io:Issuer::shop/ca: it uses this Issuer
    cert-manager.io:Certificate::shop/b
      cert-manager.io:ClusterIssuer::ca: it uses this ClusterIssuer
    cert-manager.io:Certificate::shop/c
    cert-manager.io:ClusterIssuer::ca
    cert-manager.io:Issuer::shop/ca
    external-secrets.io:ClusterSecretStore::vault
    external-secrets.io:ExternalSecret::shop/one
      external-secrets.io:SecretStore::shop/vault: it uses this SecretStore
    external-secrets.io:ExternalSecret::shop/two
      external-secrets.io:ClusterSecretStore::vault: it uses this ClusterSecretStore
      external-secrets.io:SecretStore::shop/vault: it uses this SecretStore
    external-secrets.io:PushSecret::shop/push
      external-secrets.io:SecretStore::shop/vault: it uses this SecretStore
    external-secrets.io:SecretStore::shop/vault
    scale.example:PodScaler::shop/s
      apps:Deployment::shop/web: it scales this
    `,
  );
});

test("an entry with a namespace also names a cluster-scoped object of a custom kind", () => {
  check(
    `
    appSetup/crd:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: widgets.acme.example}
      spec: {group: acme.example, scope: Cluster, names: {kind: Unknown}, versions: [{name: v1}]}
    app/widget: {apiVersion: acme.example/v1, kind: Unknown, metadata: {name: one}}
    app/user:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: user, annotations: {vs.axis-dev.io/dependsOn: "acme.example:Unknown::shop/one"}}
    `,
    `
    acme.example:Unknown::one
      apiextensions.k8s.io:CustomResourceDefinition::widgets.acme.example: this defines its kind
    apiextensions.k8s.io:CustomResourceDefinition::widgets.acme.example
    core:ConfigMap::shop/user
      acme.example:Unknown::one: annotation vs.axis-dev.io/dependsOn
    `,
  );
});
