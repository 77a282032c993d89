import { allowAnnotation, allowedCodes, waitAnnotation } from "../../model/annotations.ts";
import { annotation, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import {
  findReadinessDependents,
  type ReadinessDependents,
  readinessDependents,
} from "../../model/plan/readiness-dependents.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { UnruledKind } from "../cluster-facts.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports each custom kind whose changed objects can't show when they are ready. It is a warning if
 * something waits for one of them.
 */
export function noHealthRule({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  if (facts.unruledKinds.size === 0) return [];
  const hasDependents = findReadinessDependents(plan);
  return [...facts.unruledKinds.values()].flatMap((kind): readonly Finding[] => {
    const keys = new Set(kind.keys);
    const changes = plan.changes.filter(({ key }) => keys.has(key));
    const subject = mainSubject(changes.filter(hasDependents)) ?? mainSubject(changes);
    if (subject === undefined) return [];
    const waiting = hasDependents(subject) ? waitingText(plan, subject) : undefined;
    const others = changes.length - 1;
    return [
      changeFinding(subject, placeOf, {
        code: "no-health-rule",
        severity: waiting === undefined ? "note" : "warning",
        what: `${nameOf(subject.id)}${others > 0 ? ` and ${others} more of this kind` : ""}: no health rule for the kind ${kind.kind}`,
        why: [limitText(subject), waiting].filter(Boolean).join(". "),
        fix: `${ruleFix(kind)}, or set the annotation ${waitAnnotation}: "false"`,
        paste: ruleLines(kind),
      }),
    ];
  });
}

/**
 * Returns the object that the finding names. An object that allows the finding must not hide it for
 * the others.
 */
function mainSubject(changes: readonly Change[]): Change | undefined {
  return changes.find((change) => !allowsFinding(change)) ?? changes[0];
}

function allowsFinding({ desired }: Change): boolean {
  return allowedCodes(annotation(desired, allowAnnotation) ?? "").includes("no-health-rule");
}

function limitText({ action }: Change): string {
  return action === "update"
    ? "It has no state in its status, so it counts as ready as soon as it is written"
    : "It counts as ready if its controller reports no status within 30 s";
}

/** Names the dependents that wait until the object is ready. There must be some. */
function waitingText(plan: Plan, change: Change): string {
  const [subject, isPlural] = describeDependents(readinessDependents(plan, change));
  return `${subject} ${isPlural ? "wait" : "waits"} for it`;
}

function describeDependents({
  changes,
  deletions,
}: ReadinessDependents): readonly [string, boolean] {
  const [deleted] = deletions;
  const [first] = changes;
  if (deleted !== undefined) {
    const name = nameOf(deleted.id);
    return deletions.length === 1
      ? [`The deletion of ${name}`, false]
      : [`${deletions.length} deletions, such as ${name},`, true];
  }
  if (first === undefined) return ["A check", false];
  const name = nameOf(first.id);
  return changes.length === 1 ? [name, false] : [`${name} and ${changes.length - 1} more`, true];
}

function ruleFix({ rule: { basis } }: UnruledKind): string {
  switch (basis) {
    case "schema":
      return "Add this health rule to qvs.yaml";
    case "guess":
      return 'Add this health rule to qvs.yaml, with the value that the controller sets instead of "Ready"';
    case "any status":
      return "Add this health rule to qvs.yaml, which waits until the controller reports a status";
  }
}

function ruleLines({ apiVersion, kind, rule }: UnruledKind): readonly string[] {
  return [
    "health:",
    `  - apiVersion: ${apiVersion}`,
    `    kind: ${kind}`,
    ...(rule.failed === undefined ? [] : [`    failed: ${rule.failed}`]),
    `    current: ${rule.current}`,
  ];
}
