import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces, type Position } from "../../model/problems/problem.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Reports health rules of the user that read a field which the definition of the kind in the
 * cluster doesn't have. Such an expression is never true. If it is `current`, the deployment waits
 * until its timeout.
 */
export function unknownHealthField({
  plan,
  facts,
}: Pick<PreflightInput, "plan" | "facts">): readonly Finding[] {
  return facts.healthRuleFaults.flatMap(
    ({ key, expression, field, meant, source }): readonly Finding[] => {
      const change = plan.changes.find((each) => each.key === key);
      if (change === undefined) return [];
      return [
        {
          code: "unknown-health-field",
          severity: expression === "current" ? "error" : "warning",
          object: addressOf(change.desired),
          what: `${nameOf(change.id)}: ${expression} in the health rule of ${change.id.kind} reads the unknown field "${field}"`,
          why: "The CustomResourceDefinition in the cluster has no such field, so the expression has no value",
          fix:
            meant === undefined
              ? "Use a field of the CustomResourceDefinition"
              : `Did you mean "${meant}"?`,
          where: declarationPlaces({ where: positionOf(source) }),
        },
      ];
    },
  );
}

/** Returns the position of a rule. A rule records its file and its line. */
function positionOf(source: string): Position | undefined {
  const [, file, line] = /^(.+):(\d+)$/.exec(source) ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: 1 };
}
