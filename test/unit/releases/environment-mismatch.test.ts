import { expect, test } from "vitest";
import type { Deployment } from "../../../src/model/deployment.ts";
import type { PreviewEnvironment } from "../../../src/model/preview-environment.ts";
import type { Release } from "../../../src/model/release.ts";
import { createReleaseHistory } from "../../../src/model/release-history.ts";
import { environmentMismatch } from "../../../src/releases/environment-mismatch.ts";

const own: PreviewEnvironment = {
  ...{ repository: { id: "https://github.com/1", path: "acme/shop" }, list: "a/list.yaml" },
  ...{ entry: "shop", number: 3, namespace: "shop-pr-3", ttlMs: 1 },
};

function mismatch(recorded: PreviewEnvironment | undefined, here: PreviewEnvironment | undefined) {
  const release = { revision: 1, status: "succeeded", environment: recorded } as Release;
  const deployment: Deployment = {
    ...{ name: "shop-pr-3", config: "", params: [], environment: undefined, context: undefined },
    ...{ namespace: "shop", dependsOn: [] },
    ...(here && { environmentOf: { recorded: here, labels: {}, params: undefined, url: "" } }),
  };
  return environmentMismatch(createReleaseHistory([release]), deployment);
}

test.each<[string, Partial<PreviewEnvironment>, boolean]>([
  ["the same one", {}, true],
  ["a renamed repository", { repository: { id: "https://github.com/1", path: "acme/new" } }, true],
  ["a clone that knows only the path", { repository: { path: "ACME/shop" } }, true],
  ["another head and lifetime", { head: "abc", ttlMs: 2 }, true],
  ["a new repository with the old name", { repository: { ...own.repository, id: "x/2" } }, false],
  ["another repository", { repository: { path: "acme/other" } }, false],
  ["an unknown repository", { repository: {} }, false],
  ["the list of another directory", { list: "b/list.yaml" }, false],
  ["another entry", { entry: "shop-pr" }, false],
  ["another pull request", { number: 4 }, false],
  ["another namespace", { namespace: "default" }, false],
])("%s decides whether an environment is the own one", (_, here, isOwn) => {
  expect(mismatch(own, { ...own, ...here })?.code).toBe(isOwn ? undefined : "environment-not-own");
});

test("an ordinary deployment and an environment don't replace each other", () => {
  expect(mismatch(undefined, own)?.code).toBe("environment-not-own");
  expect(mismatch(own, undefined)?.code).toBe("environment-not-own");
  expect(mismatch(undefined, undefined)).toBeUndefined();
});

test("a changed namespace in preview is no one else's environment", () => {
  const moved = mismatch(own, { ...own, namespace: "pr-3" });
  expect(moved?.what).toBe('The environment "shop-pr-3" is in namespace shop-pr-3');
  expect(moved?.why).toContain("The namespace in preview changed to pr-3");
  expect(moved?.fix).toContain("qvs environments delete -d shop --number 3");
  const other = mismatch(own, { ...own, namespace: "pr-3", list: "b/list.yaml" });
  expect(other?.what).toContain("belong to someone else");
});
