import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { DeclaredObject } from "../../../../src/plan/declared/objects.ts";
import { skippableDryRuns } from "../../../../src/plan/dry-runs.ts";

interface Case {
  readonly name: string;
  /** Objects as `Kind name`. */
  readonly desired: readonly string[];
  /** Live objects as `Kind name: managers`. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  readonly evident: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "one new ConfigMap represents all new ones",
    desired: ["ConfigMap a", "ConfigMap b", "ConfigMap c"],
    live: {},
    evident: ["ConfigMap b", "ConfigMap c"],
  },
  {
    name: "new and changed objects have separate dry-runs",
    desired: ["ConfigMap a", "ConfigMap b"],
    live: { "ConfigMap b": ["Apply qvs-shop-app"] },
    evident: [],
  },
  {
    name: "a field of another manager might be a conflict",
    desired: ["Secret a", "Secret b"],
    live: {
      "Secret a": ["Apply qvs-shop-app"],
      "Secret b": ["Apply qvs-shop-app", "Update kubectl"],
    },
    evident: [],
  },
  {
    name: "the manager of the other stage is another manager",
    desired: ["Secret a", "Secret b"],
    live: { "Secret a": ["Apply qvs-shop-app"], "Secret b": ["Apply qvs-shop-appSetup"] },
    evident: [],
  },
  {
    name: "kinds that the server judges always have a dry-run",
    desired: ["Deployment a", "Deployment b"],
    live: {},
    evident: [],
  },
];

/** Returns the fields of a Service with these ports and further fields of its spec. */
function service(ports: string, more = ""): string {
  return `kind: Service, spec: {selector: {app: web}, ports: [${ports}], ${more}}`;
}

/**
 * Contents with the expected answer: true if the server certainly accepts them. `a` represents the
 * series, and `b` is the tested object.
 */
const contents: readonly {
  readonly name: string;
  readonly content: string;
  readonly live?: string;
  readonly evident: boolean;
}[] = [
  { name: "plain strings", content: "data: {a.b-c_D: text, .hidden: more}", evident: true },
  { name: "bytes", content: "binaryData: {a: aGVsbG8=}", evident: true },
  { name: "a Secret", content: "kind: Secret, data: {a: aGVsbG8=}", evident: true },
  { name: "a Secret with the type Opaque", content: "kind: Secret, type: Opaque", evident: true },
  { name: "no content at all", content: "", evident: true },
  {
    name: "labels and annotations",
    content:
      "metadata: {labels: {app.example/a: x_1, b: ''}, annotations: {'a.example/b': any text}}",
    evident: true,
  },
  { name: "a path as a key", content: "data: {a/b: text}", evident: false },
  { name: "a key that leads to a parent directory", content: "data: {..b: text}", evident: false },
  { name: "a key that is a directory", content: "data: {.: text}", evident: false },
  { name: "an empty key", content: "data: {'': text}", evident: false },
  { name: "a key of 254 characters", content: `data: {${"k".repeat(254)}: text}`, evident: false },
  { name: "a number as a value", content: "data: {a: 1}", evident: false },
  { name: "data that isn't an object", content: "data: text", evident: false },
  { name: "an empty object, which the server drops", content: "data: {}", evident: false },
  { name: "a key twice", content: "data: {a: text}, binaryData: {a: aGVsbG8=}", evident: false },
  { name: "text that isn't Base64", content: "kind: Secret, data: {a: hello}", evident: false },
  { name: "bytes that aren't Base64", content: "binaryData: {a: '%'}", evident: false },
  { name: "a Secret's binaryData", content: "kind: Secret, binaryData: {a: QQ==}", evident: false },
  { name: "a field that doesn't exist", content: "dta: {a: text}", evident: false },
  { name: "a field with an inherited name", content: "constructor: {a: text}", evident: false },
  { name: "immutable as a string", content: "immutable: 'true'", evident: false },
  { name: "a large amount of data", content: `data: {a: ${"x".repeat(300_000)}}`, evident: false },
  {
    name: "a type with requirements",
    content: "kind: Secret, type: kubernetes.io/tls",
    evident: false,
  },
  { name: "a ConfigMap's type", content: "type: Opaque", evident: false },
  { name: "a label's value with a space", content: "metadata: {labels: {a: b c}}", evident: false },
  { name: "an annotation's key", content: "metadata: {annotations: {a/b/c: x}}", evident: false },
  { name: "an owner", content: "metadata: {ownerReferences: []}", evident: false },
  { name: "a ServiceAccount", content: "kind: ServiceAccount", evident: true },
  {
    name: "a ServiceAccount that mounts no token",
    content: "kind: ServiceAccount, automountServiceAccountToken: false",
    evident: true,
  },
  {
    name: "a ServiceAccount's flag as a string",
    content: "kind: ServiceAccount, automountServiceAccountToken: 'no'",
    evident: false,
  },
  {
    name: "a ServiceAccount that names Secrets",
    content: "kind: ServiceAccount, secrets: [{name: a}]",
    evident: false,
  },
  { name: "a ServiceAccount's data", content: "kind: ServiceAccount, data: {}", evident: false },
  {
    name: "a ServiceAccount's immutable",
    content: "kind: ServiceAccount, immutable: true",
    evident: false,
  },
  { name: "a Service", content: service("{port: 80, protocol: TCP}"), evident: true },
  {
    name: "a Service with named ports",
    content: service(
      "{name: http, port: 80, targetPort: web, protocol: TCP}, {name: dns, port: 80, targetPort: 53, protocol: UDP}",
    ),
    evident: true,
  },
  {
    name: "a Service without an address",
    content: service("{port: 80, protocol: TCP}", "clusterIP: None"),
    evident: true,
  },
  {
    name: "a Service with a fixed address",
    content: service("{port: 80, protocol: TCP}", "clusterIP: 10.0.0.9"),
    evident: false,
  },
  {
    name: "an external Service",
    content: service("{port: 80, protocol: TCP}", "type: LoadBalancer"),
    evident: false,
  },
  {
    name: "a Service with another field",
    content: service("{port: 80, protocol: TCP}", "sessionAffinity: ClientIP"),
    evident: false,
  },
  { name: "a Service without ports", content: service(""), evident: false },
  {
    name: "a Service without a selector",
    content: "kind: Service, spec: {ports: [{port: 80, protocol: TCP}]}",
    evident: false,
  },
  {
    name: "a port above the range",
    content: service("{port: 65536, protocol: TCP}"),
    evident: false,
  },
  { name: "a port as a string", content: service("{port: '80', protocol: TCP}"), evident: false },
  { name: "an unknown protocol", content: service("{port: 80, protocol: QUIC}"), evident: false },
  {
    name: "a port's name that is too long for a target",
    content: service("{port: 80, targetPort: sixteen-letters-x, protocol: TCP}"),
    evident: false,
  },
  {
    name: "two ports, one without a name",
    content: service("{name: a, port: 80, protocol: TCP}, {port: 81, protocol: TCP}"),
    evident: false,
  },
  {
    name: "a port's name twice",
    content: service("{name: a, port: 80, protocol: TCP}, {name: a, port: 81, protocol: TCP}"),
    evident: false,
  },
  {
    name: "a port twice",
    content: service("{name: a, port: 80, protocol: TCP}, {name: b, port: 80, protocol: TCP}"),
    evident: false,
  },
  {
    name: "a port with another field",
    content: service("{port: 80, protocol: TCP, nodePort: 30000}"),
    evident: false,
  },
  {
    name: "a name with a dot, which a Service can't have",
    content: `${service("{port: 80, protocol: TCP}")}, metadata: {name: b.c}`,
    evident: false,
  },
  {
    name: "a change of a Service",
    content: service("{port: 80, protocol: TCP}"),
    live: service("{port: 81, protocol: TCP}"),
    evident: false,
  },
  {
    name: "a change of owned fields",
    content: "data: {a: text}",
    live: "data: {a: other}",
    evident: true,
  },
  {
    name: "a change of an immutable field",
    content: "data: {a: text}",
    live: "data: {a: other}, immutable: true",
    evident: false,
  },
  {
    name: "a change of an object that is being deleted",
    content: "data: {a: text}",
    live: "metadata: {deletionTimestamp: now}",
    evident: false,
  },
  {
    name: "an unchanged type",
    content: "kind: Secret, data: {a: QQ==}",
    live: "kind: Secret, type: Opaque",
    evident: true,
  },
  {
    name: "a change of a type",
    content: "kind: Secret, type: Opaque",
    live: "kind: Secret, type: acme.example/key",
    evident: false,
  },
  {
    name: "a type that is no longer declared",
    content: "kind: Secret",
    live: "kind: Secret, type: acme.example/key",
    evident: false,
  },
];

describe("an object of a plain kind is self-evident only if it is certainly valid", () => {
  it.each(contents)("$name", ({ content, live, evident }) => {
    const kind = /kind: (\w+)/.exec(content)?.[1] ?? "ConfigMap";
    const plain = kind === "Service" ? service("{port: 80, protocol: TCP}") : "";
    const first = { ...declared(`${kind} a`), object: objectNamed(`${kind} a`, plain) };
    const second = { ...declared(`${kind} b`), object: objectNamed(`${kind} b`, content) };
    const owned = (name: string, text = "") =>
      [keyOf(idOf(objectNamed(name))), liveObject(name, ["Apply qvs-shop-app"], text)] as const;
    const found = new Map(live === undefined ? [] : [owned(`${kind} a`), owned(`${kind} b`, live)]);
    const keys = [...skippableDryRuns("shop", [first, second], found)];
    expect(keys).toEqual(evident ? [second.key] : []);
  });
});

describe("keysThatSkipDryRun", () => {
  it.each(cases)("$name", ({ desired, live, evident }) => {
    const entries = Object.entries(live).map(([name, owners]) => liveObject(name, owners));
    const byKey = new Map(entries.map((object) => [keyOf(idOf(object)), object]));
    const found = skippableDryRuns("shop", desired.map(declared), byKey);
    expect([...found]).toEqual(evident.map((name) => keyOf(idOf(objectNamed(name)))));
  });
});

/** Creates an object; `content` has its other fields in YAML. */
function objectNamed(text: string, content = ""): KubeObject {
  const [kind = "", name = ""] = text.split(" ");
  const { metadata, ...rest } = parse(`{${content}}`);
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  return { apiVersion, kind, ...rest, metadata: { name, namespace: "n", ...metadata } };
}

function declared(text: string): DeclaredObject {
  const object = objectNamed(text);
  const id = idOf(object);
  return {
    key: keyOf(id),
    id,
    stage: "app",
    resource: text,
    object,
    dependsOn: [],
    references: [],
  };
}

function liveObject(name: string, owners: readonly string[], content = ""): KubeObject {
  const object = objectNamed(name, content);
  const managedFields = owners.map((owner) => {
    const [operation = "", manager = ""] = owner.split(" ");
    return { manager, operation, apiVersion: "v1", fieldsV1: {} };
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
