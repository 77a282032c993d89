import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { type JsonObject, sameJson } from "../../model/json.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Kinds that users keep for their content.
 * A rollback needs the earlier content of ConfigMaps and Secrets. Users keep other kinds for their
 * data, such as claims.
 */
const keptContentKinds: ReadonlySet<string> = new Set(["ConfigMap", "Secret"]);

export function noUniqueName({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(overwrites).map((change) =>
    changeFinding(change, placeOf, {
      code: "no-unique-name",
      severity: "warning",
      what: `${nameOf(change.id)}: its earlier content isn't kept`,
      why: `Its content changes under the same name. With ${keepOnDeleteAnnotation}, qvs keeps only objects whose name is no longer declared`,
      fix: "Make its name depend on its content, for example with a hash",
    }),
  );
}

function overwrites({ id, action, live, predicted, desired, dryRunSkipped }: Change): boolean {
  if (action !== "update" || live === undefined || dryRunSkipped !== undefined) return false;
  // A chart keeps an object for its data, under the same name.
  const isKeptByChart = annotation(desired, "helm.sh/resource-policy") !== undefined;
  const isKept = annotation(desired, keepOnDeleteAnnotation) !== undefined && !isKeptByChart;
  const concerns = id.group === "" && keptContentKinds.has(id.kind);
  return isKept && concerns && !sameJson(objectContent(live), objectContent(predicted ?? desired));
}

function objectContent({ metadata: _metadata, ...content }: KubeObject): JsonObject {
  return content;
}
