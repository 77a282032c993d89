import { expect, test } from "vitest";
import { textAt } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { findDeniedPermissions } from "../../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../../src/planning/permissions/permission.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";

const right: Permission = {
  ...{ namespace: undefined, group: "", resource: "namespaces", verb: "patch", name: "shop" },
};

/** Returns a cluster that grants a permission to these names; "" stands for all names. */
function clusterWith(granted: readonly string[]) {
  const asked: string[] = [];
  const ask = (where: string) => async (review: KubeObject) => {
    const name = textAt(review, "spec", "resourceAttributes", "name") ?? "";
    asked.push(`${where}: ${name}`);
    return { ok: true as const, value: { ...review, status: { allowed: granted.includes(name) } } };
  };
  const fake = fakeCluster();
  const shared = { ...fake, review: ask("once for the run") };
  const cluster: Cluster = { ...fake, shared, create: ask("now") };
  return { cluster, asked };
}

test("a permission to all names of a cluster-scoped kind is asked for once in a run", async () => {
  const { cluster, asked } = clusterWith([""]);
  expect(await findDeniedPermissions(cluster, [right], 4)).toEqual([]);
  expect(asked).toEqual(["once for the run: "]);
});

test("a permission to one name is asked for now if that to all names isn't granted", async () => {
  const { cluster, asked } = clusterWith(["shop"]);
  expect(await findDeniedPermissions(cluster, [right], 4)).toEqual([]);
  expect(asked).toEqual(["once for the run: ", "now: shop"]);
});

test("a denial is never the answer to an earlier question of the run", async () => {
  const { cluster, asked } = clusterWith([]);
  const all = { ...right, name: undefined };
  expect(await findDeniedPermissions(cluster, [all], 4)).toEqual([all]);
  expect(asked).toEqual(["once for the run: ", "now: "]);
});
