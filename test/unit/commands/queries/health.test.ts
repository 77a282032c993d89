import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { judgeObjects, readReleaseRules } from "../../../../src/commands/queries/health.ts";
import { deploymentLabel, releaseNamespaceLabel } from "../../../../src/model/annotations.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { TargetCluster } from "../../../../src/ports/world.ts";
import { encodeRelease } from "../../../../src/releases/encode.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { release } from "../../../support/plan/release-from.ts";

const rule = {
  groups: ["shop.example"],
  kinds: ["Widget"],
  current: "status.detail == 'Working'",
  source: ".valuestream/qvs.yaml:7",
};

function widget(name: string, labels = ownLabels): KubeObject {
  const metadata = { name, namespace: "shop", labels };
  const status = { detail: "Working" };
  return { apiVersion: "shop.example/v1", kind: "Widget", metadata, status };
}

const ownLabels = { [deploymentLabel]: "shop", [releaseNamespaceLabel]: "shop" };

/** Returns a release that declares the Widget `own` and has a rule for its kind. */
function recorded(): Release {
  const base = release(1, "succeeded");
  const object = widget("own");
  return {
    ...base,
    inputConfig: { ...base.inputConfig, health: [rule] },
    expandedConfig: [{ stage: "app", resource: "own", object, dependsOn: [] }],
  };
}

const records = encodeRelease(recorded(), {
  namespace: "shop",
  compress: (text) => gzipSync(text),
});

/** Returns state and rule, as `qvs health` shows them for an object of the cluster. */
async function judge(object: KubeObject, cluster: FakeCluster = fakeCluster(records)) {
  const target: Pick<TargetCluster, "cluster"> = { cluster };
  const world = {
    target: async () => target as TargetCluster,
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString("utf8"),
  };
  const rules = await readReleaseRules(world, object, undefined);
  const [found] = judgeObjects([{ value: object, rules }], new Date(0));
  return `${found?.state} by ${found?.rule}`;
}

describe("an object in the cluster", () => {
  it("is judged by the rule of its release", async () => {
    expect(await judge(widget("own"))).toBe("ready by .valuestream/qvs.yaml:7");
  });

  it.each([
    ["its release doesn't contain it", widget("other")],
    ["it has no labels of a release", widget("own", {} as typeof ownLabels)],
    ["its release doesn't exist", widget("own", { ...ownLabels, [deploymentLabel]: "gone" })],
  ])("is judged by conventions if %s", async (_, object) => {
    expect(await judge(object)).toBe("unknown by general");
  });

  it("is judged by conventions if the records can't be read", async () => {
    const cluster: FakeCluster = {
      ...fakeCluster(records),
      list: async () => refused("forbidden", 403, "secrets is forbidden"),
    };
    expect(await judge(widget("own"), cluster)).toBe("unknown by general");
  });
});
