import { expect, test } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { listedTargetWarnings } from "../../../src/sources/orphaned-deployments.ts";

const shopIn = (namespace: string): Deployment => ({
  name: "shop",
  config: ".valuestream/qvs.yaml",
  params: [],
  environment: undefined,
  dependsOn: [],
  context: undefined,
  namespace,
});

test.each([
  ["a new namespace in the list", "old", "new", "new", ["leaves its objects in namespace old"]],
  ["the same namespace", "old", "old", "old", []],
  ["a namespace of a flag", "old", "old", "other", []],
])(
  "a preview with a base warns about objects at the old place: %s",
  (_, before, listed, shown, expected) => {
    const found = listedTargetWarnings(shopIn(before), [shopIn(listed)], shopIn(shown));
    expect(found.map(({ what }) => what)).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
  },
);
