import { expect, test } from "vitest";
import { problemsOfDryRun } from "../../../src/plan/changes/dry-run-problems.ts";
import type { DesiredObject } from "../../../src/plan/declared/objects.ts";
import { refused } from "../../support/fake-cluster.ts";
import { declare } from "../declare.ts";

const misspelt = `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: web, ports: [{containerPrt: 80}]}]}}}
`;

test("a refusal is about its fields as compiling calls them, so that both are told as one", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const field = '.spec.template.spec.containers[name="web"].ports[containerPort=0,protocol="TCP"]';
  const message = `failed to create typed patch object: ${field}.containerPrt: field not declared in schema`;
  const { failure } = refused("invalid", 500, message);
  const problems = problemsOfDryRun(web as DesiredObject, undefined, failure);
  expect(problems.map(({ about }) => about)).toEqual([
    [
      {
        resource: "app/web",
        fields: ["spec.template.spec.containers[0].ports[0].containerPrt"],
      },
    ],
  ]);
});
