import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { Compilation, Manifest, Resource } from "../../../../src/model/sources/compilation.ts";
import {
  changedReferences,
  diffCompilations,
  resourceTitle,
} from "../../../../src/report/diff/manifest-diff.ts";
import { buildChanges } from "../../../../src/report/rows/build-changes.ts";
import { manifestsFrom } from "../../../support/plan/declare.ts";
import {
  planned,
  shopCompilation,
  shopPlan,
  shopReport,
} from "../../../support/shop/shop-report.ts";

const empty = { ...shopCompilation("1", "a", "info"), resources: [] };

function of(...resources: readonly Resource[]): Compilation {
  return { ...empty, resources };
}

function configMap(
  id: string,
  name: string,
  data: JsonObject = {},
  stage: Manifest["stage"] = "app",
): Manifest {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop" },
    data,
  };
  return { type: "manifest", stage, id, object, dependsOn: [] };
}

function secret(value: string): Manifest {
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db" },
    data: { password: value },
  };
  return { type: "manifest", stage: "app", id: "db", object, dependsOn: [] };
}

function helm(version: string): Resource {
  return {
    type: "foreign",
    stage: "app",
    id: "redis",
    provider: "kubernetes-helm",
    content: { version },
  };
}

const cases: readonly {
  name: string;
  base: Compilation | undefined;
  head: Compilation;
  expected: string;
}[] = [
  {
    name: "a new deployment adds everything",
    base: undefined,
    head: of(configMap("a", "x")),
    expected: "added ConfigMap shop/x",
  },
  {
    name: "an object that no longer exists",
    base: of(configMap("a", "x")),
    head: of(),
    expected: "removed ConfigMap shop/x",
  },
  {
    name: "an object whose content changes",
    base: of(configMap("a", "x", { k: "1" })),
    head: of(configMap("a", "x", { k: "2" })),
    expected: "changed ConfigMap shop/x",
  },
  {
    name: "the order of keys isn't a change",
    base: of(configMap("a", "x", { k: "1", l: "2" })),
    head: of(configMap("a", "x", { l: "2", k: "1" })),
    expected: "",
  },
  {
    name: "an object that moves to another resource id is the same one",
    base: of(configMap("a", "x")),
    head: of(configMap("b", "x")),
    expected: "",
  },
  {
    name: "a new hash in the name of the same resource is one change",
    base: of(configMap("a", "x-1")),
    head: of(configMap("a", "x-2")),
    expected: "renamed ConfigMap shop/x-2",
  },
  {
    name: "appSetup is before app",
    base: undefined,
    head: of(configMap("a", "x"), configMap("z", "y", {}, "appSetup")),
    expected: "added ConfigMap shop/y, added ConfigMap shop/x",
  },
  {
    name: "a Secret whose value changes",
    base: of(secret("AAAA")),
    head: of(secret("BBBB")),
    expected: "changed Secret db",
  },
  {
    name: "a resource of another provider",
    base: of(helm("1")),
    head: of(helm("2")),
    expected: "changed kubernetes-helm redis",
  },
];

for (const { name, base, head, expected } of cases) {
  test(name, () => {
    const diffs = diffCompilations(base, head);
    expect(diffs.map((diff) => `${diff.type} ${resourceTitle(diff.resource)}`).join(", ")).toBe(
      expected,
    );
  });
}

const reader = (reference: string, dependsOn: string) =>
  `app/it: {kind: ConfigMap, metadata: {name: it}, data: {a: "x-${reference}"}, dependsOn: [${dependsOn}]}\n`;

function compilationOf(yaml: string): Compilation {
  return { ...shopCompilation("1", "a", "info"), resources: manifestsFrom(yaml) };
}

test.each([
  [
    "a value of a Secret, in its other form",
    reader("$(ref.login.data.password)", "login"),
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one}}",
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: two}}",
    ["Secret login"],
  ],
  [
    "another field of the same object",
    reader("$(ref.login.data.password)", "login"),
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one, user: a}}",
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one, user: b}}",
    [],
  ],
  [
    "a value through another object",
    `${reader("$(ref.relay.data.a)", "relay")}app/relay: {kind: ConfigMap, metadata: {name: relay}, data: {a: "$(ref.base.data.a)"}, dependsOn: [base]}\n`,
    "app/base: {kind: ConfigMap, metadata: {name: base}, data: {a: one}}",
    "app/base: {kind: ConfigMap, metadata: {name: base}, data: {a: two}}",
    ["ConfigMap base"],
  ],
  [
    "an address of a changed Service",
    reader("$(ref.web.status.ip)", "web"),
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: LoadBalancer}}",
    ["Service web"],
  ],
  [
    "an address of an unchanged Service",
    reader("$(ref.web.status.ip)", "web"),
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    [],
  ],
])("another change of the pull request explains %s", (_, yaml, before, now, expected) => {
  const [base, head] = [compilationOf(yaml + before), compilationOf(yaml + now)];
  expect(changedReferences("app/it", head, base)).toEqual(expected);
});

test("an update that another change explains isn't marked as an external change", () => {
  const login = (password: string) =>
    `app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: ${password}}}`;
  const [base, head] = ["one", "two"].map((password) =>
    compilationOf(reader("$(ref.login.data.password)", "login") + login(password)),
  );
  const it = (a: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "it" },
    data: { a },
    spec: { a },
  });
  const plan = shopPlan({ changes: [planned("app", "it", it("two"), it("one"))] });
  const notes = buildChanges(shopReport({ base, head, plan })).rows.map(({ note }) => note);
  expect(notes).toContain("uses values of Secret login, which this pull request changes");
});
