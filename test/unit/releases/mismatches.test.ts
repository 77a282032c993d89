import { expect, test } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { PreviewEnvironment } from "../../../src/model/deployments/preview-environment.ts";
import type { Release, ReleaseSource } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { environmentMismatch, sourceMismatch } from "../../../src/releases/mismatches.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { release } from "../../support/plan/release-from.ts";

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

/**
 * Parses a source such as `acme/shop:qvs.yaml`, `:qvs.yaml` (no remote) or an empty text (an old
 * record).
 */
function source(text: string): ReleaseSource {
  const [repository, config] = text.split(":");
  const run = { commit: undefined, actor: undefined, run: undefined };
  return { ...run, repository: repository || undefined, config: config || undefined };
}

const refused = (before: string, here: string) =>
  `"shop" in namespace default was last deployed from another source\n  last source: ${before}\n  this source: ${here}\n`;

test.each([
  ["the same again", ["acme/shop:qvs.yaml"], "acme/shop:qvs.yaml", ""],
  ["the first release", [], "acme/shop:qvs.yaml", ""],
  ["a record without its source", [""], "acme/shop:qvs.yaml", ""],
  ["another spelling of the repository", ["Acme/Shop:qvs.yaml"], "acme/shop:qvs.yaml", ""],
  ["a directory without a remote", ["acme/shop:qvs.yaml"], ":qvs.yaml", ""],
  [
    "another repository",
    ["acme/shop:qvs.yaml"],
    "bakery/shop:qvs.yaml",
    refused("acme/shop:qvs.yaml", "bakery/shop:qvs.yaml"),
  ],
  [
    "another config of the same repository",
    ["acme/shop:qvs.yaml"],
    "acme/shop:eu/qvs.yaml",
    refused("acme/shop:qvs.yaml", "acme/shop:eu/qvs.yaml"),
  ],
  [
    "another config, without a remote",
    [":qvs.yaml"],
    ":eu/qvs.yaml",
    refused("qvs.yaml", "eu/qvs.yaml"),
  ],
  [
    "the newest release counts, after a move",
    ["acme/shop:qvs.yaml", "acme/shop:eu/qvs.yaml"],
    "acme/shop:eu/qvs.yaml",
    "",
  ],
])("%s", (_name, before, here, expected) => {
  const releases = before.map((text, index) => ({
    ...release(index + 1, "succeeded"),
    source: source(text),
  }));
  const place = { name: "shop", namespace: "default" };
  for (const order of [releases, releases.toReversed()]) {
    const found = sourceMismatch(createReleaseHistory(order), source(here), place);
    if (expected === "") expect(found).toBeUndefined();
    else expect(found && describeProblem(found)).toContain(expected);
  }
});
