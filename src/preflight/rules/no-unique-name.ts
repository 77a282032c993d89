import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { type JsonObject, sameJson } from "../../model/json.ts";
import { addressOf, annotation, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Kinds that users keep for their content.
 * A rollback needs the earlier content of ConfigMaps and Secrets. Users keep other kinds for their
 * data, such as claims.
 */
const keptForTheirContent: ReadonlySet<string> = new Set(["ConfigMap", "Secret"]);

export function noUniqueName({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(overwrites).map(({ key, id, desired }) => ({
    code: "no-unique-name",
    severity: "warning",
    object: addressOf(desired),
    what: `${nameOf(id)} is annotated ${keepOnDeleteAnnotation}, but its content changes under the same name, so nothing of the earlier content is kept`,
    why: "only an object whose name is no longer declared is kept",
    fix: "Make its name depend on its content, such as by a hash of it",
    where: declaredAt({ where: placeOf(key) }),
  }));
}

function overwrites({ id, action, live, predicted, desired, unasked }: Change): boolean {
  if (action !== "update" || live === undefined || unasked !== undefined) return false;
  const isKept = annotation(desired, keepOnDeleteAnnotation) !== undefined;
  const concerns = id.group === "" && keptForTheirContent.has(id.kind);
  return isKept && concerns && !sameJson(contentOf(live), contentOf(predicted ?? desired));
}

function contentOf({ metadata: _metadata, ...content }: KubeObject): JsonObject {
  return content;
}
