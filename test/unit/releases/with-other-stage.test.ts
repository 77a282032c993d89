import { expect, test } from "vitest";
import type {
  ObjectResult,
  Release,
  ReleasedManifest,
} from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { Stage } from "../../../src/model/sources/compilation.ts";
import { withOtherStage } from "../../../src/releases/with-other-stage.ts";
import { problemText } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";

/** Parses words such as `appSetup/a=1`: a ConfigMap `a` of that stage with the data 1. */
function manifests(words: string): readonly ReleasedManifest[] {
  return words.split(" ").flatMap((word) => {
    const [, stage, name = "", x = ""] = /^(\w+)\/(\w+)=(\w+)$/.exec(word) ?? [];
    if (stage === undefined) return [];
    const metadata = { name, namespace: "shop" };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x } };
    return [{ stage: stage as Stage, resource: name, object, dependsOn: [] }];
  });
}

function recorded(
  revision: number,
  status: Release["status"],
  declared: string,
  outcomes: Readonly<Record<string, ObjectResult["outcome"]>> = {},
): Release {
  const results = Object.entries(outcomes).map(([name, outcome]) => {
    return { key: `core:ConfigMap::shop/${name}`, outcome, detail: "" };
  });
  return { ...release(revision, status), expandedConfig: manifests(declared), results };
}

const one = recorded(1, "succeeded", "appSetup/a=1 app/b=1");

test.each<[string, string, Stage, readonly Release[], string]>([
  [
    "the other stage is that of the last release",
    "appSetup/a=2 app/b=2",
    "app",
    [one],
    "app/b=2 appSetup/a=1",
  ],
  [
    "the same with exchanged stages",
    "appSetup/a=2 app/b=2",
    "appSetup",
    [one],
    "appSetup/a=2 app/b=1",
  ],
  ["the first release has no other stage", "appSetup/a=2 app/b=2", "appSetup", [], "appSetup/a=2"],
  [
    "an object that moved to the other stage still exists unchanged",
    "appSetup/a=2 appSetup/b=2",
    "app",
    [one],
    "appSetup/a=1 app/b=1",
  ],
  [
    "an object that moved to this stage exists once",
    "app/a=2 app/b=2",
    "app",
    [one],
    "app/a=2 app/b=2",
  ],
  [
    "an object that this stage no longer declares is omitted",
    "appSetup/a=1",
    "app",
    [one],
    "appSetup/a=1",
  ],
  [
    "a failed release that applied the other stage counts",
    "appSetup/a=3 app/b=3",
    "app",
    [recorded(2, "failed", "appSetup/a=2 app/b=2", { a: "updated", b: "failed" }), one],
    "app/b=3 appSetup/a=2",
  ],
  [
    "a failed release that didn't change the other stage is ignored",
    "appSetup/a=3 app/b=3",
    "appSetup",
    [recorded(2, "failed", "appSetup/a=2 app/b=2", { a: "failed", b: "not attempted" }), one],
    "appSetup/a=3 app/b=1",
  ],
  [
    "qvs can't roll back to a failed release with a half-deployed other stage",
    "appSetup/a=3 app/b=3",
    "app",
    [
      recorded(2, "failed", "appSetup/a=2 appSetup/c=2 app/b=2", { a: "updated", c: "failed" }),
      one,
    ],
    `Release 2 might have left appSetup incomplete
  status: failed
  why: A release of app alone couldn't record the state to roll back to
  → Deploy both stages: remove --only-stage`,
  ],
  [
    "qvs can't roll back to a killed run either",
    "appSetup/a=3 app/b=3",
    "app",
    [recorded(2, "pending", "appSetup/a=2 app/b=2"), one],
    `Release 2 might have left appSetup incomplete
  status: pending
  why: A release of app alone couldn't record the state to roll back to
  → Deploy both stages: remove --only-stage`,
  ],
])("%s", (_, declared, stage, releases, expected) => {
  const result = withOtherStage(manifests(declared), stage, createReleaseHistory(releases));
  const shown = (each: ReleasedManifest) => {
    const { data } = each.object as { data: { x: string } };
    return `${each.stage}/${each.resource}=${data.x}`;
  };
  const text = result.ok ? result.value.map(shown).join(" ") : problemText(result.problems);
  expect(text).toBe(expected);
});
