import type { Agreement, ApprovedPlans, ShownOperation } from "../../model/approval.ts";
import { takenWith } from "../../model/cluster/holder.ts";
import type { Deletion } from "../../model/deletion.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan, PlannedOperation } from "../../model/plan.ts";
import { actionIn, isAbout } from "../../model/problems/approval-codes.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { exactLine } from "../../redaction/terminal.ts";
import { visible } from "../../redaction/visible.ts";
import { diffChange } from "../diff/live-diff.ts";
import { linesOf } from "../diff/text-diff.ts";
import { goesToo } from "./expected-plan.ts";

/** Describes the differences of a plan from its approval; undefined without differences. */
export function describeAgreement(
  agreement: Agreement,
  plan: Plan,
  approved: ApprovedPlans,
): Problem | undefined {
  return agreement.type === "other"
    ? problemOf(agreement, plan, approved)
    : noticeOf(agreement, plan);
}

function noticeOf(
  agreement: Exclude<Agreement, { type: "other" }>,
  plan: Plan,
): Problem | undefined {
  const by = agreement.by.filter((each) => each !== "").join(" and ");
  const where = by === "" ? "" : ` in ${by}`;
  if (agreement.type === "same") {
    const what = `The plan does what was approved${where}`;
    return by === ""
      ? undefined
      : { code: "plan-approved", what, fix: "Nothing has to be done", where: [] };
  }
  const { restored, absent } = agreement;
  const less = lessThan(absent, where);
  return {
    code: "plan-approved-in-part",
    what: lines(
      restored.length === 0
        ? less
        : `Besides what was approved${where}, what others have changed becomes again what the running release declares`,
      [
        ...restored.map((each) => titleOf(each, plan)),
        ...(restored.length === 0 ? [] : toldOf(less, absent)),
      ],
    ),
    fix: "Nothing has to be done, if others were meant to change or to deploy it",
    where: [],
  };
}

function toldOf(less: string, absent: readonly string[]): readonly string[] {
  return absent.length === 0 ? [] : [less];
}

function lessThan({ length }: readonly string[], where: string): string {
  const are = length === 1 ? "is" : "are";
  return `Less is done than was approved${where}: ${operations(length)} of it ${are} done already, or not needed any more`;
}

function operations(number: number): string {
  return `${number} ${number === 1 ? "operation" : "operations"}`;
}

function problemOf(
  agreement: Agreement & { type: "other" },
  plan: Plan,
  { approvals, missing, shown }: ApprovedPlans,
): Problem {
  const given = approvals.length === 1 && approvals[0]?.by === "" ? approvals[0] : undefined;
  const differing =
    shown === undefined ? differencesByCodes(agreement, plan) : differences(shown, plan);
  const digest = plan.digest.slice(0, 12);
  if (given !== undefined) {
    const isKnown = shown !== undefined || given.operations !== undefined;
    const what = `The plan is ${digest}, not ${given.digest.slice(0, 12)} as expected: the cluster or the configuration has changed`;
    return {
      code: "plan-changed",
      what: lines(what, isKnown ? differing : whatItDoes(plan)),
      fix: isKnown
        ? fixOfCommand
        : `${fixOfCommand}; --expect-plan with the JSON of the approved one shows what differs`,
      where: [],
    };
  }
  const by = agreement.by.join(" and ");
  if (approvals.length === 0) {
    return {
      code: "plan-not-approved",
      what: lines("Nobody has approved this plan", [...missing.map(visible), ...whatItDoes(plan)]),
      fix: fixOfAction(digest),
      where: [],
    };
  }
  return {
    code: "plan-changed",
    what: lines(`The plan ${digest} does not do what was approved in ${by}`, [
      ...differing,
      ...missing.map(visible),
    ]),
    fix: fixOfAction(digest),
    where: [],
  };
}

const fixOfCommand = "Look at the new plan with --dry-run, and approve that one";

function fixOfAction(digest: string): string {
  return `If this is meant, deploy it with the digest ${digest}, as the input expect-digest of a run that is started by hand or as --expect-digest of \`qvs deploy\`; or open a pull request whose preview shows it`;
}

function lines(first: string, others: readonly string[]): string {
  return [first, ...shorten(others).map(indent)].join("\n");
}

function whatItDoes(plan: Plan): readonly string[] {
  const now = operationsOf(plan);
  return [
    `It would now${now.length === 0 ? " change nothing" : ":"}`,
    ...now.map(title).map(indent),
  ];
}

/**
 * Compares by operation codes alone. The current operation can be shown. The approved operation on
 * the same object is known only by its action.
 */
function differencesByCodes(
  { additional, absent, digestsOnly }: Agreement & { type: "other" },
  plan: Plan,
): readonly string[] {
  const diffs = new Map(plan.changes.map((change) => [change.key, change]));
  const told = (code: string) => additional.some(({ operation }) => isAbout(code, operation.key));
  const others = absent.filter((code) => !told(code)).length;
  return [
    ...additional.flatMap(({ operation, approved }) => {
      const known = titleOf(operation, plan);
      if (approved === undefined) return [`not approved: ${known}`];
      const before = actionIn(approved);
      if (before !== operation.action) return [`not approved: ${known} (approved: ${before})`];
      const taken = linesOfDeletion(plan.deletions.find(({ key }) => key === operation.key));
      if (operation.action === "delete" && taken.length === 0)
        return [`another object of this name: ${known}`];
      const change = diffs.get(operation.key);
      const diff = change === undefined ? [] : linesOf(diffChange(change, plan.hides));
      const changed = diff.filter((line) => /^[+-]/.test(line)).concat(taken);
      return [`other content: ${known}`, ...changed.map((line) => `  now: ${visible(line)}`)];
    }),
    ...(others === 0 ? [] : [`approved, but not done any more: ${operations(others)}`]),
    ...digestsOnly.map(
      ({ by, digest }) =>
        `the plan in ${by === "" ? "the file" : by} is known by its digest ${digest.slice(0, 12)} alone, so only the very same one counts as approved`,
    ),
  ];
}

function titleOf({ key, action }: PlannedOperation, { changes, deletions }: Plan): string {
  const id = [...changes, ...deletions].find((each) => each.key === key)?.id;
  return title({ action, name: id === undefined ? key : nameOf(id) });
}

function operationsOf(plan: Plan): readonly ShownOperation[] {
  const changes = plan.changes.filter(({ action }) => action !== "unchanged");
  return [
    ...changes.map((change) => ({
      action: change.action,
      name: nameOf(change.id),
      diff: linesOf(diffChange(change, plan.hides)),
    })),
    ...plan.deletions.map((deletion) => ({
      ...{ action: "delete", name: nameOf(deletion.id), diff: linesOfDeletion(deletion) },
    })),
  ];
}

function linesOfDeletion(deletion: Deletion | undefined): readonly string[] {
  return takenWith(deletion?.holds).map(goesToo);
}

/** Lists approved operations that are missing, operations without an approval, and changed ones. */
function differences(approved: readonly ShownOperation[], plan: Plan): readonly string[] {
  const now = operationsOf(plan);
  const [before, after] = [byTitle(approved), byTitle(now)];
  const found = [
    ...now.filter((one) => !before.has(title(one))).map((one) => `not approved: ${title(one)}`),
    ...approved
      .filter((one) => !after.has(title(one)))
      .map((one) => `approved, but not done any more: ${title(one)}`),
    ...now.flatMap((one) => changedContent(before.get(title(one)), one)),
  ];
  return found.length > 0 ? found : [unseen];
}

const unseen =
  "the same is done to objects of the same names, but in another order, with values that are not shown, or to other objects than those";

function byTitle(operations: readonly ShownOperation[]): ReadonlyMap<string, ShownOperation> {
  return new Map(operations.map((one) => [title(one), one]));
}

function changedContent(
  before: ShownOperation | undefined,
  now: ShownOperation,
): readonly string[] {
  if (before === undefined || before.diff.join("\n") === now.diff.join("\n")) return [];
  const [old, fresh] = [new Set(before.diff), new Set(now.diff)];
  return [
    `other content: ${title(now)}`,
    ...before.diff.filter((line) => !fresh.has(line)).map((line) => `  approved: ${visible(line)}`),
    ...now.diff.filter((line) => !old.has(line)).map((line) => `  now:      ${visible(line)}`),
  ];
}

function title({ action, name }: Pick<ShownOperation, "action" | "name">): string {
  return exactLine(`${action} ${name}`);
}

const mostLines = 60;

function shorten(all: readonly string[]): readonly string[] {
  const more = all.length - mostLines;
  return more > 0 ? [...all.slice(0, mostLines), `… and ${more} more lines`] : all;
}

function indent(line: string): string {
  return `  ${line}`;
}
