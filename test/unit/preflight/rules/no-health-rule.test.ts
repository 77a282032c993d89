import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import type { UnruledKind } from "../../../../src/preflight/cluster-facts.ts";
import { computeFindings } from "../../../../src/preflight/compute-findings.ts";
import { noHealthRule } from "../../../../src/preflight/rules/no-health-rule.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, noFacts } from "./run-rule.ts";

const widget = (name: string, annotations = "{}") => `
app/${name}:
  apiVersion: shop.example/v1
  kind: Widget
  metadata: {name: ${name}, annotations: ${annotations}}
`;

const dependent = `
app/after:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: after, annotations: {vs.axis-dev.io/dependsOn: "shop.example:Widget::shop/one"}}
`;

const unruled = (...names: readonly string[]): ReadonlyMap<string, UnruledKind> =>
  new Map([
    [
      "shop.example/Widget",
      {
        ...{ apiVersion: "shop.example/v1", kind: "Widget" },
        keys: names.map((name) => `shop.example:Widget::shop/${name}`),
        rule: {
          failed: "status.phase in ['Failed', 'Lost']",
          current: "status.phase == 'Ready'",
          basis: "schema",
        },
      },
    ],
  ]);

describe("a kind without a health rule", () => {
  it("is a note if nothing waits for its object", () => {
    const plan = requirePlan({ declared: widget("one") });
    expect(
      findingsText(noHealthRule, plan, { unruledKinds: unruled("one") }),
    ).toMatchInlineSnapshot(`
        "note: Widget shop/one: no health rule for the kind Widget
          It counts as ready if its controller reports no status within 30 s"
      `);
  });

  it("is a warning if a deletion waits for it", () => {
    const plan = requirePlan({ before: widget("old"), declared: widget("one") });
    expect(
      findingsText(noHealthRule, plan, { unruledKinds: unruled("one") }),
    ).toMatchInlineSnapshot(`
        "warning: Widget shop/one: no health rule for the kind Widget
          It counts as ready if its controller reports no status within 30 s. The deletion of Widget shop/old waits for it"
      `);
  });

  it("is a warning if another object waits for it", () => {
    const plan = requirePlan({ declared: widget("one") + dependent });
    expect(
      findingsText(noHealthRule, plan, { unruledKinds: unruled("one") }),
    ).toMatchInlineSnapshot(`
        "warning: Widget shop/one: no health rule for the kind Widget
          It counts as ready if its controller reports no status within 30 s. ConfigMap shop/after waits for it"
      `);
  });

  it("is reported once for all its objects, about one for which something waits", () => {
    const plan = requirePlan({ declared: widget("a") + widget("one") + widget("z") + dependent });
    expect(
      findingsText(noHealthRule, plan, { unruledKinds: unruled("a", "one", "z") }),
    ).toMatchInlineSnapshot(`
        "warning: Widget shop/one and 2 more of this kind: no health rule for the kind Widget
          It counts as ready if its controller reports no status within 30 s. ConfigMap shop/after waits for it"
      `);
  });

  it("says that an updated object counts as ready at once", () => {
    const plan = requirePlan({
      before: widget("one"),
      declared: widget("one", "{size: large}"),
    });
    expect(
      findingsText(noHealthRule, plan, { unruledKinds: unruled("one") }),
    ).toMatchInlineSnapshot(`
        "note: Widget shop/one: no health rule for the kind Widget
          It has no state in its status, so it counts as ready as soon as it is written"
      `);
  });
});

test("a kind with a rule isn't reported", () => {
  const plan = requirePlan({ before: widget("old"), declared: widget("one") });
  expect(findingsText(noHealthRule, plan, {})).toBe("");
});

test("the lines to paste are the health rules of a config", () => {
  const plan = requirePlan({ declared: widget("one") });
  const [finding] = noHealthRule({
    plan,
    facts: { ...noFacts, unruledKinds: unruled("one") },
    releases: { declared: new Set() },
    placeOf: () => undefined,
  });
  expect(parse((finding?.paste ?? []).join("\n"))).toEqual({
    health: [
      {
        apiVersion: "shop.example/v1",
        kind: "Widget",
        failed: "status.phase in ['Failed', 'Lost']",
        current: "status.phase == 'Ready'",
      },
    ],
  });
});

describe("the annotation allow", () => {
  const allow = "{vs.axis-dev.io/allow: no-health-rule}";
  const openFindings = (declared: string, ...names: readonly string[]) =>
    computeFindings({
      plan: requirePlan({ declared }),
      facts: { ...noFacts, unruledKinds: unruled(...names) },
      releases: { declared: new Set() },
      placeOf: () => undefined,
    }).map(
      ({ object, allowed }) => `${object.name}: ${allowed === undefined ? "open" : "allowed"}`,
    );

  it("allows the finding of the only object", () => {
    expect(openFindings(widget("one", allow), "one")).toEqual(["one: allowed"]);
  });

  it("allows it only if all objects have it", () => {
    const declared = widget("a", allow) + widget("one");
    expect(openFindings(declared, "a", "one")).toEqual(["one: open"]);
  });
});
