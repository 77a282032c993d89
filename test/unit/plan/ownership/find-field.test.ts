import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import { conflictingField, findField } from "../../../../src/plan/ownership/find-field.ts";

const deployment = parse(`
metadata: {labels: {app.kubernetes.io/name: web, app: shop}, finalizers: [a, "b]"]}
spec:
  replicas: 3
  template: {spec: {initContainers: [{name: a, ports: [{containerPrt: 80}]}], containers: [{name: sidecar}, {name: web, image: "x:1", ports: [{containerPort: 80, protocol: TCP, name: http}]}]}}
`);

test.each([
  [".spec.replicas", "spec.replicas", 3],
  [".metadata.labels.app.kubernetes.io/name", 'metadata.labels["app.kubernetes.io/name"]', "web"],
  [".metadata.labels.app", "metadata.labels.app", "shop"],
  ['.metadata.finalizers[="b]"]', "metadata.finalizers[1]", "b]"],
  [
    '.spec.template.spec.containers[name="web"].image',
    "spec.template.spec.containers[1].image",
    "x:1",
  ],
  [
    '.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].name',
    "spec.template.spec.containers[1].ports[0].name",
    "http",
  ],
  [".spec.gone.deeper", "spec.gone.deeper", undefined],
  [
    '.spec.template.spec.containers[name="x"].image',
    'spec.template.spec.containers[name="x"].image',
    undefined,
  ],
  [
    '.spec.template.spec.initContainers[name="a"].ports[containerPort=0,protocol="TCP"].containerPrt',
    "spec.template.spec.initContainers[0].ports[0].containerPrt",
    80,
  ],
])("%s is %s", (serverPath, path, value) => {
  expect(findField(deployment, serverPath)).toEqual({ path, value });
});

/** A Deployment whose container has this value of the variable. */
function withVariable(name: string, value: string): KubeObject {
  const containers = [{ name: "web", env: [{ name, value }] }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { template: { spec: { containers } } },
  };
}

test.each([
  ["DB_PASSWORD", "hunter2-live", "(hidden)"],
  ["CONFIG", '{"password": "hunter2-live"}', "(hidden)"],
  ["DATABASE_URL", "postgres://shop:hunter2@db/shop", "(hidden)"],
  ["SIZE", "3", '"3"'],
  ["AUTH", "enabled", '"enabled"'],
])("a conflict about %s shows the live value %s as %s", (name, value, shown) => {
  const field = `.spec.template.spec.containers[name="web"].env[name="${name}"].value`;
  const { values } = conflictingField(withVariable(name, "set-later"), withVariable(name, value), {
    field,
  });
  expect(values.map((each) => each.value)).toEqual([shown, '"set-later"']);
});
