import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { parseIgnoredPaths } from "../../../../src/model/fields/field-path.ts";
import type { Json, JsonObject } from "../../../../src/model/json.ts";
import { keyOf } from "../../../../src/model/object.ts";
import type { NumberedObject } from "../../../../src/plan/declared/objects.ts";
import { ignoreChanges } from "../../../../src/plan/ownership/ignore-changes.ts";
import { placement, problemText, shown, text } from "../../../support/plan/declare.ts";

interface Case {
  readonly ignore: string;
  readonly desired: string;
  /** undefined: the object does not exist yet. */
  readonly live: string | undefined;
  /** The fieldsV1 of qvs's manager. */
  readonly ours?: string;
  /** The fieldsV1 of another manager. */
  readonly others?: string;
  /** The fieldsV1 of kubectl's client-side apply. */
  readonly client?: string;
}

/** Compares the sent spec, then the notices. */
function check({ ignore, desired, live, ...owners }: Case, expected: string): void {
  const id = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: { "vs.axis-dev.io/ignore-changes": ignore },
    },
    spec: parse(desired) as Json,
  };
  const declared: NumberedObject = {
    key: keyOf(id),
    id,
    stage: "app",
    resource: "web",
    object,
    dependsOn: [],
    references: [],
    revision: undefined,
  };
  const result = ignoreChanges(placement, [declared], liveWith(declared, live, owners));
  const sent = shown(result, ({ objects: [object], notices }) =>
    [
      flow(object?.object.spec),
      object?.ignoring?.resourceVersion === undefined
        ? ""
        : `only if still ${object.ignoring.resourceVersion}`,
      problemText(notices),
    ]
      .filter((line) => line !== "")
      .join("\n"),
  );
  expect(sent).toBe(text(expected));
}

function liveWith(
  declared: NumberedObject,
  spec: string | undefined,
  { ours, others, client }: Pick<Case, "ours" | "others" | "client">,
) {
  if (spec === undefined) return new Map();
  const entry = (manager: string, fields: string, operation = "Apply") => ({
    manager,
    operation,
    apiVersion: "apps/v1",
    fieldsV1: { "f:spec": parse(fields) as JsonObject },
  });
  const managedFields = [
    ...(ours === undefined ? [] : [entry("qvs-shop-test-app", ours)]),
    ...(others === undefined ? [] : [entry("somebody", others)]),
    ...(client === undefined ? [] : [entry("kubectl-client-side-apply", client, "Update")]),
  ];
  const metadata = { ...declared.object.metadata, resourceVersion: "7", managedFields };
  return new Map([[declared.key, { ...declared.object, metadata, spec: parse(spec) as Json }]]);
}

function flow(value: Json | undefined): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

test("an object that does not exist yet is sent in full", () => {
  check({ ignore: "spec.replicas", desired: "{replicas: 3}", live: undefined }, "{ replicas: 3 }");
});

test("the declared value is sent if there is no live value", () => {
  check(
    {
      ignore: "spec.replicas",
      desired: "{replicas: 3, paused: true}",
      live: "{paused: true}",
      ours: '{"f:paused": {}}',
    },
    "{ replicas: 3, paused: true }",
  );
});

test("an ignored field of another manager isn't sent", () => {
  check(
    {
      ignore: "spec.replicas",
      desired: "{replicas: 3, paused: true}",
      live: "{replicas: 9, paused: true}",
      ours: '{"f:paused": {}}',
      others: '{"f:replicas": {}}',
    },
    "{ paused: true }",
  );
});

test("an ignored field that only qvs owns keeps its live value, and qvs pins the resource version", () => {
  check(
    {
      ignore: "spec.replicas",
      desired: "{replicas: 3}",
      live: "{replicas: 9}",
      ours: '{"f:replicas": {}}',
    },
    `
    { replicas: 9 }
    only if still 7
    `,
  );
});

test("an ignored field below null keeps its live value, which null would remove", () => {
  check(
    {
      ignore: "spec.strategy.type",
      desired: "{strategy: null, selector: null}",
      live: "{strategy: {type: Recreate, other: x}, selector: null}",
      ours: '{"f:strategy": {"f:type": {}, "f:other": {}}, "f:selector": {}}',
    },
    `
    { strategy: { type: Recreate }, selector: null }
    only if still 7
    `,
  );
});

test("an ignored field with a second owner isn't sent", () => {
  check(
    {
      ignore: "spec.replicas",
      desired: "{replicas: 3, paused: true}",
      live: "{replicas: 9, paused: true}",
      ours: '{"f:replicas": {}, "f:paused": {}}',
      others: '{"f:replicas": {}}',
    },
    "{ paused: true }",
  );
});

test("an ignored field of a client-side tool is sent with its live value, because qvs would otherwise remove it", () => {
  check(
    {
      ignore: "spec.replicas, spec.paused",
      desired: "{replicas: 3, paused: true}",
      live: "{replicas: 9, paused: false}",
      client: '{"f:replicas": {}, "f:paused": {}}',
      others: '{"f:paused": {}}',
    },
    `
    { replicas: 9 }
    only if still 7
    `,
  );
});

test("a declared empty object is kept if the ignored path matches nothing in it", () => {
  check(
    {
      ignore: "spec.volumes[0].emptyDir.sizeLimit",
      desired: "{volumes: [{name: a, emptyDir: {}}]}",
      live: "{volumes: [{name: a, emptyDir: {}}]}",
      ours: '{"f:volumes": {"k:{\\"name\\":\\"a\\"}": {"f:emptyDir": {}, "f:name": {}}}}',
    },
    `
    { volumes: [ { name: a, emptyDir: {} } ] }
    Deployment shop/web: spec.volumes[0].emptyDir.sizeLimit in the annotation vs.axis-dev.io/ignore-changes matches nothing
      → Did you mean "spec.volumes[0].emptyDir"?
        or remove the path
    `,
  );
});

test("an owned ignored field that is no longer declared keeps its live value", () => {
  check(
    {
      ignore: "spec.replicas",
      desired: "{paused: true}",
      live: "{replicas: 9, paused: true}",
      ours: '{"f:replicas": {}, "f:paused": {}}',
    },
    `
    { paused: true, replicas: 9 }
    only if still 7
    `,
  );
});

const twoContainers =
  '{"f:containers": {"k:{\\"name\\":\\"a\\"}": {".": {}, "f:name": {}, "f:image": {}}, "k:{\\"name\\":\\"b\\"}": {".": {}, "f:name": {}, "f:image": {}}}}';

test("a list item is matched by its key, at any live index", () => {
  check(
    {
      ignore: "spec.containers[0].image",
      desired: "{containers: [{name: a, image: new}, {name: b, image: new}]}",
      live: "{containers: [{name: sidecar, image: x}, {name: b, image: old}, {name: a, image: old}]}",
      ours: twoContainers,
    },
    `
    { containers: [ { name: a, image: old }, { name: b, image: new } ] }
    only if still 7
    `,
  );
});

test("an item is matched even if the API server has completed its key", () => {
  const item = (protocol: string) =>
    `"k:{\\"port\\":80,\\"protocol\\":\\"${protocol}\\"}": {"f:port": {}, "f:weight": {}}`;
  check(
    {
      ignore: "spec.ports[0].weight",
      desired: "{ports: [{port: 80, weight: 1}, {port: 80, protocol: UDP, weight: 1}]}",
      live: "{ports: [{port: 80, protocol: UDP, weight: 7}, {port: 80, protocol: TCP, weight: 9}]}",
      ours: `{"f:ports": {${item("UDP")}, ${item("TCP")}}}`,
    },
    `
    { ports: [ { port: 80, protocol: TCP, weight: 9 }, { port: 80, protocol: UDP, weight: 1 } ] }
    only if still 7
    `,
  );
});

test("[*] matches every item, and an item that isn't live is sent in full", () => {
  check(
    {
      ignore: "spec.containers[*].image",
      desired:
        "{containers: [{name: a, image: new}, {name: b, image: new}, {name: c, image: new}]}",
      live: "{containers: [{name: a, image: old}, {name: b, image: old}]}",
      ours: twoContainers.replace(', \\"f:image\\": {}', ""),
      others: '{"f:containers": {"k:{\\"name\\":\\"b\\"}": {"f:image": {}}}}',
    },
    `
    { containers: [ { name: a, image: old }, { name: b }, { name: c, image: new } ] }
    only if still 7
    `,
  );
});

test("an ignored object is kept field by field", () => {
  check(
    {
      ignore: "spec.template",
      desired: "{template: {a: new, b: new, c: new}, paused: true}",
      live: "{template: {a: old, b: theirs, d: default}, paused: false}",
      ours: '{"f:template": {"f:a": {}, "f:c": {}}, "f:paused": {}}',
      others: '{"f:template": {"f:b": {}}}',
    },
    `
    { template: { a: old }, paused: true }
    only if still 7
    `,
  );
});

test("a path into an atomic list keeps the whole list, with a notice", () => {
  check(
    {
      ignore: "spec.args[1]",
      desired: "{args: [new, new]}",
      live: "{args: [old, old]}",
      ours: '{"f:args": {}}',
    },
    `
    { args: [ old, old ] }
    only if still 7
    Deployment shop/web: more than spec.args[1] keeps its live value
      why: The API server only replaces the whole list or object that contains the path
      → Name the whole list or object in the annotation vs.axis-dev.io/ignore-changes
    `,
  );
});

test("a path that matches nothing is reported with the nearest one", () => {
  check(
    {
      ignore: "spec.replica",
      desired: "{replicas: 3}",
      live: "{replicas: 3}",
      ours: '{"f:replicas": {}}',
    },
    `
    { replicas: 3 }
    Deployment shop/web: spec.replica in the annotation vs.axis-dev.io/ignore-changes matches nothing
      → Did you mean "spec.replicas"?
        or remove the path
    `,
  );
});

test.each(["spec..replicas", "spec.a[x]", "metadata.name", "kind", "spec.a[", 'spec["a'])(
  "the path %s is invalid",
  (ignore) => {
    check(
      { ignore, desired: "{}", live: undefined },
      `
      Deployment shop/web: "${ignore}" in the annotation vs.axis-dev.io/ignore-changes isn't a path that can be ignored
        → Write paths like spec.replicas, spec.template.spec.containers[0].image or metadata.labels["a.b/c"], separated by commas
      `,
    );
  },
);

test("commas separate paths, except inside brackets", () => {
  const paths = parseIgnoredPaths(' spec.replicas, spec.containers[0].image ,data["a,b.c"], ');
  expect(paths.map(({ text, steps }) => `${text} ${steps?.length}`)).toEqual([
    "spec.replicas 2",
    "spec.containers[0].image 4",
    'data["a,b.c"] 2',
  ]);
});
