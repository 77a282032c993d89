import { expect, test } from "vitest";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import { withHolder } from "../../../../src/plan/changes/problems/held-by-another.ts";

const classNamed = (name: string): KubeObject => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value: 5,
  globalDefault: true,
});

const what =
  'PriorityClass new: priorityclasses.scheduling.k8s.io "new" is forbidden: PriorityClass old is already marked as default. Only one default can exist';

/** The cure where these objects are of the deployment, of which some are still declared. */
function cure(
  recorded: readonly KubeObject[],
  declared: readonly KubeObject[] = [],
  said = what,
): string {
  const desired = classNamed("new");
  const entries = (objects: readonly KubeObject[]) =>
    objects.map((object) => [keyOf(idOf(object)), object] as const);
  const input = {
    desired: { byKey: new Map(entries(declared)) },
    observed: {
      live: new Map(entries(recorded)),
      inventory: recorded.map((object) => ({ id: idOf(object) })),
    },
  };
  const of = { object: desired, id: idOf(desired), key: keyOf(idOf(desired)) };
  const problem = { code: "admission-denied", what: said, where: [], fix: "Allow it" } as const;
  return withHolder(problem, of as never, undefined, input as never).fix;
}

test("what is deleted in the end still has it", () => {
  expect(cure([classNamed("old")])).toBe(
    "PriorityClass old has it until it is deleted, which comes last: keep the name old, or deploy once without PriorityClass new before, or set globalDefault in only one of them",
  );
});

test("what stays has it", () => {
  expect(cure([classNamed("old")], [classNamed("old")])).toBe(
    "PriorityClass old has it: set globalDefault in only one of them",
  );
});

test("an object of others has it", () => {
  expect(cure([])).toBe("Another object has it: set globalDefault in only one of them");
});

test("other refusals keep their cure", () => {
  expect(cure([classNamed("old")], [], "PriorityClass new: value: Invalid value: 5")).toBe(
    "Allow it",
  );
});
