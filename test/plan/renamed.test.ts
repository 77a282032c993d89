import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../src/model/object.ts";
import { foreignAmong } from "../../src/plan/ownership/foreign.ts";
import { declare, placement, text } from "./declare.ts";
import { applied } from "./live.ts";
import { planOf, planText, type Situation } from "./plan-text.ts";

const config = (name: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: text}}\n`;

/** What a deployment of another name has applied, with other labels on top. */
function madeBy(deployment: string, labels = "{}"): KubeObject {
  const [desired] = declare(config("a"));
  if (desired === undefined) throw new Error("nothing is declared");
  const made = applied(desired, deployment);
  const marks = { ...(made.metadata["labels"] as object), "vs.axis-dev.io/deployment": deployment };
  return { ...made, metadata: { ...made.metadata, labels: { ...marks, ...parse(labels) } } };
}

function check(made: KubeObject, more: Partial<Situation>, expected: string): void {
  const live = new Map([["core:ConfigMap::shop/a", made]]);
  expect(planText(planOf({ declared: config("a"), live, ...more }))).toBe(text(expected));
}

const refused = `
    ConfigMap shop/a belongs to the deployment old
      → Declare it in one of the two deployments only; if old was renamed to shop-test, add to its entry in deployments.yaml: renamed-from: old
        or remove the label vs.axis-dev.io/deployment from the live object to take over this one alone
    `;

test("what the old name has deployed is another deployment's until the entry says that it was renamed", () => {
  check(madeBy("old"), {}, refused);
  check(madeBy("old"), { predecessor: "old" }, "update ConfigMap shop/a (app, server)");
});

test.each([
  [
    "of the same name in another namespace",
    madeBy("old", "{vs.axis-dev.io/release-namespace: far}"),
  ],
  [
    "that only carries its label",
    {
      ...madeBy("other"),
      metadata: { ...madeBy("other").metadata, labels: { "vs.axis-dev.io/deployment": "old" } },
    },
  ],
])("an object %s does not go on", (_, made) => {
  check(made, { predecessor: "old" }, refused);
  const identity = { ...placement, adopt: false, isOtherSource: false, predecessor: "old" };
  const live = new Map([["core:ConfigMap::shop/a", made]]);
  expect([...foreignAmong(declare(config("a")), live, identity).keys()]).toHaveLength(1);
});

test("what goes on under the new name is not deleted with the old one", () => {
  const passesOn = { to: "new", keys: new Set(["core:ConfigMap::shop/a"]) };
  const before = config("a") + config("b");
  expect(planText(planOf({ before, declared: "", deletes: true, passesOn }))).toBe(
    text(`
    delete ConfigMap shop/b (app)
    keep ConfigMap shop/a (renamed: new goes on with it)
    `),
  );
});
