import { expect, test } from "vitest";
import { driftedObjects } from "../../../../src/plan/drift/drifted-objects.ts";
import {
  describeDriftedObject,
  driftedFieldText,
} from "../../../../src/report/drift/drift-text.ts";
import { reportOf, type Situation } from "../../../support/report/report-of.ts";

const map = (data: string, metadata = "") => `
apiVersion: v1
kind: ConfigMap
metadata: {name: it${metadata}}
data: ${data}
`;

const owned = (manager: string, fields: string, operation = "Update") =>
  `{manager: ${manager}, operation: ${operation}, time: "2026-11-19T09:30:00Z", fieldsV1: ${fields}}`;

const owners = (...entries: readonly string[]) => `, managedFields: [${entries.join(", ")}]`;

const ownedByQvs = (fields: string) => owned("qvs-shop-staging-app", fields, "Apply");

const cases: readonly {
  readonly name: string;
  /** The manifest of the current release. `live` is the object in the cluster. */
  readonly recorded: string;
  readonly live: string;
  readonly predicted?: Situation["predicted"];
  readonly expected: string;
}[] = [
  {
    name: "nothing has drifted",
    recorded: map("{a: b}"),
    live: map("{a: b}"),
    expected: "",
  },
  {
    name: "a field has another value",
    recorded: map("{a: b}"),
    live: map(
      "{a: c}",
      owners(ownedByQvs("{f:data: {f:a: {}}}"), owned("kubectl-edit", "{f:data: {f:a: {}}}")),
    ),
    expected: "changed it: data.a: c instead of b (kubectl-edit, since 2026-11-19T09:30:00Z)",
  },
  {
    name: "a field has the same characters, but is no longer a string",
    recorded: map('{a: "80"}'),
    live: map("{a: 80}"),
    expected: 'changed it: data.a: 80 instead of "80"',
  },
  {
    name: "a missing field, removed by an unknown manager",
    recorded: map("{a: b, c: d}"),
    live: map("{a: b}"),
    expected: "changed it: data.c: no value instead of d",
  },
  {
    name: "a missing object",
    recorded: `${map("{a: b}")}---\n${map("{a: b}").replace("name: it", "name: that")}`,
    live: map("{a: b}"),
    expected: "missing that",
  },
  {
    name: "an object that was deleted and recreated manually",
    recorded: map("{a: b}"),
    live: map(
      "{a: c}",
      `, creationTimestamp: "2026-11-19T09:30:00Z"${owners(owned("kubectl-create", "{f:data: {f:a: {}}}"))}`,
    ),
    expected:
      "changed it (recreated by kubectl-create, since 2026-11-19T09:30:00Z): data.a: c instead of b (kubectl-create, since 2026-11-19T09:30:00Z)",
  },
  {
    name: "an object that was replaced as a whole",
    recorded: map("{a: b}"),
    live: map(
      "{a: c}",
      `, creationTimestamp: "2026-11-18T09:30:00Z"${owners(owned("kubectl-replace", "{f:data: {f:a: {}}}"))}`,
    ),
    expected: "changed it: data.a: c instead of b (kubectl-replace, since 2026-11-19T09:30:00Z)",
  },
  {
    name: "an object that is being deleted, whatever else differs",
    recorded: map("{a: b}"),
    live: map("{a: c}", ", deletionTimestamp: 2026-11-19T09:30:00Z, finalizers: [a/b]"),
    expected: "missing it (terminating since 2026-11-19T09:30:00Z)",
  },
  {
    name: "an object that is being deleted, and nothing else",
    recorded: map("{a: b}"),
    live: map("{a: b}", ", deletionTimestamp: 2026-11-19T09:30:00Z, finalizers: [a/b]"),
    expected: "missing it (terminating since 2026-11-19T09:30:00Z)",
  },
  {
    name: "an object exists that no release declares any more",
    recorded: map("{a: b}"),
    live: `${map("{a: b}")}---\n${map("{a: b}").replace("name: it", "name: that")}`,
    expected: "",
  },
];

test.each(cases)("drift is reported: $name", ({ recorded, live, predicted = {}, expected }) => {
  const { plan, attributions } = reportOf({ recorded, head: recorded, live, predicted });
  if (plan === undefined || attributions === undefined) throw new Error("it is planned");
  expect(driftText(driftedObjects(plan, attributions))).toBe(expected);
});

test("a field of another manager is reported with the recorded value", () => {
  const recorded = map("{a: b, c: d}");
  const metadata = owners(
    ownedByQvs("{f:data: {f:c: {}}}"),
    owned("kubectl-edit", "{f:data: {f:a: {}}, f:metadata: {f:labels: {f:team: {}}}}"),
    owned("other", "{f:data: {f:c: {}}}"),
  );
  const { plan, attributions } = reportOf({
    recorded,
    head: recorded,
    live: map("{a: b, c: d}", metadata),
  });
  if (plan === undefined || attributions === undefined) throw new Error("it is planned");
  // The server's answer differs only in the field owners, which the simulated plan doesn't contain.
  const changes = plan.changes.map(
    (change) => ({ ...change, action: "update", steps: [{ type: "apply" }] }) as const,
  );
  expect(driftText(driftedObjects({ ...plan, changes }, attributions))).toBe(
    "taken over it: data.a (kubectl-edit, since 2026-11-19T09:30:00Z)",
  );
  const skipReason = "others have put values into it";
  const hidden = changes.map((change) => ({ ...change, dryRunSkipped: skipReason }));
  expect(driftText(driftedObjects({ ...plan, changes: hidden }, attributions))).toBe(
    "changed it (others have put values into it): data.a (kubectl-edit, since 2026-11-19T09:30:00Z)",
  );
});

test("an object with a value known after deploy isn't reported as drift", () => {
  const recorded = map("{a: b}");
  const { plan, attributions } = reportOf({ recorded, head: recorded, live: recorded });
  if (plan === undefined || attributions === undefined) throw new Error("it is planned");
  const reason = "depends on a value of Service web that is known after deploy";
  const changes = plan.changes.map(
    (change) =>
      ({
        ...change,
        action: "update",
        steps: [{ type: "apply" }],
        predicted: change.desired,
        certainty: { by: "unchecked", reason },
      }) as const,
  );
  expect(driftText(driftedObjects({ ...plan, changes }, attributions))).toBe(
    "changed it (depends on a value of Service web that is known after deploy)",
  );
});

test("every deletion of the plan is reported as an additional object", () => {
  const { plan, attributions } = reportOf({
    recorded: `${map("{a: b}")}---\n${map("{a: b}").replace("name: it", "name: that")}`,
    head: map("{a: b}"),
  });
  if (plan === undefined || attributions === undefined) throw new Error("it is planned");
  expect(driftText(driftedObjects(plan, attributions))).toBe("extra that");
});

function driftText(objects: ReturnType<typeof driftedObjects>): string {
  return objects
    .map((object) => {
      const { kind, id, fields } = object;
      const notes = describeDriftedObject(object, undefined).map((note) => ` (${note})`);
      const words = fields.map((field) => driftedFieldText(field, kind, undefined));
      return `${kind} ${id.name}${notes.join("")}${words.length === 0 ? "" : `: ${words.join(", ")}`}`;
    })
    .join("; ");
}
