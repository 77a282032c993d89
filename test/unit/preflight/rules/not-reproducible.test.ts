import { expect, test } from "vitest";
import type { IrreproducibleField } from "../../../../src/model/sources/compilation.ts";
import { notReproducible } from "../../../../src/preflight/rules/not-reproducible.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { noFacts } from "./run-rule.ts";

const secret = (value: string) => `
app/db:
  apiVersion: v1
  kind: Secret
  metadata: {name: db}
  stringData: {password: ${value}}
`;

const where = { file: "charts/db/templates/secret.yaml", line: 1, column: 1 };
const password = { kind: "Secret", name: "db", path: ["data", "password"], where };

/** Lists the findings of a plan with one Secret. */
function findings(field: Partial<IrreproducibleField>, before?: string) {
  const declared = secret("new");
  const plan = requirePlan(before === undefined ? { declared } : { declared, before });
  const releases = { declared: new Set<string>() };
  const irreproducible = [{ ...password, ...field }];
  const input = { plan, facts: noFacts, releases, placeOf: () => where, irreproducible };
  return notReproducible(input);
}

function found(...given: Parameters<typeof findings>): readonly string[] {
  return findings(...given).map(({ what, why }) => `${what}: ${why}`);
}

test("the annotation to paste names the field as ignore-changes reads it", () => {
  const [finding] = findings({ path: ["data", "tls.key"] });
  expect(finding?.why).toContain('data["tls.key"]');
  expect(finding?.paste).toEqual([`vs.axis-dev.io/ignore-changes: 'data["tls.key"]'`]);
});

test.each([
  [{}, "data.password"],
  [{ path: [] }, "the whole object"],
  [{ path: [], name: "" }, "its name"],
])("a changed object with the irreproducible field %j is reported", (field, shown) => {
  expect(found(field)).toEqual([
    `Secret shop/db changes with each rendering: The template makes ${shown} from chance or from the time`,
  ]);
});

test.each([
  ["another object", { name: "other" }, undefined],
  ["another kind", { kind: "ConfigMap" }, undefined],
  ["another template", { where: { ...where, file: "other.yaml" } }, undefined],
  ["an unchanged object", {}, secret("new")],
  ["an updated object, if the template makes a random name", { name: "", path: [] }, secret("old")],
])("nothing is reported for %s", (_, field, before) => {
  expect(found(field, before)).toEqual([]);
});
