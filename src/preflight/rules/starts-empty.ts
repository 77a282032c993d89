import {
  claimTemplateNames,
  deletesOwnClaims,
  expectedClaims,
  matchesClaimTemplate,
  matchingClaimTemplate,
} from "../../model/cluster/persistent-volume-claims.ts";
import { containerImages, podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { knownValues } from "../cluster-facts.ts";
import { asPlanned } from "../planned-pods.ts";
import { remainingClaims } from "../remaining-claims.ts";
import { startsWithClaims } from "../rollouts/claim-rules.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports StatefulSets that would start with new, empty claims.
 * The name of a claim consists of the names of its template and StatefulSet and a number.
 * If one of them or the namespace changes, the StatefulSet uses other claims, and its data stays in
 * the old ones.
 */
export function startsEmpty({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const claims = remainingClaims(plan, knownValues(facts.claims));
  return plan.changes.filter(startsWithClaims).flatMap((change) => {
    const text =
      change.action === "replace"
        ? renamedTemplates(change, claims, facts.claims.known)
        : renamedStatefulSet(change, claims, plan);
    if (text === undefined) return [];
    return [changeFinding(change, placeOf, { code: "starts-empty", severity: "warning", ...text })];
  });
}

type FindingText = Pick<Finding, "what" | "why" | "fix" | "path">;

const maxClaims = 5;

const retainedDataText = "The data stays in the old claims, which nothing deletes";
const deleteOldClaims = "delete the old claims manually when no one needs them";

function renamedTemplates(
  change: Change,
  claims: readonly KubeObject[],
  isKnown: boolean,
): FindingText | undefined {
  const { live, alsoDeleted } = change;
  const planned = asPlanned(change);
  if (live === undefined || deletesOwnClaims(live)) return undefined;
  const before = claimTemplateNames(live);
  const dropped = before.filter((name) => !claimTemplateNames(planned).includes(name));
  const added = claimTemplateNames(planned).filter((name) => !before.includes(name));
  if (dropped.length === 0 || isPrepared(added, planned, claims)) return undefined;
  const deletedKeys = new Set(alsoDeleted?.objects.map(({ key }) => key));
  const left = claims
    .map(idOf)
    .filter((id) => dropped.includes(matchingClaimTemplate(id, live) ?? ""))
    .filter((id) => !deletedKeys.has(keyOf(id)) && !isMounted(id.name, planned));
  if (isKnown && left.length === 0) return undefined;
  const old = isKnown
    ? summarizeList(left.map(nameOf).toSorted(), maxClaims)
    : `those of template ${dropped.join(", ")}`;
  return {
    what: `${nameOf(change.id)} ${added.length === 0 ? "no longer uses its old claims" : "would start with new, empty claims"}`,
    why: [
      `Old claims: ${old}`,
      ...(added.length === 0 ? [] : [`New templates: ${added.join(", ")}`]),
      "A claim is found by the name of its template",
      retainedDataText,
    ].join(". "),
    fix: `Keep the name of the template, or copy the data into claims of the new name first; ${deleteOldClaims}`,
    path: ["spec", "volumeClaimTemplates"],
  };
}

/** Reports whether the Pods still use an old claim in another way. */
function isMounted(claim: string, set: KubeObject): boolean {
  const { spec = {} } = podSpecOf(set) ?? {};
  return podReferences(spec).some(
    ({ kind, name }) => kind === "PersistentVolumeClaim" && name === claim,
  );
}

function renamedStatefulSet(
  change: Change,
  claims: readonly KubeObject[],
  plan: Plan,
): FindingText | undefined {
  const planned = asPlanned(change);
  const old = replacedStatefulSet(planned, plan);
  if (old === undefined || isPrepared(claimTemplateNames(planned), planned, claims))
    return undefined;
  return {
    what: `${nameOf(change.id)} would start with new, empty claims`,
    why: `${nameOf(old.id)} is deleted, and leaves ${formatClaims(old.live, claims)} behind. A claim is found by the name and namespace of its StatefulSet. ${retainedDataText}`,
    fix: `Keep the name and namespace if the new StatefulSet needs this data, or copy the data into claims of the new name first; ${deleteOldClaims}`,
    path: ["metadata", "name"],
  };
}

/**
 * Reports whether a user has created the claims in advance.
 * Then the StatefulSet starts with their data.
 */
function isPrepared(
  templates: readonly string[],
  set: KubeObject,
  claims: readonly KubeObject[],
): boolean {
  const named = new Set(claims.map((claim) => matchingClaimTemplate(idOf(claim), set)));
  return templates.length > 0 && templates.every((template) => named.has(template));
}

/**
 * Returns the deleted StatefulSet that this one probably replaces.
 * If the resource name changes too, no record shows the predecessor.
 * The rule looks for the same image first, then for the same template name.
 */
function replacedStatefulSet(
  set: KubeObject,
  { deletions }: Plan,
): Plan["deletions"][number] | undefined {
  const deletedSets = deletions.filter(
    ({ id, live, prunedRevision }) =>
      id.group === "apps" &&
      id.kind === "StatefulSet" &&
      prunedRevision === undefined &&
      claimTemplateNames(live).length > 0 &&
      !deletesOwnClaims(live),
  );
  const share = (of: (each: KubeObject) => readonly string[]) => {
    const own = new Set(of(set));
    return deletedSets.find(({ live }) => of(live).some((name) => own.has(name)));
  };
  return share(imageRepositories) ?? share(claimTemplateNames);
}

function imageRepositories(set: KubeObject): readonly string[] {
  const images = containerImages(podSpecOf(set)?.spec ?? {});
  return images.map((image) => image.replace(/@.*/s, "").replace(/:[^/:]*$/, ""));
}

/**
 * Lists the claims of a StatefulSet; without a list of live claims, it derives them from the
 * replicas.
 */
function formatClaims(set: KubeObject, claims: readonly KubeObject[]): string {
  const found = claims.map(idOf).filter((id) => matchesClaimTemplate(id, set));
  const ids = found.length > 0 ? found : expectedClaims(set);
  return ids.length === 0 ? "its claims" : summarizeList(ids.map(nameOf).toSorted(), maxClaims);
}
