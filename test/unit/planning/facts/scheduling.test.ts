import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { groupOf, type KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { Manifest } from "../../../../src/model/sources/compilation.ts";
import { readObjectDependencies } from "../../../../src/planning/facts/read-facts.ts";
import { readSchedulingFacts } from "../../../../src/planning/facts/scheduling.ts";
import type { PermissionCommand } from "../../../../src/planning/permissions/permission.ts";
import { requiredPermissions } from "../../../../src/planning/permissions/required-permissions.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { planned } from "../../../support/shop/shop-report.ts";

/**
 * Returns the lists that a preview requests to simulate rollouts. Each one must be in the output of
 * `qvs rbac preview`.
 */
async function requestedLists(
  objects: readonly KubeObject[],
  read: (cluster: Cluster, plan: Plan) => Promise<unknown>,
): Promise<readonly string[]> {
  const fake = fakeCluster([]);
  const lists = new Set<string>();
  const cluster: Cluster = {
    ...fake,
    preferredKind: async (group, kind) => ({
      ok: true,
      value: { group, kind, version: "v1", plural: "", namespaced: false, listable: true },
    }),
    list: async (apiVersion, kind, namespace) => {
      lists.add(`${groupOf(apiVersion)} ${kind.toLowerCase()} ${namespace ?? ""}`);
      return { ok: true, value: { items: [], resourceVersion: "" } };
    },
  };
  const changes = objects.map((object) => planned("app", "a", object, undefined));
  await read(cluster, { changes } as unknown as Plan);
  return [...lists].toSorted();
}

function allowed(
  objects: readonly KubeObject[],
  command: PermissionCommand = "preview",
): (list: string) => boolean {
  const manifests = objects.map(
    (object, index): Manifest => ({
      ...{ type: "manifest", stage: "app", id: `r${index}`, object, dependsOn: [] },
    }),
  );
  const deployment = { name: "shop", namespace: "shop" };
  const request = { command, deployment, manifests, recorded: [] } as const;
  const found = requiredPermissions({ ...request, served: [], byKind: false });
  if (!found.ok) throw new Error(JSON.stringify(found));
  const given = found.value.rights
    .filter(({ verb }) => verb === "list")
    .map(({ group, resource, namespace = "" }) => `${group} ${resource} ${namespace}`);
  return (list) => {
    const [group = "", kind = "", namespace = ""] = list.split(" ");
    const plural = kind.endsWith("s") ? `${kind}es` : `${kind}s`;
    return [namespace, ""].some((place) => given.includes(`${group} ${plural} ${place}`));
  };
}

const web = (name: string, namespace: string, volumes = "") => `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}, namespace: ${namespace}}, spec: {replicas: 1,
 template: {spec: {containers: [{name: a, image: a}]${volumes}}}}}`;
const ofClaim = ", volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]";
const claim =
  "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {}}";

test.each([
  ["a Deployment", [web("a", "shop")]],
  ["a single claim", [claim]],
  ["a Deployment next to a PersistentVolumeClaim", [web("a", "shop"), claim]],
  [
    "a Deployment with a claim, and one in another namespace",
    [web("a", "shop", ofClaim), web("b", "other")],
  ],
  ["a claim, and a Deployment in another namespace", [claim, web("b", "other")]],
])("for %s, a preview sends only requests that its printed roles allow", async (_, yaml) => {
  const objects = objectsIn(yaml.join("\n---\n"));
  const lists = await requestedLists(objects, (cluster, plan) =>
    readSchedulingFacts(cluster, plan),
  );
  expect(lists.length).toBeGreaterThan(2);
  expect(lists.filter((list) => !allowed(objects)(list))).toEqual([]);
});

test.each(["preview", "deploy", "rollback"] as const)(
  "the printed roles allow qvs to look for a volume of an unknown class: %s",
  async (command) => {
    const spec = "spec: {storageClassName: by-hand}";
    const objects = objectsIn(claim.replace("spec: {}", spec));
    const lists = await requestedLists(objects, (cluster, plan) =>
      readObjectDependencies(cluster, plan, 1),
    );
    expect(lists).toEqual([" persistentvolume "]);
    expect(lists.filter((list) => !allowed(objects, command)(list))).toEqual([]);
  },
);

function objectsIn(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);
}
