import { isDeprecation } from "../../model/cluster/api/messages/api-message.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces, distinct, type Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { PreflightInput } from "../rule.ts";
import { noticeReason } from "./sentences.ts";

const maxNames = 5;

/** Reports deprecation warnings of the API server, once for all affected objects. */
export function apiDeprecated({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const warned = plan.changes.flatMap((change) =>
    (change.warnings ?? [])
      .filter((text) => isDeprecation({ message: text }))
      .map((text) => ({ text, change })),
  );
  return [...Map.groupBy(warned, ({ text }) => text)].map(([text, alike]) => {
    const changes = alike.map(({ change }) => change);
    return {
      code: "api-deprecated",
      severity: "warning",
      object: addressOf((changes[0] as Change).desired),
      what: `${summarizeList(
        changes.map(({ id }) => nameOf(id)),
        maxNames,
      )}: the API server reports a deprecation`,
      why: text,
      fix: "Replace the deprecated part before you upgrade to a version of Kubernetes without it",
      where: distinct(changes.flatMap(({ key }) => declarationPlaces({ where: placeOf(key) }))),
    };
  });
}

/**
 * Reports paths of `ignore-changes` that match nothing.
 * A deployment has a notice with the same content.
 */
export function ignorePathUnmatched({ plan }: PreflightInput): readonly Finding[] {
  return plan.notices
    .filter(({ code }) => code === "ignore-path-unmatched")
    .flatMap((notice): readonly Finding[] => {
      const { subjects, what, where } = notice;
      const change = plan.changes.find(({ id }) => subjects?.includes(nameOf(id)));
      if (change === undefined) return [];
      const object = addressOf(change.desired);
      const [why, fix] = [noticeReason(notice), listFixes(notice).join(", ")];
      return [
        { code: "ignore-path-unmatched", severity: "warning", object, what, why, fix, where },
      ];
    });
}

/** Returns the notices that no finding repeats. */
export function unreportedNotices(
  { notices }: Plan,
  findings: readonly Finding[],
): readonly Problem[] {
  const codes = new Set<string>(findings.map(({ code }) => code));
  const refusals = findings.flatMap(({ code, why }) => (code === "never-fits" ? [why] : []));
  return notices.filter(
    (notice) =>
      !(codesInFindings.has(notice.code) && codes.has(notice.code)) &&
      !(notice.code === "api-warning" && refusals.some((why) => announcesRejection(notice, why))),
  );
}

/** Reports whether a warning of the API server announces a rejection that a finding predicts. */
function announcesRejection({ what, why = "", facts = [] }: Problem, refusal: string): boolean {
  const warning = `would ${refusal.replace(/^violates/, "violate")}`;
  return [what, why, ...facts.map(({ value }) => value)].some((text) => text.endsWith(warning));
}

const codesInFindings: ReadonlySet<string> = new Set([
  "api-deprecated",
  "ignore-path-unmatched",
  "missing-permission",
]);
