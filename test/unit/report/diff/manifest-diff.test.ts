import { expect, test } from "vitest";
import type { Compilation, Manifest, Resource } from "../../../../src/model/compilation.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { diffCompilations, resourceTitle } from "../../../../src/report/diff/manifest-diff.ts";
import { shopCompilation } from "../../../support/shop/shop-report.ts";

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
