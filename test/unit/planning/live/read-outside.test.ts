import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import { readLive } from "../../../../src/planning/live/read-live.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { declare } from "../../../support/plan/declare.ts";

/** Reads live objects for a plan with an object that depends on a Widget outside the deployment. */
function readWith(discovery: ApiFailure["reason"]) {
  const cluster = {
    ...fakeCluster(),
    preferredKind: async () => refused(discovery, 503, "discovery failed"),
  };
  const waiting = `
    app/a:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: a, annotations: {vs.axis-dev.io/dependsOn: "acme.example:Widget::shop/w"}}
    `;
  return readLive(cluster, declare(waiting), [], 4);
}

test("a kind that the cluster doesn't serve has no objects", async () => {
  expect(await readWith("unknown-kind")).toEqual({ ok: true, value: new Map() });
});

test("a failed discovery doesn't make an object absent", async () => {
  expect(await readWith("other")).toMatchObject({
    ok: false,
    problems: [{ facts: [{ label: "server" }, { label: "answer", value: "discovery failed" }] }],
  });
});
