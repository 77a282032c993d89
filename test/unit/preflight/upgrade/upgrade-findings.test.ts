import { expect, test } from "vitest";
import { parse } from "yaml";
import { readApiLifecycles } from "../../../../src/io/builtin-kinds/read.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  type UpgradeInput,
  upgradeFindings,
} from "../../../../src/preflight/upgrade/upgrade-findings.ts";
import { knownVersions } from "../../../support/known-versions.ts";

const facts = { known: knownVersions, lifecycles: readApiLifecycles() };

function objectOf(text: string): KubeObject {
  const { metadata = {}, ...rest } = parse(text);
  return { metadata: { name: "web", namespace: "shop", ...metadata }, ...rest };
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

function findingsOf(
  [server, version]: readonly [server: string | undefined, version: string],
  objects: { readonly deployed?: readonly string[]; readonly declared?: readonly string[] },
  more: Partial<UpgradeInput> = {},
) {
  const { deployed, declared = [] } = objects;
  const manifests = declared.map((text) => ({ object: objectOf(text) }));
  return upgradeFindings({
    target: { version, facts },
    next: { major: 1, minor: minorOf(version) },
    server: server === undefined ? undefined : { major: 1, minor: minorOf(server) },
    deployed: deployed && { release: 7, objects: deployed.map(objectOf) },
    declared: manifests,
    namespaces: new Map(),
    definitions: manifests
      .map(({ object }) => object)
      .filter(({ kind }) => kind === "CustomResourceDefinition"),
    ...more,
  });
}

/** Returns the findings about one declared object as lines. */
function linesOf(
  versions: readonly [server: string | undefined, version: string],
  manifest: string,
  more: Partial<UpgradeInput> = {},
): readonly string[] {
  return findingsOf(versions, { declared: [manifest] }, more).map(
    ({ code, severity, what, facts: shown = [], fix }) => {
      const since = shown.find(({ label }) => label === "versions")?.value;
      return `${severity} ${code}: ${what} | ${since} | ${fix}`;
    },
  );
}

const attributes =
  "{apiVersion: storage.k8s.io/v1beta1, kind: VolumeAttributesClass, driverName: a, parameters: {a: b}}";
const ingress =
  "{apiVersion: networking.k8s.io/v1beta1, kind: Ingress, spec: {backend: {serviceName: web, servicePort: 80}}}";
const template = (spec: string) =>
  `{apiVersion: apps/v1, kind: Deployment, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: ${spec}}}}`;
const pod = (more: string) => template(`{containers: [{name: web, image: "web:1"}], ${more}}`);

test.each([
  [
    "a kind that the version removes, with its stable version",
    ["1.36", "1.37"],
    attributes,
    [
      "warning removed-api: VolumeAttributesClass shop/web: Kubernetes 1.37 has no VolumeAttributesClass in storage.k8s.io/v1beta1 | removed in Kubernetes 1.37 | Declare apiVersion: storage.k8s.io/v1 (since Kubernetes 1.34)",
    ],
  ],
  [
    "a kind whose replacement begins with the version",
    ["1.36", "1.37"],
    "{apiVersion: certificates.k8s.io/v1alpha1, kind: ClusterTrustBundle, spec: {trustBundle: a}}",
    [
      "warning removed-api: ClusterTrustBundle shop/web: Kubernetes 1.37 has no ClusterTrustBundle in certificates.k8s.io/v1alpha1 | removed in Kubernetes 1.37 | Declare apiVersion: certificates.k8s.io/v1 (since Kubernetes 1.37). This server doesn't have it, so deploy it right after the upgrade",
    ],
  ],
  [
    "a kind that all known versions have removed, with the fields to rewrite",
    ["1.36", "1.37"],
    ingress,
    [
      "warning removed-api: Ingress shop/web: Kubernetes 1.37 has no Ingress in networking.k8s.io/v1beta1 | removed in Kubernetes 1.22 | Declare apiVersion: networking.k8s.io/v1 (since Kubernetes 1.19). Rewrite the fields that it doesn't have: spec.backend",
    ],
  ],
  [
    "a kind that the documents lack earlier than the types announce",
    ["1.33", "1.34"],
    "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourceClaim, spec: {}}",
    [
      "warning removed-api: ResourceClaim shop/web: Kubernetes 1.34 has no ResourceClaim in resource.k8s.io/v1alpha3 | removed in Kubernetes 1.34 | Declare apiVersion: resource.k8s.io/v1 (since Kubernetes 1.34). This server doesn't have it, so deploy it right after the upgrade",
    ],
  ],
  [
    "a kind that doesn't exist yet, with a version that servers must enable",
    ["1.36", "1.33"],
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, spec: {devices: {requests: [{name: gpu}]}}}",
    [
      "warning not-in-version: ResourceClaim shop/web: Kubernetes 1.33 has no ResourceClaim in resource.k8s.io/v1 | since Kubernetes 1.34 | Declare apiVersion: resource.k8s.io/v1beta2 (since Kubernetes 1.33), which the cluster must enable",
    ],
  ],
  [
    "a kind without any other version",
    ["1.37", "1.36"],
    "{apiVersion: lifecycle.k8s.io/v1alpha1, kind: EvictionRequest, spec: {}}",
    [
      "warning not-in-version: EvictionRequest shop/web: Kubernetes 1.36 has no EvictionRequest in lifecycle.k8s.io/v1alpha1 | since Kubernetes 1.37 | Remove the object before the cluster has Kubernetes 1.36",
    ],
  ],
  [
    "a kind that the version starts to warn about",
    ["1.36", "1.37"],
    "{apiVersion: storagemigration.k8s.io/v1beta1, kind: StorageVersionMigration, spec: {resource: {resource: a}}}",
    [
      "note api-deprecated: StorageVersionMigration shop/web: Kubernetes 1.37 warns about storagemigration.k8s.io/v1beta1 | deprecated since Kubernetes 1.37 | Declare apiVersion: storagemigration.k8s.io/v1 (since Kubernetes 1.37). This server doesn't have it, so deploy it right after the upgrade",
    ],
  ],
  [
    "a kind whose types are gone",
    ["1.32", "1.37"],
    "{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, spec: {privileged: false}}",
    [
      "warning removed-api: PodSecurityPolicy shop/web: Kubernetes 1.37 has no PodSecurityPolicy in policy/v1beta1 | removed in Kubernetes 1.25 | Remove the object before the cluster has Kubernetes 1.37",
    ],
  ],
  [
    "a kind of a group that is gone",
    ["1.32", "1.37"],
    "{apiVersion: settings.k8s.io/v1alpha1, kind: PodPreset, spec: {}}",
    [
      "warning removed-api: PodPreset shop/web: Kubernetes 1.37 has no PodPreset in settings.k8s.io/v1alpha1 | removed in Kubernetes 1.20 | Remove the object before the cluster has Kubernetes 1.37",
    ],
  ],
  [
    "a kind of a built-in group that no known version has",
    ["1.32", "1.37"],
    "{apiVersion: rbac.authorization.k8s.io/v1alpha1, kind: Role, rules: []}",
    [
      "warning removed-api: Role shop/web: Kubernetes 1.37 has no Role in rbac.authorization.k8s.io/v1alpha1 | not in Kubernetes 1.32 to 1.37 | Declare apiVersion: rbac.authorization.k8s.io/v1 (since Kubernetes 1.8)",
    ],
  ],
  [
    "a kind that another project defines in a group of Kubernetes",
    ["1.32", "1.37"],
    "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, spec: {}}",
    [],
  ],
  ["a kind that both versions have", ["1.32", "1.37"], pod("restartPolicy: Always"), []],
  [
    "a custom resource",
    ["1.32", "1.37"],
    "{apiVersion: example.com/v1beta1, kind: Ingress, spec: {a: b}}",
    [],
  ],
  [
    "a field that doesn't exist yet",
    ["1.36", "1.33"],
    pod("hostnameOverride: a"),
    [
      "warning not-in-version: Deployment shop/web: Kubernetes 1.33 has no field spec.template.spec.hostnameOverride | since Kubernetes 1.34 | Remove the field while the cluster has Kubernetes 1.33",
    ],
  ],
  [
    "a field that was removed, with its replacement",
    ["1.35", "1.36"],
    pod("workloadRef: {name: a, podGroup: b}"),
    [
      "warning not-in-version: Deployment shop/web: Kubernetes 1.36 has no field spec.template.spec.workloadRef | only in Kubernetes 1.35 | Remove the field while the cluster has Kubernetes 1.36, or declare schedulingGroup",
    ],
  ],
  ["a field that no version has", ["1.35", "1.36"], pod("hostnameOverrride: a"), []],
  [
    "a field that the older version drops",
    ["1.36", "1.34"],
    pod("hostnameOverride: a"),
    [
      "warning not-in-version: Deployment shop/web: Kubernetes 1.34 doesn't store spec.template.spec.hostnameOverride by default | since Kubernetes 1.35, feature gate HostnameOverride | Remove the field while the cluster has Kubernetes 1.34, or enable HostnameOverride there",
    ],
  ],
  [
    "a field that the newer version starts to store",
    ["1.36", "1.37"],
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 2}}}}",
    [
      "note changed-default: StatefulSet shop/web: Kubernetes 1.37 starts to store spec.updateStrategy.rollingUpdate.maxUnavailable | since Kubernetes 1.37, feature gate MaxUnavailableStatefulSet | Remove the field unless you want its effect",
    ],
  ],
  ["a field that both versions drop", ["1.36", "1.37"], pod("evictionResponders: []"), []],
  [
    "a field of a device class that the older version drops",
    ["1.36", "1.35"],
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, spec: {extendedResourceName: a/gpu}}",
    [
      "warning not-in-version: DeviceClass shop/web: Kubernetes 1.35 doesn't store spec.extendedResourceName by default | since Kubernetes 1.36, feature gate DRAExtendedResource | Remove the field while the cluster has Kubernetes 1.35, or enable DRAExtendedResource there",
    ],
  ],
  [
    "a scope of a quota that selects claims only in the newer version",
    ["1.33", "1.34"],
    "{apiVersion: v1, kind: ResourceQuota, spec: {scopes: [VolumeAttributesClass]}}",
    [
      "note changed-default: ResourceQuota shop/web: Kubernetes 1.34 counts other PersistentVolumeClaims for the quota | since Kubernetes 1.34 | Compare the limits of the quota with the claims of its namespace",
    ],
  ],
] as const)("reports %s", (_, versions, manifest, lines) => {
  expect(linesOf(versions, manifest)).toEqual(lines);
});

const rollout = (more: string) =>
  pod(more).replace("apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout");

test.each([
  [
    "a field that Pods don't have yet",
    ["1.36", "1.33"],
    rollout("hostnameOverride: a"),
    "Kubernetes 1.33 has no field spec.template.spec.hostnameOverride of its Pods",
  ],
  [
    "a field that Pods lose",
    ["1.36", "1.34"],
    rollout("hostnameOverride: a"),
    "Kubernetes 1.34 doesn't store spec.template.spec.hostnameOverride of its Pods by default",
  ],
  [
    "a field that Pods get",
    ["1.34", "1.36"],
    rollout("hostnameOverride: a"),
    "Kubernetes 1.36 starts to store spec.template.spec.hostnameOverride of its Pods",
  ],
  [
    "a value that Pods can't have",
    ["1.35", "1.36"],
    rollout("hostAliases: [{ip: 010.0.0.1}]"),
    "Kubernetes 1.36 rejects the value of spec.template.spec.hostAliases[0].ip of its Pods",
  ],
] as const)("reports %s for a custom resource", (_, versions, manifest, what) => {
  expect(findingsOf(versions, { declared: [manifest] }).map((each) => each.what)).toEqual([
    `Rollout shop/web: ${what}`,
  ]);
});

const service = (more: string) => `{apiVersion: v1, kind: Service, ${more}}`;
const policy = (cidr: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: ${cidr}}}]}]}}`;

test.each([
  [
    "a strict address",
    "1.35",
    "1.36",
    policy("10.0.0.1/8"),
    "spec.ingress[0].from[0].ipBlock.cidr",
  ],
  ["a usual address", "1.35", "1.36", policy("10.0.0.0/8"), undefined],
  ["an address that is rejected already", "1.36", "1.37", policy("10.0.0.1/8"), undefined],
  [
    "an address of a host",
    "1.35",
    "1.36",
    pod("hostAliases: [{ip: 010.0.0.1}]"),
    "spec.template.spec.hostAliases[0].ip",
  ],
  [
    "a mapped address",
    "1.35",
    "1.37",
    service("spec: {externalIPs: ['::ffff:1.2.3.4']}"),
    "spec.externalIPs[0]",
  ],
  [
    "a range in an annotation",
    "1.35",
    "1.36",
    service(
      "metadata: {annotations: {service.beta.kubernetes.io/load-balancer-source-ranges: '10.0.0.0/8, 10.0.0.1/8'}}",
    ),
    'metadata.annotations["service.beta.kubernetes.io/load-balancer-source-ranges"]',
  ],
  [
    "a range with spaces",
    "1.35",
    "1.36",
    service("spec: {loadBalancerSourceRanges: [' 10.0.0.1/8 ']}"),
    "spec.loadBalancerSourceRanges[0]",
  ],
  [
    "an address that isn't ready",
    "1.35",
    "1.36",
    "{apiVersion: v1, kind: Endpoints, subsets: [{notReadyAddresses: [{ip: 010.0.0.1}]}]}",
    "subsets[0].notReadyAddresses[0].ip",
  ],
  [
    "an address of a slice",
    "1.35",
    "1.36",
    "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [{addresses: [010.0.0.1]}]}",
    "endpoints[0].addresses[0]",
  ],
  [
    "a domain of a slice",
    "1.35",
    "1.36",
    "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: FQDN, endpoints: [{addresses: [010.0.0.1]}]}",
    undefined,
  ],
  [
    "a new scope of a quota",
    "1.33",
    "1.32",
    "{apiVersion: v1, kind: ResourceQuota, spec: {scopes: [VolumeAttributesClass]}}",
    "spec.scopes[0]",
  ],
  [
    "a new scope in a selector",
    "1.33",
    "1.32",
    "{apiVersion: v1, kind: ResourceQuota, spec: {scopeSelector: {matchExpressions: [{scopeName: VolumeAttributesClass, operator: Exists}]}}}",
    "spec.scopeSelector.matchExpressions[0].scopeName",
  ],
  ["a Service with a digit", "1.36", "1.35", service("metadata: {name: 1web}"), "metadata.name"],
  ["a Service with a letter", "1.36", "1.35", service("metadata: {name: web1}"), undefined],
  [
    "a Service with a digit that stays allowed",
    "1.36",
    "1.37",
    service("metadata: {name: 1web}"),
    undefined,
  ],
  [
    "a backend with a digit",
    "1.36",
    "1.35",
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {rules: [{http: {paths: [{backend: {service: {name: 1web}}}]}}]}}",
    "spec.rules[0].http.paths[0].backend.service.name",
  ],
  [
    "a backend with a letter",
    "1.36",
    "1.35",
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {defaultBackend: {service: {name: web1}}}}",
    undefined,
  ],
  [
    "an autoscaler of a target without a group",
    "1.33",
    "1.34",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {apiVersion: v1, kind: Deployment, name: a}}}",
    "spec.scaleTargetRef",
  ],
  [
    "an autoscaler of a target with a group",
    "1.33",
    "1.34",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}",
    undefined,
  ],
  [
    "an autoscaler of a ReplicationController",
    "1.33",
    "1.34",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {apiVersion: v1, kind: ReplicationController, name: a}}}",
    undefined,
  ],
  [
    "a hook without a pause",
    "1.33",
    "1.32",
    template("{containers: [{name: web, lifecycle: {preStop: {sleep: {seconds: 0}}}}]}"),
    "spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds",
  ],
  [
    "a hook with a pause",
    "1.33",
    "1.32",
    template("{containers: [{name: web, lifecycle: {preStop: {sleep: {seconds: 5}}}}]}"),
    undefined,
  ],
  [
    "traffic of the same zone",
    "1.34",
    "1.33",
    service("spec: {trafficDistribution: PreferSameZone}"),
    "spec.trafficDistribution",
  ],
  [
    "traffic close by",
    "1.34",
    "1.33",
    service("spec: {trafficDistribution: PreferClose}"),
    undefined,
  ],
  [
    "an autoscaler to zero",
    "1.37",
    "1.36",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {minReplicas: 0}}",
    "spec.minReplicas",
  ],
  [
    "an autoscaler to one",
    "1.37",
    "1.36",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {minReplicas: 1}}",
    undefined,
  ],
  [
    "a search domain with an underscore",
    "1.33",
    "1.32",
    pod("dnsConfig: {searches: [_a.example.com]}"),
    "spec.template.spec.dnsConfig.searches[0]",
  ],
  [
    "a usual search domain",
    "1.33",
    "1.32",
    pod("dnsConfig: {searches: [example.com.]}"),
    undefined,
  ],
] as const)("reports the value of %s", (_, server, version, manifest, field) => {
  const found = findingsOf([server, version], { declared: [manifest] });
  const rejected = found.filter(({ code }) => code === "changed-validation");
  expect(rejected.map(({ what }) => what)).toEqual(
    field === undefined
      ? []
      : [expect.stringContaining(`: Kubernetes ${version} rejects the value of ${field}`)],
  );
});

test("reports a restart action that older servers don't know", () => {
  const rules =
    "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}]";
  const manifest = template(
    `{containers: [{name: web, image: "web:1", restartPolicy: Never, ${rules}}]}`,
  );
  expect(linesOf(["1.36", "1.35"], manifest)).toEqual([
    expect.stringContaining(
      "rejects the value of spec.template.spec.containers[0].restartPolicyRules[0].action",
    ),
  ]);
});

test.each([
  ["latest", "1.33", "1.34", 1],
  ["latest", "1.34", "1.37", 0],
  ["v1.33", "1.33", "1.34", 0],
])("checks Pods against the standard %s of %s and %s", (enforced, server, version, count) => {
  const labels = {
    "pod-security.kubernetes.io/enforce": "baseline",
    "pod-security.kubernetes.io/enforce-version": enforced,
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
  const probe = "livenessProbe: {httpGet: {host: example.com, port: 80}}";
  const manifest = template(`{containers: [{name: web, image: "web:1", ${probe}}]}`);
  const found = linesOf([server, version], manifest, {
    namespaces: new Map([["shop", namespace]]),
  });
  expect(found).toHaveLength(count);
  for (const line of found)
    expect(line).toContain("label pod-security.kubernetes.io/enforce-version: v1.33");
});

const definition =
  "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.example.com}, spec: {group: example.com, names: {kind: A, plural: as}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, format: int32}}}}}}}]}}";

test.each([
  ["1.35", "1.36", 3_000_000_000, ["spec.size"]],
  ["1.35", "1.36", 3, []],
  ["1.36", "1.37", 3_000_000_000, []],
  ["1.37", "1.35", 3_000_000_000, []],
])("checks the integer formats of %s and %s for %d", (server, version, size, paths) => {
  const resource = `{apiVersion: example.com/v1, kind: A, spec: {size: ${size}}}`;
  const found = findingsOf([server, version], { declared: [definition, resource] });
  expect(found.map(({ path = [] }) => path.join("."))).toEqual(paths);
});

test("a kind that the deployment defines isn't a former one", () => {
  const own = definition.replaceAll("example.com", "networking.k8s.io");
  const resource = "{apiVersion: networking.k8s.io/v1, kind: A, spec: {size: 1}}";
  expect(findingsOf(["1.32", "1.37"], { declared: [own, resource] })).toEqual([]);
});

test.each([
  [
    "a parallel StatefulSet",
    ["1.36", "1.37"],
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {podManagementPolicy: Parallel}}",
    [
      "note changed-default: StatefulSet shop/web: Kubernetes 1.37 replaces unavailable Pods of the StatefulSet at once",
    ],
  ],
  [
    "a StatefulSet that a user updates",
    ["1.36", "1.37"],
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {podManagementPolicy: Parallel, updateStrategy: {type: OnDelete}}}",
    [],
  ],
  [
    "incomplete resources of Pods",
    ["1.37", "1.36"],
    pod("resources: {limits: {cpu: 1}}"),
    [
      "note changed-default: Deployment shop/web: Kubernetes 1.36 fills in the resources of the Pods at another time",
    ],
  ],
  [
    "complete resources of Pods",
    ["1.37", "1.36"],
    pod("resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}"),
    [],
  ],
  [
    "a Role that only reads streams",
    ["1.34", "1.35"],
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: [{apiGroups: [''], resources: [pods, pods/exec], verbs: [get]}]}",
    [
      "warning changed-default: Role shop/web: Kubernetes 1.35 no longer lets its subjects open streams to Pods",
    ],
  ],
  [
    "a Role that creates streams",
    ["1.34", "1.35"],
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: [{apiGroups: [''], resources: [pods/exec], verbs: [get, create]}]}",
    [],
  ],
  [
    "a volume with a Git repository",
    ["1.32", "1.36"],
    pod("volumes: [{name: v, gitRepo: {repository: 'https://git.example/a'}}]"),
    [
      "warning changed-default: Deployment shop/web: its Pods don't start on nodes with Kubernetes 1.36",
    ],
  ],
  [
    "a volume with a Git repository that this version doesn't mount either",
    ["1.33", "1.37"],
    pod("volumes: [{name: v, gitRepo: {repository: 'https://git.example/a'}}]"),
    [],
  ],
  [
    "volumes of Pods with a label",
    ["1.36", "1.37"],
    pod(
      "securityContext: {seLinuxOptions: {level: s0}}, volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]",
    ),
    [
      "note changed-default: Deployment shop/web: Kubernetes 1.37 mounts volumes with the SELinux label of the Pods",
    ],
  ],
  [
    "ephemeral volumes of Pods with a label",
    ["1.36", "1.37"],
    pod(
      "securityContext: {seLinuxOptions: {level: s0}}, volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]",
    ),
    [
      "note changed-default: Deployment shop/web: Kubernetes 1.37 mounts volumes with the SELinux label of the Pods",
    ],
  ],
  [
    "volumes of containers with a label",
    ["1.36", "1.37"],
    template(
      "{containers: [{name: web, securityContext: {seLinuxOptions: {level: s0}}}], volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]}",
    ),
    [
      "note changed-default: Deployment shop/web: Kubernetes 1.37 mounts volumes with the SELinux label of the Pods",
    ],
  ],
  [
    "claim templates of Pods with a label",
    ["1.36", "1.37"],
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {volumeClaimTemplates: [{metadata: {name: v}}], template: {spec: {securityContext: {seLinuxOptions: {level: s0}}}}}}",
    [
      "note changed-default: StatefulSet shop/web: Kubernetes 1.37 mounts volumes with the SELinux label of the Pods",
    ],
  ],
  [
    "volumes of Pods with a chosen policy",
    ["1.36", "1.37"],
    pod(
      "securityContext: {seLinuxOptions: {level: s0}, seLinuxChangePolicy: Recursive}, volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]",
    ),
    [],
  ],
] as const)("reports the behavior of %s", (_, versions, manifest, lines) => {
  expect(linesOf(versions, manifest).map((each) => each.split(" | ")[0])).toEqual(lines);
});

test.each([
  [243, "1.34", "1.33", 1],
  [242, "1.34", "1.33", 0],
  [243, "1.33", "1.34", 0],
])("checks a Deployment with %d characters on %s and %s", (length, server, version, count) => {
  const manifest = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${"a".repeat(length)}}}`;
  expect(linesOf([server, version], manifest)).toHaveLength(count);
});

test("reports a change that only the older version rejects", () => {
  const set = (limit: number) =>
    `{apiVersion: apps/v1, kind: StatefulSet, spec: {revisionHistoryLimit: ${limit}}}`;
  const objects = { deployed: [set(1)], declared: [set(2)] };
  expect(findingsOf(["1.33", "1.32"], objects)).toMatchObject([
    {
      code: "changed-validation",
      what: "StatefulSet shop/web: Kubernetes 1.32 rejects the change of spec.revisionHistoryLimit",
    },
  ]);
  expect(findingsOf(["1.33", "1.34"], objects)).toEqual([]);
});

const fixed = attributes.replace("v1beta1", "v1");

test.each([
  [
    { deployed: [attributes], declared: [attributes] },
    "release 7 (deployed) and this change",
    ["deployed", "change"],
  ],
  [
    { deployed: [attributes], declared: [fixed] },
    "release 7 (deployed), fixed by this change",
    ["deployed"],
  ],
  [
    { deployed: [fixed], declared: [attributes] },
    "this change, not release 7 (deployed)",
    ["change"],
  ],
  [{ declared: [attributes] }, "this change", ["change"]],
])("names the affected states of %j", (objects, text, affects) => {
  const [finding, ...others] = findingsOf(["1.36", "1.37"], objects);
  expect(others).toEqual([]);
  expect(finding?.facts).toContainEqual({ label: "affects", value: text });
  expect(finding?.upgrade).toMatchObject({ version: "1.37", affects });
});

test("advises to deploy the change that fixes the deployed release", () => {
  const objects = { deployed: [attributes], declared: [fixed] };
  expect(findingsOf(["1.36", "1.37"], objects).map(({ fix }) => fix)).toEqual([
    "Deploy this change before the cluster has Kubernetes 1.37",
  ]);
});

test("reports nothing for the version of the server", () => {
  const all = [pod("hostnameOverride: a"), policy("10.0.0.1/8"), service("metadata: {name: 1web}")];
  expect(findingsOf(["1.36", "1.36"], { deployed: all, declared: all })).toEqual([]);
});

test.each([
  ["a rejected value", "1.37", policy("10.0.0.1/8"), ["changed-validation"]],
  [
    "a value that only older servers reject",
    "1.35",
    service("metadata: {name: 1web}"),
    ["changed-validation"],
  ],
  ["an accepted value", "1.37", service("metadata: {name: 1web}"), []],
  ["a field of a closed gate", "1.36", pod("evictionResponders: []"), ["not-in-version"]],
  ["a field that begins later", "1.34", pod("hostnameOverride: a"), ["not-in-version"]],
  ["a stored field", "1.37", pod("hostnameOverride: a"), []],
  ["a removed kind", "1.37", attributes, ["removed-api"]],
  ["a deprecated kind", "1.36", attributes, ["api-deprecated"]],
  [
    "another behavior",
    "1.37",
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {podManagementPolicy: Parallel}}",
    [],
  ],
] as const)("reports %s also if this server is unknown", (_, version, manifest, codes) => {
  const found = findingsOf([undefined, version], { declared: [manifest] });
  expect(found.map(({ code }) => code)).toEqual(codes);
});

test("checks Pods and integer formats also if this server is unknown", () => {
  const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
  const probe = "livenessProbe: {httpGet: {host: example.com, port: 80}}";
  const manifest = template(`{containers: [{name: web, image: "web:1", ${probe}}]}`);
  const namespaces = new Map([["shop", namespace]]);
  expect(findingsOf([undefined, "1.34"], { declared: [manifest] }, { namespaces })).toMatchObject([
    { code: "changed-validation", fix: "Change the Pods" },
  ]);
  const resource = "{apiVersion: example.com/v1, kind: A, spec: {size: 3000000000}}";
  expect(findingsOf([undefined, "1.36"], { declared: [definition, resource] })).toHaveLength(1);
});

const claim = (version: string) =>
  `{apiVersion: resource.k8s.io/${version}, kind: ResourceClaim, spec: {devices: {requests: [{name: gpu}]}}}`;

test("advises to wait for the upgrade if this server doesn't serve the declared version", () => {
  const objects = { deployed: [claim("v1alpha3")], declared: [claim("v1")] };
  expect(findingsOf(["1.33", "1.34"], objects).map(({ fix }) => fix)).toEqual([
    "Deploy this change right after the upgrade, because this server doesn't have resource.k8s.io/v1",
  ]);
});

const scaled = (replicas: number) =>
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {minReplicas: ${replicas}}}`;
const kept = "note: ADDRESS rejects new objects with the value of";
const rejected = "warning: ADDRESS rejects the value of";

test.each([
  [
    "a range that the release has",
    ["1.35", "1.36"],
    policy("10.0.0.1/8"),
    policy("10.0.0.1/8"),
    [kept],
  ],
  ["a fixed range", ["1.35", "1.36"], policy("10.0.0.1/8"), policy("10.0.0.0/8"), [kept]],
  ["another range", ["1.35", "1.36"], policy("10.0.0.1/8"), policy("10.0.0.2/8"), [rejected, kept]],
  ["an autoscaler to zero", ["1.37", "1.36"], scaled(0), scaled(0), [kept]],
  ["a new autoscaler to zero", ["1.37", "1.36"], scaled(1), scaled(0), [rejected]],
  [
    "an address in a Pod template",
    ["1.35", "1.36"],
    pod("hostAliases: [{ip: 010.0.0.1}]"),
    pod("hostAliases: [{ip: 010.0.0.1}]"),
    [rejected],
  ],
] as const)("%s is judged by the deployed value", (_, versions, before, after, lines) => {
  const found = findingsOf(versions, { deployed: [before], declared: [after] });
  expect(found.map(({ severity, what }) => `${severity}: ${what}`)).toEqual(
    lines.map((line) => {
      const [start = "", end = ""] = line.split("ADDRESS");
      return expect.stringMatching(new RegExp(`^${start}.*${end}`));
    }),
  );
});
