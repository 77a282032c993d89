import { isDeprecation } from "../../model/cluster/api-words/versions.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt, distinct, type Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 5;

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
      what: `${listed(
        changes.map(({ id }) => nameOf(id)),
        mostNames,
      )}: ${text}`,
      why: "",
      fix: "Replace it before a later version of the cluster no longer has it",
      where: distinct(changes.flatMap(({ key }) => declaredAt({ where: placeOf(key) }))),
    };
  });
}

/**
 * Reports paths of `ignore-changes` that match nothing.
 * A deployment has a notice with the same content.
 */
export function ignoredNothing({ plan }: PreflightInput): readonly Finding[] {
  return plan.notices
    .filter(({ code }) => code === "ignored-nothing")
    .flatMap(({ subjects, what, fix, where }): readonly Finding[] => {
      const change = plan.changes.find(({ id }) => subjects?.includes(nameOf(id)));
      if (change === undefined) return [];
      const object = addressOf(change.desired);
      return [{ code: "ignored-nothing", severity: "warning", object, what, why: "", fix, where }];
    });
}

/** Returns the notices that no finding repeats. */
export function untold({ notices }: Plan, findings: readonly Finding[]): readonly Problem[] {
  const codes = new Set<string>(findings.map(({ code }) => code));
  const refusals = findings.flatMap(({ code, why }) => (code === "never-fits" ? [why] : []));
  return notices.filter(
    ({ code, what }) =>
      !(toldByFindings.has(code) && codes.has(code)) &&
      !(
        code === "api-warning" &&
        refusals.some((why) => what.endsWith(`: would ${why.replace(/^violates/, "violate")}`))
      ),
  );
}

const toldByFindings: ReadonlySet<string> = new Set([
  "api-deprecated",
  "ignored-nothing",
  "missing-permission",
]);
