import { expect, test } from "vitest";
import { idOf, keyOf } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { nameCollisions } from "../../../../src/plan/ownership/name-collisions.ts";
import { describeProblem } from "../../../support/describe-problem.ts";

/** Returns the change of an object whose labels name the deployment and this release namespace. */
function change(name: string, owner: string | undefined, namespace = "shop"): Change {
  const live = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace,
      managedFields: [{ manager: "qvs-shop-app", operation: "Apply", fieldsV1: {} }],
      labels: {
        "app.kubernetes.io/managed-by": "qvs",
        "vs.axis-dev.io/deployment": "shop",
        ...(owner === undefined ? {} : { "vs.axis-dev.io/release-namespace": owner }),
      },
    },
  };
  return { key: keyOf(idOf(live)), id: idOf(live), live } as unknown as Change;
}

const fix = (object: string) =>
  `  → Give one of the two deployments another name
    or give the ${object} another name
    or adopt the deployment with --adopt if it moved here`;

test.each<[string, readonly Change[], readonly string[]]>([
  ["its own objects don't collide", [change("a", "here"), change("b", undefined, "here")], []],
  [
    "one object of another deployment",
    [change("a", "shop"), change("b", "here")],
    [`ConfigMap shop/a belongs to the deployment "shop" of namespace shop\n${fix("object")}`],
  ],
  [
    "each other deployment is reported once, for any number of objects",
    [..."abcdef"].map((name) => change(name, "shop")).concat(change("g", "team")),
    [
      `ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c, ConfigMap shop/d, ConfigMap shop/e and 1 more belong to the deployment "shop" of namespace shop\n${fix("objects")}`,
      `ConfigMap shop/g belongs to the deployment "shop" of namespace team\n${fix("object")}`,
    ],
  ],
  [
    "objects of an unknown deployment",
    [change("a", undefined), change("b", undefined)],
    [
      `ConfigMap shop/a, ConfigMap shop/b might belong to another deployment "shop" in another namespace\n  why: A deployment "shop" created them, but no release of it in namespace here records that\n${fix("objects")}`,
    ],
  ],
])("%s", (_, changes, expected) => {
  const found = nameCollisions(changes, [], { name: "shop", namespace: "here" });
  expect(found.map(describeProblem)).toEqual(expected);
});
