import { expect, test } from "vitest";
import type { Stage } from "../../../../src/model/sources/compilation.ts";
import { buildGraph, orderObjects } from "../../../../src/plan/order/order.ts";
import { fc } from "../../../support/fast-check.ts";
import { shown, text } from "../../../support/plan/declare.ts";

/** Compares the order of lines such as `stage name` or `stage name after name, name`. */
function check(lines: string, expected: string): void {
  const { objects, graph } = parse(lines);
  const order = orderObjects(objects, graph);
  expect(shown(order, (all) => all.map(({ stage, key }) => `${stage} ${key}`).join("\n"))).toBe(
    text(expected),
  );
}

function parse(lines: string) {
  const steps = text(lines)
    .split("\n")
    .map((line) => {
      const [what = "", after = ""] = line.split(" after ");
      const [stage, key = ""] = what.split(" ");
      return { stage: stage as Stage, key, after: after === "" ? [] : after.split(", ") };
    });
  const links = steps.flatMap(({ key, after }) =>
    after.map((on) => ({ from: key, on, reason: "test" })),
  );
  return { objects: steps, graph: buildGraph(links, []) };
}

test("independent objects are sorted by key, appSetup first", () => {
  check(
    `
    app a
    appSetup c
    app B
    appSetup b
    `,
    `
    appSetup b
    appSetup c
    app B
    app a
    `,
  );
});

test("the dependencies of an object are directly before it", () => {
  check(
    `
    app a after z
    app b
    app y
    app z after y
    `,
    `
    app y
    app z
    app a
    app b
    `,
  );
});

test("an edge to an object outside the deployment doesn't change the order", () => {
  check(`app a after elsewhere`, `app a`);
});

test("each cycle is reported with all of its edges", () => {
  check(
    `
    app a after b
    app b after a
    app c after d, a
    app d after e
    app e after c
    `,
    `
    a depends on itself through other objects
      cycle: a → b → a
      dependency: test
      → Remove one of these dependencies from its annotation or reference
    c depends on itself through other objects
      cycle: c → d → e → c
      dependency: test
      → Remove one of these dependencies from its annotation or reference
    `,
  );
});

const keys = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 20 });

/** A deployment without cycles: each object depends only on earlier ones in a hidden order. */
const deployments = keys.chain((names) =>
  fc.record({
    objects: fc.constant(
      names.map((key, index) => ({
        key,
        stage: (index < names.length / 2 ? "appSetup" : "app") as Stage,
      })),
    ),
    links: fc
      .array(fc.tuple(fc.nat(names.length - 1), fc.nat(names.length - 1)), { maxLength: 60 })
      .map((pairs) =>
        pairs
          .filter(([a, b]) => a !== b)
          .map(([a, b]) => ({
            from: names[Math.max(a, b)] as string,
            on: names[Math.min(a, b)] as string,
            reason: "property",
          })),
      ),
  }),
);

test("every object is after its dependencies, and app is after appSetup", () => {
  fc.assert(
    fc.property(deployments, ({ objects, links }) => {
      const order = orderObjects(objects, buildGraph(links, []));
      if (!order.ok) throw new Error("no cycle was made");
      const place = new Map(order.value.map(({ key }, index) => [key, index]));
      expect(order.value).toHaveLength(objects.length);
      for (const { from, on } of links) {
        expect(place.get(on)).toBeLessThan(place.get(from) ?? -1);
      }
      const stages = order.value.map(({ stage }) => stage);
      expect(stages).toEqual(stages.toSorted((a, b) => (a === b ? 0 : a === "appSetup" ? -1 : 1)));
    }),
  );
});

test("the order does not depend on the order of the input", () => {
  fc.assert(
    fc.property(deployments, fc.infiniteStream(fc.nat()), ({ objects, links }, random) => {
      const shuffled = objects
        .map((object) => ({ object, at: random.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ object }) => object);
      const again = orderObjects(shuffled, buildGraph(links.toReversed(), []));
      expect(again).toEqual(orderObjects(objects, buildGraph(links, [])));
    }),
  );
});

test("inferred edges never close a cycle", () => {
  const anyLinks = fc.array(
    fc.record({
      from: fc.constantFrom("a", "b", "c", "d", "e"),
      on: fc.constantFrom("a", "b", "c", "d", "e"),
      reason: fc.constant("property"),
    }),
  );
  const objects = ["a", "b", "c", "d", "e"].map((key) => ({ key, stage: "app" as Stage }));
  fc.assert(
    fc.property(anyLinks, (links) => {
      expect(orderObjects(objects, buildGraph([], links)).ok).toBe(true);
    }),
  );
});

test("a chain of dependencies can be longer than the stack", { tags: "slow" }, () => {
  const length = 20_000;
  const names = Array.from({ length }, (_, index) => `ConfigMap shop/${index}`);
  const objects = names.map((key) => ({ key, stage: "app" as Stage }));
  const links = names.slice(1).map((on, index) => ({
    from: names[index] as string,
    on,
    reason: "dependsOn",
  }));
  const order = orderObjects(objects, buildGraph(links, []));
  expect(order.ok && order.value.map(({ key }) => key)).toEqual(names.toReversed());
  const cycle = orderObjects(
    objects,
    buildGraph(
      [...links, { from: names.at(-1) ?? "", on: names[0] ?? "", reason: "dependsOn" }],
      [],
    ),
  );
  expect(cycle.ok).toBe(false);
});
