import { expect, test } from "vitest";
import { keyOf } from "../../../src/model/object.ts";
import { trialNamespace } from "../../../src/plan/dry-runs.ts";
import { declare } from "../../support/plan/declare.ts";

const namespace = (name: string) =>
  `appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`;
const config = "app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";

test.each([
  { of: "a namespace of releases that is there", declared: config, live: [], expected: "shop" },
  {
    of: "one that is declared and there",
    declared: namespace("shop"),
    live: ["shop"],
    expected: "shop",
  },
  { of: "a new one", declared: namespace("shop"), live: [], expected: "default" },
  { of: "another new one", declared: namespace("extra"), live: [], expected: "shop" },
])(
  "an object that can't be dry-run yet is tried in $expected: $of",
  ({ declared, live, expected }) => {
    const objects = declare(`${declared}\n`);
    const there = new Map(
      live.map((name) => {
        const id = { group: "", kind: "Namespace", namespace: "", name };
        return [keyOf(id), { apiVersion: "v1", kind: "Namespace", metadata: { name } }];
      }),
    );
    expect(trialNamespace({ objects }, there, { namespace: "shop" })).toBe(expected);
  },
);
