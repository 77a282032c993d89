import { expect, test } from "vitest";
import type { RollbackObstacle, RollbackPreview } from "../../../src/model/predictions.ts";
import { rollbackLine } from "../../../src/report/rollback-line.ts";

const none = { lost: [], reasons: [], notes: [], needs: [] };

function obstacle(name: string, what: string): RollbackObstacle {
  const object = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name };
  return { object, what, why: "", fix: "" };
}

const cases: readonly (readonly [string, Omit<RollbackPreview, "to">])[] = [
  ["Rollback: possible, 1 object, nothing lost", { ...none, possible: true, objects: 1 }],
  [
    "Rollback: possible with allow-delete: Namespace, 2 objects, nothing lost. Namespace x is deleted",
    {
      ...{ ...none, possible: true, objects: 2, needs: ["allow-delete: Namespace"] },
      notes: [obstacle("x", "Namespace x is deleted")],
    },
  ],
  [
    "Rollback: possible, 2 objects, not restored: ConfigMap shop/a, ConfigMap shop/b",
    { ...none, possible: true, objects: 2, lost: [obstacle("b", "b"), obstacle("a", "a")] },
  ],
  [
    "Rollback: not possible: ConfigMap shop/a: data is immutable",
    {
      ...{ ...none, possible: false, objects: 1 },
      reasons: [obstacle("a", "ConfigMap shop/a: data is immutable")],
      notes: [obstacle("b", "ConfigMap shop/b stays")],
    },
  ],
  [
    "Rollback: not predicted: qvs can't list Gadget",
    { ...none, objects: 0, reasons: [obstacle("a", "qvs can't list Gadget")] },
  ],
];

test.each(cases)("%s", (line, rollback) => {
  expect(rollbackLine({ to: 3, ...rollback })).toBe(line);
});
