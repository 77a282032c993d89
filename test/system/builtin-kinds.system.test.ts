import { expect, test } from "vitest";
import { type OpenApi, storedKinds } from "../../scripts/stored-kinds.ts";
import { readBuiltinKinds } from "../../src/io/builtin-kinds/read.ts";
import type { StoredKinds, StoredType } from "../../src/model/fields/field-type.ts";
import { fieldOf } from "../../src/model/json.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

/**
 * Compares the stored kinds, for checks without a cluster, with a real cluster. See
 * scripts/builtin-kinds.ts.
 */

const cluster = useCluster();

test("the stored kinds have the same fields as those of the control plane", async () => {
  const index = JSON.parse(await cluster.kubectl("get", "--raw", "/openapi/v3")) as Index;
  const addresses = Object.entries(index.paths)
    .filter(([path]) => path === "api/v1" || builtinGroup.test(path))
    .map(([, { serverRelativeURL }]) => serverRelativeURL);
  const documents = await Promise.all(
    addresses.map(async (url) => JSON.parse(await cluster.kubectl("get", "--raw", url)) as OpenApi),
  );
  const stored = readBuiltinKinds();
  const served = storedKinds(stored.version, documents);
  expect(Object.keys(served.kinds).length).toBeGreaterThan(50);
  for (const kind of Object.keys(served.kinds)) {
    expect(fieldsOf(stored, kind), kind).toEqual(fieldsOf(served, kind));
  }
});

test("the stored version is that of the control plane", async () => {
  const { major, minor } = JSON.parse(await cluster.kubectl("get", "--raw", "/version"));
  expect(readBuiltinKinds().version).toBe(`${major}.${minor}`);
});

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** The groups of built-in kinds. Custom resources of other tests have groups of other domains. */
const builtinGroup = /^apis\/(?:[a-z]+|[a-z.]+\.k8s\.io)\/v\w+$/;

/**
 * Returns every path below a kind with its type, and "!" if it is required. A recursive type is
 * followed once.
 */
function fieldsOf(kinds: StoredKinds, kind: string): readonly string[] {
  const place = fieldOf(kinds.kinds, kind);
  return place === undefined ? [] : [...fieldsBelow(kinds, place, "", [])].sort();
}

function* fieldsBelow(
  kinds: StoredKinds,
  type: StoredType,
  path: string,
  around: readonly number[],
): Generator<string> {
  if (typeof type === "string") yield `${path}: ${type}`;
  else if (typeof type !== "number")
    yield* fieldsBelow(kinds, type[1], `${path}[${type[0]}]`, around);
  else if (around.includes(type)) yield `${path}: ${around.length - around.indexOf(type)} up`;
  else {
    const { fields = {}, required = [] } = kinds.types[type] ?? {};
    for (const [name, inner] of Object.entries(fields)) {
      const mark = required.includes(name) ? "!" : "";
      yield* fieldsBelow(kinds, inner, `${path}.${name}${mark}`, [...around, type]);
    }
  }
}
