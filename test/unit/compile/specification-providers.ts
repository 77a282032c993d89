import type { Rule } from "./specification.ts";

/**
 * Returns an adapter with these `resources`, in CUE. `#K` is a Kubernetes type of Pulumi, `#P` any
 * type of Pulumi.
 */
function resources(app: string): Rule["adapters"] {
  return {
    it: `
#P: {provider: "pulumi-yaml", type: string, ...}
#K: #P & {kind: string, type: "kubernetes:core/v1:\\(kind)"}
DesignPattern: resources: ${app}`,
  };
}

const named = (type: string) =>
  resources(`app: it: #P & {type: "${type}", properties: metadata: name: "n"}`);

/** Types that are objects, with their apiVersion and kind. */
const objects: readonly (readonly [type: string, apiVersion: string, kind: string])[] = [
  ["kubernetes:core/v1:Service", "v1", "Service"],
  ["kubernetes:apps/v1:Deployment", "apps/v1", "Deployment"],
  [
    "kubernetes:autoscaling/v2:HorizontalPodAutoscaler",
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
  ],
  [
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
    "rbac.authorization.k8s.io/v1",
    "ClusterRole",
  ],
  [
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
  ],
  ["kubernetes:stable.example.com/v1beta1:AllowList", "stable.example.com/v1beta1", "AllowList"],
];

/** Types that only Pulumi can create, although they look like objects. */
const programs = [
  "kubernetes:helm.sh/v3:Release",
  "kubernetes:helm.sh/v4:Chart",
  "kubernetes:yaml:ConfigFile",
  "kubernetes:yaml/v2:ConfigGroup",
  "kubernetes:kustomize/v2:Directory",
  "kubernetes:core/v1:ServicePatch",
  "kubernetes:networking.k8s.io/v1:IngressList",
  "kubernetes:core:Service",
  "pulumi:providers:kubernetes",
  "gcp:compute:Address",
];

/** The rules of docs/reference/adapters.md#providers, and their consequences. */
export const providerRules: readonly Rule[] = [
  ...objects.map(
    ([type, apiVersion, kind]): Rule => ({
      name: `${type} is a manifest`,
      adapters: named(type),
      expected:
        `app/it = {"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"n"}}`.replace(
          '"apiVersion":"v1",',
          "",
        ),
    }),
  ),
  ...programs.map(
    (type): Rule => ({
      name: `${type} is written to Pulumi.yaml`,
      adapters: named(type),
      expected: `app/it (pulumi-yaml) = {"properties":{"metadata":{"name":"n"}},"provider":"pulumi-yaml","type":"${type}"}
Pulumi.yaml = {"name":"application","resources":{"it":{"properties":{"metadata":{"name":"n"}},"type":"${type}"}},"runtime":"yaml"}`,
    }),
  ),
  {
    name: "CustomResource takes apiVersion and kind from properties",
    adapters: resources(
      `app: it: #P & {type: "kubernetes:apiextensions.k8s.io:CustomResource", properties: {apiVersion: "a.b/v1", kind: "K", metadata: name: "n", spec: x: 1}}`,
    ),
    expected: 'app/it = {"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"n"},"spec":{"x":1}}',
  },
  {
    name: "a CustomResource without them reports the missing ones",
    adapters: resources(
      `app: it: #P & {type: "kubernetes:apiextensions.k8s.io:CustomResource", properties: metadata: name: "n"}`,
    ),
    expected: `it/main.cue:5:32: Resource app/it has no apiVersion and kind
  → Set apiVersion and kind in the adapter`,
  },
  {
    name: `options.dependsOn, \${id} and \${id.path} are dependencies on resource ids`,
    adapters: resources(`app: {
	ns: #K & {kind: "Namespace", properties: metadata: name: "n"}
	a: #K & {kind: "ConfigMap", properties: metadata: name: "a"}
	b: #K & {kind: "ConfigMap", properties: metadata: name: "b"}
	it: #K & {kind: "ConfigMap", options: {dependsOn: ["\${a}"], provider: "\${k8s}"}, properties: {metadata: {name: "it", namespace: "\${ns.metadata.name}"}, data: x: "of \${b[\\"metadata\\"].name} and $\${c}"}}
	one: #K & {kind: "ConfigMap", options: dependsOn: "\${a}", properties: metadata: name: "one"}
}`),
    expected: `app/a = {"metadata":{"name":"a"}}
app/b = {"metadata":{"name":"b"}}
app/it = {"data":{"x":"of \${b[\\"metadata\\"].name} and $\${c}"},"metadata":{"name":"it","namespace":"\${ns.metadata.name}"}} after a, b, ns
app/ns = {"kind":"Namespace","metadata":{"name":"n"}}
app/one = {"metadata":{"name":"one"}} after a`,
  },
  {
    name: `$(ref.ID.PATH) inside any string of a Kubernetes resource is a dependency too, \${id.path} isn't`,
    adapters: {
      it: `DesignPattern: resources: app: {
	web: #ConfigMap & {metadata: name: "web"}
	it: #ConfigMap & {metadata: name: "it", data: {a: "x $(ref.web.metadata.name)", b: "\${web.metadata.name} \${HOME}"}}
	sh: #ConfigMap & {metadata: name: "sh", data: a: "\${web.metadata.name}"}
}`,
    },
    expected: `app/it = {"data":{"a":"x $(ref.web.metadata.name)","b":"\${web.metadata.name} \${HOME}"},"metadata":{"name":"it"}} after web
app/sh = {"data":{"a":"\${web.metadata.name}"},"metadata":{"name":"sh"}}
app/web = {"metadata":{"name":"web"}}`,
  },
  {
    name: "within a group a reference means the resource of that group",
    adapters: {
      a: `DesignPattern: {
	parameters: n: string
	resources: app: {
		ip: {provider: "pulumi-yaml", type: "gcp:compute:Address", properties: {name: parameters.n, cost: "$$5"}}
		dns: {provider: "pulumi-yaml", type: "gcp:dns:RecordSet", options: dependsOn: ["\${zone}"], properties: to: "\${ip.address}:\${shared.id}"}
		web: #ConfigMap & {metadata: name: "web-\\(parameters.n)"}
		it: #ConfigMap & {metadata: name: parameters.n, data: a: "$(ref.web.metadata.name) $(ref.common.metadata.name)"}
		zone: {provider: "pulumi-yaml", type: "gcp:dns:ManagedZone"}
	}
}`,
      it: `import "spec.example/a"
DesignPattern: {
	composites: [
		{pattern: a.DesignPattern, params: n: "x", group: "g.x"},
	]
	resources: app: {
		common: #ConfigMap & {metadata: name: "common"}
		shared: {provider: "pulumi-yaml", type: "gcp:compute:Network"}
	}
}`,
    },
    expected: `app/common = {"metadata":{"name":"common"}}
app/g.x/dns (pulumi-yaml) = {"options":{"dependsOn":["\${zone}"]},"properties":{"to":"\${ip.address}:\${shared.id}"},"provider":"pulumi-yaml","type":"gcp:dns:RecordSet"}
app/g.x/ip (pulumi-yaml) = {"properties":{"cost":"$$5","name":"x"},"provider":"pulumi-yaml","type":"gcp:compute:Address"}
app/g.x/it = {"data":{"a":"$(ref.web.metadata.name) $(ref.common.metadata.name)"},"metadata":{"name":"x"}} after common, g.x/web
app/g.x/web = {"metadata":{"name":"web-x"}}
app/g.x/zone (pulumi-yaml) = {"provider":"pulumi-yaml","type":"gcp:dns:ManagedZone"}
app/shared (pulumi-yaml) = {"provider":"pulumi-yaml","type":"gcp:compute:Network"}
Pulumi.yaml = {"name":"application","resources":{"g.x/dns":{"options":{"dependsOn":["\${[\\"g.x/zone\\"]}"]},"properties":{"to":"\${[\\"g.x/ip\\"].address}:\${shared.id}"},"type":"gcp:dns:RecordSet"},"g.x/ip":{"properties":{"cost":"$$5","name":"x"},"type":"gcp:compute:Address"},"g.x/zone":{"type":"gcp:dns:ManagedZone"},"shared":{"type":"gcp:compute:Network"}},"runtime":"yaml"}`,
  },
  {
    name: "one id in both stages can't be one program of Pulumi",
    adapters: resources(`{
	appSetup: ip: #P & {type: "gcp:compute:Address"}
	app: ip: #P & {type: "gcp:compute:Network"}
}`),
    expected: `it/main.cue:6:12: Pulumi.yaml can contain only one resource "ip"
  and it/main.cue:7:7
  found: appSetup/ip and app/ip
  → Give the resources different ids`,
  },
  {
    name: "a resource of Pulumi has a type",
    adapters: {
      it: `DesignPattern: resources: app: it: {provider: "pulumi-yaml", properties: a: 1}`,
    },
    expected: `it/main.cue:2:32: Resource app/it has no type
  → Set type in the adapter, for example \`type: "kubernetes:core/v1:Service"\``,
  },
  {
    name: "invalid references in Pulumi's resources are reported",
    adapters: resources(`app: {
	a: #P & {type: "gcp:compute:Address", properties: {network: "\${gone.id}", stack: "\${pulumi.stack}"}}
	b: #P & {type: "gcp:compute:Address", properties: {network: "\${gone.id}", map: "\${m.metadata.name}"}}
	m: #K & {kind: "ConfigMap", options: dependsOn: ["\${missing}"], properties: metadata: name: "m"}
}`),
    expected: `app/a (pulumi-yaml) = {"properties":{"network":"\${gone.id}","stack":"\${pulumi.stack}"},"provider":"pulumi-yaml","type":"gcp:compute:Address"}
app/b (pulumi-yaml) = {"properties":{"map":"\${m.metadata.name}","network":"\${gone.id}"},"provider":"pulumi-yaml","type":"gcp:compute:Address"}
app/m = {"metadata":{"name":"m"}} after missing
Pulumi.yaml = {"name":"application","resources":{"a":{"properties":{"network":"\${gone.id}","stack":"\${pulumi.stack}"},"type":"gcp:compute:Address"},"b":{"properties":{"map":"\${m.metadata.name}","network":"\${gone.id}"},"type":"gcp:compute:Address"}},"runtime":"yaml"}
! it/main.cue:6:2: Pulumi resources refer to names that no adapter declares
  names: "gone" (in app/a, app/b), "missing" (in app/m)
  → Use the adapters that declare them
    or write $\${…} for the literal string
! it/main.cue:7:2: Pulumi.yaml refers to Kubernetes objects that Pulumi doesn't manage
  objects: "m" (in app/b)
  why: qvs applies these objects without Pulumi
  → Write the values themselves
    or pass the values as parameters`,
  },
  {
    name: "options that only Pulumi knows are reported",
    adapters: resources(
      `app: it: #K & {kind: "ConfigMap", options: {protect: true, ignoreChanges: ["data"]}, properties: metadata: name: "n"}`,
    ),
    expected: `app/it = {"metadata":{"name":"n"}}
! it/main.cue:5:32: Resource app/it has options that have no effect
  options: ignoreChanges, protect
  why: qvs applies the resource without Pulumi
  → Use the annotations vs.axis-dev.io/keepOnDelete and vs.axis-dev.io/ignore-changes`,
  },
  {
    name: "kubernetes-helm and unknown providers are passed through unchanged",
    adapters: {
      it: `DesignPattern: resources: app: {
	a: {provider: "kubernetes-helm", chart: "redis", output: ["x"]}
	b: {provider: "terraform", any: thing: 1}
}`,
    },
    expected: `app/a (kubernetes-helm) = {"chart":"redis","output":["x"],"provider":"kubernetes-helm"}
app/b (terraform) = {"any":{"thing":1},"provider":"terraform"}`,
  },
  {
    name: "a secret parameter reaches Pulumi.yaml as a reference, never as a value",
    adapters: {
      it: `DesignPattern: {
	parameters: token: {key: string, version?: string}
	resources: app: it: {provider: "pulumi-yaml", type: "gcp:secretmanager:SecretIamMember", properties: secretId: parameters.token.key}
}`,
    },
    declare: { token: "secret" },
    files: ["token: {key: vault/token, version: 3}"],
    use: "designPatterns: [{pattern: spec.example/it, params: {token: $(params.token)}}]",
    expected: `app/it (pulumi-yaml) = {"properties":{"secretId":"vault/token"},"provider":"pulumi-yaml","type":"gcp:secretmanager:SecretIamMember"}
Pulumi.yaml = {"name":"application","resources":{"it":{"properties":{"secretId":"vault/token"},"type":"gcp:secretmanager:SecretIamMember"}},"runtime":"yaml"}`,
  },
];
