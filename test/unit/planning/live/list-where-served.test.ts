import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import { idOf } from "../../../../src/model/object.ts";
import { listAnyVersion } from "../../../../src/planning/live/read-live.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";

interface Situation {
  /**
   * The versions of Widget that the cluster serves, the preferred one first, or the reason of a
   * failed discovery.
   */
  readonly served: readonly string[] | ApiFailure["reason"];
  readonly listing?: ApiFailure["reason"];
  readonly namespace?: boolean;
}

const group = "acme.example";

/** Creates a fake cluster with one Widget in namespace shop, stored in the listed version. */
function clusterServing({ served, listing, namespace = true }: Situation): Cluster {
  const fake = fakeCluster(
    namespace ? [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }] : [],
  );
  return {
    ...fake,
    async preferredKind() {
      if (typeof served === "string") return refused(served, 503, "discovery failed");
      const [version] = served;
      if (version === undefined) return refused("unknown-kind", 404, "served nowhere");
      const info = {
        group,
        version,
        kind: "Widget",
        plural: "widgets",
        namespaced: true,
        listable: true,
      };
      return { ok: true, value: info };
    },
    async list(apiVersion) {
      if (listing !== undefined) return refused(listing, 404, "the list failed");
      if (!served.includes(apiVersion.replace(`${group}/`, "")))
        return refused("unknown-kind", 404, `${apiVersion} is not served`);
      const widget = { apiVersion, kind: "Widget", metadata: { name: "w", namespace: "shop" } };
      return { ok: true, value: { items: [widget], resourceVersion: "1" } };
    },
  };
}

test.each<[string, Situation, string]>([
  ["the recorded version is listed", { served: ["v1", "v1beta1"] }, "v1beta1 w"],
  ["a served version is listed instead", { served: ["v1"] }, "v1 w"],
  ["a kind that isn't served has no objects", { served: [] }, ""],
  ["an unknown answer is a failure", { served: "other" }, "other: discovery failed"],
  [
    "a namespace that doesn't exist has no objects",
    { served: ["v1beta1"], listing: "not-found", namespace: false },
    "",
  ],
  [
    "any other 404 is a failure",
    { served: ["v1beta1"], listing: "not-found" },
    "not-found: the list failed",
  ],
  [
    "a rejection is a failure too",
    { served: ["v1beta1"], listing: "forbidden" },
    "forbidden: the list failed",
  ],
  [
    "a kind with contradicting discovery and list is a failure too",
    { served: ["v1beta1"], listing: "unknown-kind" },
    "unknown-kind: the list failed",
  ],
])("%s", async (_name, situation, expected) => {
  const list = { apiVersion: `${group}/v1beta1`, kind: "Widget", namespace: "shop" };
  const answer = await listAnyVersion(clusterServing(situation), list);
  const found = answer.ok
    ? answer.value.map((one) => `${one.apiVersion.split("/")[1]} ${idOf(one).name}`).join()
    : `${answer.failure.reason}: ${answer.failure.message}`;
  expect(found).toBe(expected);
});
