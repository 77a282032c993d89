import { expect, test } from "vitest";
import { stringify } from "yaml";
import { declareObjects, kindsToDiscover } from "../../../../src/plan/declared/declare-objects.ts";
import { manifestsFrom, placement, shown, text } from "../../../support/plan/declare.ts";

/** Compares the objects as qvs would send them, without the labels that every object gets. */
function check(yaml: string, expected: string): void {
  const declared = declareObjects(manifestsFrom(yaml), placement);
  const result = shown(declared, (objects) =>
    objects.map(({ object }) => stringify(withoutOwnLabels(object)).trimEnd()).join("\n---\n"),
  );
  expect(result).toBe(text(expected));
}

function withoutOwnLabels(object: object): object {
  const own =
    /^(app\.kubernetes\.io\/managed-by|vs\.axis-dev\.io\/(deployment|release-namespace|stage))$/;
  return JSON.parse(
    JSON.stringify(object, (name, value) => (own.test(name) ? undefined : value)),
    (name, value) => (name === "labels" && Object.keys(value).length === 0 ? undefined : value),
  );
}

test("qvs adds its labels to the object itself, not to its templates", () => {
  const declared = declareObjects(
    manifestsFrom(`
      app/web:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, labels: {app: web, app.kubernetes.io/managed-by: Helm}}
        spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}
    `),
    placement,
  );
  expect(shown(declared, ([web]) => stringify(web?.object).trimEnd())).toBe(
    text(`
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      labels:
        app: web
        app.kubernetes.io/managed-by: qvs
        vs.axis-dev.io/deployment: shop-test
        vs.axis-dev.io/release-namespace: shop
        vs.axis-dev.io/stage: app
      namespace: shop
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
    `),
  );
});

test("fields that only the server writes are removed, and nulls in objects at any depth", () => {
  check(
    `
    app/a:
      apiVersion: v1
      kind: ConfigMap
      provider: kubernetes
      output: [x]
      status: {phase: Active}
      metadata: {name: a, creationTimestamp: null, managedFields: [{manager: x}], annotations: null}
      data: {a: null, b: "1"}
      list: [{a: null, b: 1}, null]
    `,
    `
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: a
      namespace: shop
    data:
      b: "1"
    list:
      - b: 1
      - null
    `,
  );
});

test("qvs adds a missing namespace, keeps an existing one, and removes it from cluster-scoped objects", () => {
  check(
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: other}}
    app/c: {apiVersion: v1, kind: Namespace, metadata: {name: c, namespace: other}}
    `,
    `
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: b
      namespace: other
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: a
      namespace: shop
    ---
    apiVersion: v1
    kind: Namespace
    metadata:
      name: c
    `,
  );
});

test("stringData is merged into data, encoded as UTF-8, and wins", () => {
  check(
    `
    app/s:
      apiVersion: v1
      kind: Secret
      metadata: {name: s}
      data: {a: b2xk, b: a2VwdA==}
      stringData: {a: new, c: grün}
    `,
    `
    apiVersion: v1
    kind: Secret
    metadata:
      name: s
      namespace: shop
    data:
      a: bmV3
      b: a2VwdA==
      c: Z3LDvG4=
    `,
  );
});

test("ports of Services and containers get the protocol that is part of their key", () => {
  check(
    `
    app/s: {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: [{port: 80}, {port: 53, protocol: UDP}]}}
    app/j:
      apiVersion: batch/v1
      kind: CronJob
      metadata: {name: j}
      spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, ports: [{containerPort: 1}]}]}}}}}
    `,
    `
    apiVersion: batch/v1
    kind: CronJob
    metadata:
      name: j
      namespace: shop
    spec:
      jobTemplate:
        spec:
          template:
            spec:
              containers:
                - name: a
                  ports:
                    - containerPort: 1
                      protocol: TCP
    ---
    apiVersion: v1
    kind: Service
    metadata:
      name: s
      namespace: shop
    spec:
      ports:
        - port: 80
          protocol: TCP
        - port: 53
          protocol: UDP
    `,
  );
});

test("list items with the same key are all rejected together, by name", () => {
  check(
    `
    app/web:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web}
      spec:
        template:
          spec:
            initContainers: [{name: init}, {name: init}]
            containers:
              - name: web
                env: [{name: A}, {name: B}, {name: A}]
                ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP}]
            volumes: [{name: v}, {name: v}]
    app/svc: {apiVersion: v1, kind: Service, metadata: {name: svc}, spec: {ports: [{port: 1, name: a}, {port: 1, name: b}]}}
    `,
    `
    Deployment shop/web: spec.template.spec.initContainers has "init" more than once
      resource: app/web
      why: The API server distinguishes the items of this list by that key
      → Keep only one of the items
    Deployment shop/web: spec.template.spec.volumes has "v" more than once
      resource: app/web
      why: The API server distinguishes the items of this list by that key
      → Keep only one of the items
    Deployment shop/web: spec.template.spec.containers[0].env has "A" more than once
      resource: app/web
      why: The API server distinguishes the items of this list by that key
      → Keep only one of the items
    Deployment shop/web: spec.template.spec.containers[0].ports has 80/"TCP" more than once
      resource: app/web
      why: The API server distinguishes the items of this list by that key
      → Keep only one of the items
    Service shop/svc: spec.ports has 1/"TCP" more than once
      resource: app/svc
      why: The API server distinguishes the items of this list by that key
      → Keep only one of the items
    `,
  );
});

test.each([
  ["metadata: {}", "has no metadata.name"],
  ["metadata: {name: A_b}", 'has the name "A_b", but Kubernetes allows only lowercase letters'],
  ["metadata: {name: a, generateName: a-}", "has metadata.generateName"],
  ["metadata: {name: a, namespace: a.b}", 'has the namespace "a.b", which isn\'t a DNS label'],
  ["metadata: {name: a, labels: {a: 1}}", "metadata.labels.a isn't a string"],
  ["metadata: {name: a, annotations: [1]}", "metadata.annotations isn't an object"],
  [
    'metadata: {name: a, annotations: {vs.axis-dev.io/revision: "3"}}',
    "has the annotation vs.axis-dev.io/revision",
  ],
  [
    'metadata: {name: a, annotations: {vs.axis-dev.io/keepOnDelete: ""}}',
    "the annotation vs.axis-dev.io/keepOnDelete has no key",
  ],
])("a manifest with %s is invalid", (metadata, fault) => {
  const manifests = manifestsFrom(`app/a: {apiVersion: v1, kind: ConfigMap, ${metadata}}`);
  const declared = declareObjects(manifests, placement);
  expect(declared.ok ? [] : declared.problems.map(({ what }) => what)).toEqual([
    expect.stringContaining(fault),
  ]);
});

test("names of roles can contain colons", () => {
  check(
    `app/r: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "acme:reader"}}`,
    `
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata:
      name: acme:reader
    `,
  );
});

test("a duplicate object, an unserved kind and an invalid object are errors", () => {
  check(
    `
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    appSetup/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}
    app/c: {apiVersion: acme.example/v1, kind: Unknown, metadata: {name: c}}
    app/d: {apiVersion: v1}
    `,
    `
    Unknown c: the cluster doesn't serve Unknown of acme.example/v1
      resource: app/c
      → Correct apiVersion and kind
        or install the CustomResourceDefinition first
        or declare the CustomResourceDefinition in appSetup
    Resource app/d isn't a Kubernetes object
      why: A Kubernetes object needs apiVersion, kind and metadata
      → Add the missing fields in the adapter that declares it
    ConfigMap shop/a is declared by 2 resources
      resources: app/a, appSetup/b
      → Give the resources the same id, so that they are unified
        or give the objects different names
    `,
  );
});

test("manifests can't declare the deployment lock or releases", () => {
  check(
    `
    app/a: {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: qvs-shop-test}}
    app/b: {apiVersion: v1, kind: Secret, metadata: {name: qvs.shop-test.v12}}
    app/c: {apiVersion: v1, kind: Secret, metadata: {name: qvs.other.v1.part2}}
    `,
    `
    Lease shop/qvs-shop-test has the name of the deployment lock
      resource: app/a
      why: Only qvs writes an object with this name
      → Give the object another name
    Secret shop/qvs.shop-test.v12 has the name of a release
      resource: app/b
      why: Only qvs writes an object with this name
      → Give the object another name
    Secret shop/qvs.other.v1.part2 has the name of a release
      resource: app/c
      why: Only qvs writes an object with this name
      → Give the object another name
    `,
  );
  check(
    `
    app/a: {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: qvs-shop-test, namespace: elsewhere}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: qvs.shop-test.v12}}
    `,
    `
    apiVersion: coordination.k8s.io/v1
    kind: Lease
    metadata:
      name: qvs-shop-test
      namespace: elsewhere
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: qvs.shop-test.v12
      namespace: shop
    `,
  );
});

test("the scope of a kind that this deployment defines is read from its CRD", () => {
  check(
    `
    appSetup/crd:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: unknowns.acme.example}
      spec: {group: acme.example, scope: Cluster, names: {kind: Unknown}, versions: [{name: v1}]}
    app/one: {apiVersion: acme.example/v1, kind: Unknown, metadata: {name: one, namespace: shop}}
    `,
    `
    apiVersion: acme.example/v1
    kind: Unknown
    metadata:
      name: one
    ---
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: unknowns.acme.example
    spec:
      group: acme.example
      scope: Cluster
      names:
        kind: Unknown
      versions:
        - name: v1
    `,
  );
});

test("normalizing twice changes nothing, so that a recorded release can be planned like a new one", () => {
  const once = declareObjects(
    manifestsFrom(`
      app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: b}}
      app/v: {apiVersion: v1, kind: Service, metadata: {name: v}, spec: {ports: [{port: 80}]}}
    `),
    placement,
  );
  if (!once.ok) throw new Error("the example is wrong");
  const recorded = once.value.map(({ stage, resource, object, dependsOn }) => ({
    type: "manifest" as const,
    stage,
    id: resource,
    object,
    dependsOn,
  }));
  expect(declareObjects(recorded, placement)).toEqual(once);
});

test("qvs looks up each kind once", () => {
  const manifests = manifestsFrom(`
    app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    app/c: {apiVersion: apps/v1, kind: Deployment, metadata: {name: c}}
    app/d: {kind: Broken}
  `);
  expect(kindsToDiscover(manifests)).toEqual([
    { apiVersion: "v1", kind: "ConfigMap" },
    { apiVersion: "apps/v1", kind: "Deployment" },
  ]);
});
