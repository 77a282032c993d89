import { expect, test } from "vitest";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import { withClaimHolder } from "../../../../src/plan/changes/decide-by-dry-run.ts";

const classNamed = (name: string): KubeObject => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value: 5,
  globalDefault: true,
});

const answer =
  'priorityclasses.scheduling.k8s.io "new" is forbidden: PriorityClass old is already marked as default. Only one default can exist';

/** Returns the fix if these objects belong to the deployment and some are still declared. */
function fixFor(
  recorded: readonly KubeObject[],
  declared: readonly KubeObject[] = [],
  message = answer,
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
  const problem = {
    code: "admission-denied",
    what: "PriorityClass new: the API server denies the request",
    facts: [{ label: "answer", value: message }],
    where: [],
    fix: "Allow it",
  } as const;
  const {
    why,
    fix,
    otherwise = [],
  } = withClaimHolder(problem, of as never, undefined, input as never);
  return [why, fix, ...otherwise].filter((text) => text !== undefined).join("\n");
}

test("an object that is deleted last still has the value", () => {
  expect(fixFor([classNamed("old")])).toBe(
    [
      "PriorityClass old has this value until qvs deletes it, which is the last step",
      "Keep the name old",
      "first deploy once without PriorityClass new",
      "set globalDefault in only one of them",
    ].join("\n"),
  );
});

test("an object that isn't deleted has the value", () => {
  expect(fixFor([classNamed("old")], [classNamed("old")])).toBe(
    "PriorityClass old already has this value\nSet globalDefault in only one of them",
  );
});

test("an object outside this deployment has the value", () => {
  expect(fixFor([])).toBe(
    "Another object already has this value\nSet globalDefault in only one of them",
  );
});

test("other rejections keep their fix", () => {
  expect(fixFor([classNamed("old")], [], "Invalid value: 5")).toBe("Allow it");
});
