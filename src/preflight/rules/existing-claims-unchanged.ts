import {
  deletesOwnClaims,
  matchingClaimTemplate,
} from "../../model/cluster/persistent-volume-claims.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, isList, type Json, listAt, sameJson, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import { knownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { asPlanned } from "../planned-pods.ts";
import { remainingClaims } from "../remaining-claims.ts";
import { startsWithClaims } from "../rollouts/claim-rules.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports existing claims that differ from the template of a new or recreated StatefulSet.
 * The controller creates only missing claims and uses an existing one as it is.
 * The template in the preview is therefore not in effect for existing claims.
 */
export function existingClaimsUnchanged(input: PreflightInput): readonly Finding[] {
  const { plan, facts, placeOf } = input;
  return plan.changes.filter(startsWithClaims).flatMap((change) => {
    const claimsFinding = (texts: Pick<Finding, "what" | "why">) =>
      changeFinding(change, placeOf, {
        code: "existing-claims-unchanged",
        severity: "warning",
        ...texts,
        fix: changeClaimsFix,
        path: ["spec", "volumeClaimTemplates"],
      });
    const name = nameOf(change.id);
    const { claims } = facts;
    if (!claims.known) {
      return unreadClaims(change).map(({ template, kept }) =>
        claimsFinding({
          what: `${name}: existing claims of template ${template} would keep ${kept.join(", ")}`,
          why: `${templateEffect}. qvs can't read the claims: ${claims.why}`,
        }),
      );
    }
    return differingClaims(change, remainingClaims(plan, claims.value)).map(({ names, kept }) =>
      claimsFinding({
        what: `${name}: ${names.length === 1 ? "an existing claim keeps" : "existing claims keep"} ${kept.join(", ")}`,
        why: `Its Pods use ${summarizeList(names, maxClaims)}. ${templateEffect}`,
      }),
    );
  });
}

const maxClaims = 5;

const templateEffect =
  "A claim template only creates missing claims and never changes existing ones";

const changeClaimsFix =
  "Change spec.resources.requests.storage of the claims themselves if their StorageClass lets them grow; for any other change, create new claims and copy the data into them";

interface DifferingClaims {
  readonly names: readonly string[];
  /** The differences, such as `storage 1Gi instead of 10Gi`. */
  readonly kept: readonly string[];
}

/** Groups the existing claims with the same differences. */
function differingClaims(
  change: Change,
  claims: readonly KubeObject[],
): readonly DifferingClaims[] {
  const planned = asPlanned(change);
  const { live } = change;
  if (live !== undefined && deletesOwnClaims(live)) return [];
  const deletedKeys = new Set(change.alsoDeleted?.objects.map(({ key }) => key));
  const found = claims.flatMap((claim) => {
    const id = idOf(claim);
    const template = matchingClaimTemplate(id, planned);
    if (template === undefined || deletedKeys.has(keyOf(id))) return [];
    const wanted = findClaimTemplate(planned, template);
    const before = live === undefined ? undefined : findClaimTemplate(live, template);
    const kept = differences(claim, wanted, before);
    return kept.length === 0 ? [] : [{ name: nameOf(id), kept }];
  });
  const alike = Map.groupBy(found, ({ kept }) => kept.join(", "));
  return [...alike.values()].map((group) => ({
    names: group.map(({ name }) => name).toSorted(),
    kept: group[0]?.kept ?? [],
  }));
}

/** Compares the live template with the planned one, because qvs can't read the claims. */
function unreadClaims(change: Change) {
  const { live } = change;
  if (live === undefined || deletesOwnClaims(live)) return [];
  const planned = asPlanned(change);
  return listAt(planned, "spec", "volumeClaimTemplates").flatMap((wanted) => {
    const template = textAt(wanted, "metadata", "name") ?? "";
    const before = findClaimTemplate(live, template);
    const kept = before === undefined ? [] : differences(before, wanted, undefined);
    return kept.length === 0 ? [] : [{ template, kept }];
  });
}

function findClaimTemplate(set: KubeObject, name: string): Json | undefined {
  return listAt(set, "spec", "volumeClaimTemplates").find(
    (each) => textAt(each, "metadata", "name") === name,
  );
}

const claimFields: readonly (readonly [name: string, ...path: string[]])[] = [
  ["storage", "resources", "requests", "storage"],
  ["storageClassName", "storageClassName"],
  ["accessModes", "accessModes"],
  ["volumeMode", "volumeMode"],
  ["volumeAttributesClassName", "volumeAttributesClassName"],
  ["dataSource", "dataSource"],
  ["dataSourceRef", "dataSourceRef"],
];

/**
 * Lists the fields of the claim that differ from the template.
 * It skips fields that the template leaves out or that it already had before.
 */
function differences(
  claim: Json,
  wanted: Json | undefined,
  before: Json | undefined,
): readonly string[] {
  return claimFields.flatMap(([name, ...path]) => {
    const [has, asks, asked] = [claim, wanted, before].map((each) => at(each, "spec", ...path));
    if (asks === undefined || JSON.stringify(asks).includes(knownAfterDeploy)) return [];
    if (isSame(has, asks) || isSame(asked, asks)) return [];
    return [`${name} ${formatValue(has)} instead of ${formatValue(asks)}`];
  });
}

function isSame(a: Json | undefined, b: Json): boolean {
  const [one, other] = [parseQuantity(a), parseQuantity(b)];
  if (one !== undefined && other !== undefined) return one === other;
  return sameJson(sortedList(a), sortedList(b));
}

/** Sorts a list; the order of access modes has no meaning. */
function sortedList(value: Json | undefined): Json | undefined {
  return isList(value) ? value.map(String).toSorted() : value;
}

function formatValue(value: Json | undefined): string {
  if (value === undefined) return "none";
  if (isList(value)) return value.map(String).join(" and ");
  if (typeof value !== "object" || value === null) return String(value);
  return [textAt(value, "kind"), textAt(value, "name")]
    .filter((text) => text !== undefined)
    .join(" ");
}
