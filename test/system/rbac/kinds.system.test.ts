import { expect, test } from "vitest";
import { resourceFinder } from "../../../src/planning/permissions/api-resources.ts";
import { canBeUnready } from "../../../src/planning/permissions/granted-permissions.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";

/**
 * Compares assumptions about kinds, for roles without a cluster, with the discovery of a real
 * control plane.
 */
const cluster = useCluster();

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** The paths of built-in kinds. Custom resources of other tests have groups of other domains. */
const builtin = /^(\/api\/v1|\/apis\/([a-z]+|[a-z.]+\.k8s\.io)\/v\w+)$/;

async function served() {
  const raw = async (path: string) => JSON.parse(await cluster.kubectl("get", "--raw", path));
  const { groups } = await raw("/apis");
  const paths = groups.flatMap(({ versions }: { versions: { groupVersion: string }[] }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  );
  const found = ["/api/v1", ...paths].filter((path) => builtin.test(path));
  const lists = await Promise.all(
    found.map(async (path) => {
      const { groupVersion, resources } = await raw(path);
      const group = groupVersion.includes("/") ? groupVersion.split("/")[0] : "";
      return (resources as Resource[]).map((resource) => ({ ...resource, group }));
    }),
  );
  return lists.flat();
}

test("plurals and scopes of built-in kinds match the assumptions, and kinds without status need no wait", async () => {
  const all = await served();
  const resourceOf = resourceFinder([], []);
  // A kind that can't be patched, such as a review, is never deployed.
  const kinds = all.filter(({ name, verbs }) => !name.includes("/") && verbs.includes("patch"));
  expect(kinds.length).toBeGreaterThan(50);
  const withStatus = new Set(
    all.filter(({ name }) => name.endsWith("/status")).map(({ group, kind }) => `${group}/${kind}`),
  );
  for (const { group, kind, name, namespaced } of kinds) {
    expect(resourceOf(group, kind), `${group}/${kind}`).toEqual({ plural: name, namespaced });
    const isAwaited = canBeUnready({ group, kind });
    if (!isAwaited) expect(withStatus).not.toContain(`${group}/${kind}`);
  }
});
