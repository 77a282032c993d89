import * as v from "valibot";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import { exactLine } from "../redaction/terminal.ts";
import { visible } from "../redaction/visible.ts";
import { diffChange } from "./diff/live-diff.ts";
import { linesOf } from "./diff/text-diff.ts";

/** The plan that somebody approved. */
export interface ExpectedPlan {
  /** In full, or by its first characters, as it is shown. */
  readonly digest: string;
  /** What it did, to tell what differs; undefined when only the digest is known. */
  readonly operations: readonly Operation[] | undefined;
}

/** One thing that a plan does, as a preview shows it. */
interface Operation {
  readonly action: string;
  readonly name: string;
  readonly diff: readonly string[];
}

/** What `qvs diff --format json` has written: the one source of an approved plan. */
export function parseExpectedPlan(text: string, file: string): Result<ExpectedPlan> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), preview), text);
  if (!parsed.success) {
    return failed([
      {
        code: "invalid-approved-plan",
        what: `${file} has no plan of this version`,
        fix: "Write it with `qvs diff --format json > plan.json`, of a deployment that was compared with its cluster",
        where: [],
      },
    ]);
  }
  const { digest, changes, deletions } = parsed.output;
  const operations = [
    ...changes.map(({ action, object, diff }) => ({ action, name: nameOf(object), diff })),
    ...deletions.map(({ object }) => ({ action: "delete", name: nameOf(object), diff: [] })),
  ];
  return ok({ digest, operations: operations.filter(({ action }) => action !== "unchanged") });
}

const object = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  name: v.string(),
}) satisfies v.GenericSchema<ObjectId>;

const preview = v.object({
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  changes: v.array(v.object({ action: v.string(), object, diff: v.array(v.string()) })),
  deletions: v.array(v.object({ object })),
});

/** Why a plan is not the one that was approved, with what differs; undefined when it is that one. */
export function problemOfOtherPlan(
  plan: Plan,
  expected: ExpectedPlan | undefined,
): Problem | undefined {
  if (expected === undefined) return undefined;
  const { digest, operations } = expected;
  if (digest.length >= 8 && plan.digest.startsWith(digest)) return undefined;
  const what = `The plan is ${plan.digest.slice(0, 12)}, not ${digest.slice(0, 12)} as expected: the cluster or the configuration has changed`;
  const now = operationsOf(plan);
  const lines =
    operations === undefined
      ? [`It would now${now.length === 0 ? " change nothing" : ":"}`, ...now.map(title).map(indent)]
      : differences(operations, now);
  return {
    code: "plan-changed",
    what: [what, ...shorten(lines).map(indent)].join("\n"),
    fix:
      operations === undefined
        ? "Look at the new plan with `qvs diff`, and approve that one; --expect-plan with the JSON of the approved one shows what differs"
        : "Look at the new plan with `qvs diff`, and approve that one",
    where: [],
  };
}

function operationsOf(plan: Plan): readonly Operation[] {
  const changes = plan.changes.filter(({ action }) => action !== "unchanged");
  return [
    ...changes.map((change) => ({
      action: change.action,
      name: nameOf(change.id),
      diff: linesOf(diffChange(change, plan.hides)),
    })),
    ...plan.deletions.map(({ id }) => ({ action: "delete", name: nameOf(id), diff: [] })),
  ];
}

/** What was approved and is no longer done, what is done and was not approved, and what is done otherwise. */
function differences(approved: readonly Operation[], now: readonly Operation[]): readonly string[] {
  const [before, after] = [byTitle(approved), byTitle(now)];
  const lines = [
    ...now.filter((one) => !before.has(title(one))).map((one) => `not approved: ${title(one)}`),
    ...approved
      .filter((one) => !after.has(title(one)))
      .map((one) => `approved, but not done any more: ${title(one)}`),
    ...now.flatMap((one) => changedContent(before.get(title(one)), one)),
  ];
  if (lines.length > 0) return lines;
  return [
    "the same is done to the same objects, but in another order or with values that are not shown",
  ];
}

function byTitle(operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  return new Map(operations.map((one) => [title(one), one]));
}

function changedContent(before: Operation | undefined, now: Operation): readonly string[] {
  if (before === undefined || before.diff.join("\n") === now.diff.join("\n")) return [];
  const [old, fresh] = [new Set(before.diff), new Set(now.diff)];
  return [
    `other content: ${title(now)}`,
    ...before.diff.filter((line) => !fresh.has(line)).map((line) => `  approved: ${visible(line)}`),
    ...now.diff.filter((line) => !old.has(line)).map((line) => `  now:      ${visible(line)}`),
  ];
}

function title({ action, name }: Operation): string {
  return exactLine(`${action} ${name}`);
}

const mostLines = 60;

function shorten(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `… and ${more} more lines`] : lines;
}

function indent(line: string): string {
  return `  ${line}`;
}
