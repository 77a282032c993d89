import { expect, test } from "vitest";
import { idOf, keyOf } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan.ts";
import { nameCollisions } from "../../../src/plan/ownership/name-collisions.ts";
import { describeProblem } from "../../support/describe-problem.ts";

/** An object that carries the name of the deployment, by the release namespace that its label names. */
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

const cure = "another name; if the deployment has moved here, take it over with --adopt";

test.each<[string, readonly Change[], readonly string[]]>([
  ["its own objects are no others'", [change("a", "here"), change("b", undefined, "here")], []],
  [
    "one object of another",
    [change("a", "shop"), change("b", "here")],
    [
      `ConfigMap shop/a belongs to the deployment "shop" of namespace shop\n  → Give one of the two deployments, or the object, ${cure}`,
    ],
  ],
  [
    "each of the others is told of once, whatever it has",
    [..."abcdef"].map((name) => change(name, "shop")).concat(change("g", "team")),
    [
      `ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c, ConfigMap shop/d, ConfigMap shop/e and 1 more belong to the deployment "shop" of namespace shop\n  → Give one of the two deployments, or the objects, ${cure}`,
      `ConfigMap shop/g belongs to the deployment "shop" of namespace team\n  → Give one of the two deployments, or the object, ${cure}`,
    ],
  ],
  [
    "of which nobody knows whose they are",
    [change("a", undefined), change("b", undefined)],
    [
      `ConfigMap shop/a, ConfigMap shop/b were created by a deployment "shop", but no release of it in namespace here has recorded that: another one of this name, in another namespace, may own them\n  → Give one of the two deployments, or the objects, ${cure}`,
    ],
  ],
])("%s", (_, changes, expected) => {
  const found = nameCollisions(changes, [], { name: "shop", namespace: "here" });
  expect(found.map(describeProblem)).toEqual(expected);
});
