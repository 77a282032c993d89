import { expect, test } from "vitest";
import type { ReleaseSource } from "../../../src/model/release.ts";
import { createReleaseHistory } from "../../../src/model/release-history.ts";
import { sourceMismatch } from "../../../src/releases/deployment-source-mismatch.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { release } from "../../support/plan/release-from.ts";

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
