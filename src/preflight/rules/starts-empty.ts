import {
  claimsOf,
  deletesItsClaims,
  isNamedByTemplate,
  templateNaming,
  templatesOf,
} from "../../model/cluster/claims.ts";
import { imagesOf, podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import { addressOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { knownOf } from "../facts.ts";
import { asPlanned } from "../planned-pods.ts";
import { remainingClaims } from "../remaining-claims.ts";
import { beginsWithClaims } from "../rollouts/claims.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Reports StatefulSets that would start with new, empty claims.
 * The name of a claim consists of the names of its template and StatefulSet and a number.
 * If one of them or the namespace changes, the StatefulSet uses other claims, and its data stays in
 * the old ones.
 */
export function startsEmpty({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const claims = remainingClaims(plan, knownOf(facts.claims));
  return plan.changes.filter(beginsWithClaims).flatMap((change) => {
    const told =
      change.action === "replace"
        ? underOtherTemplates(change, claims, facts.claims.known)
        : inPlaceOfAnother(change, claims, plan);
    if (told === undefined) return [];
    return [
      {
        ...told,
        code: "starts-empty",
        severity: "warning",
        object: addressOf(change.desired),
        where: declaredAt({ where: placeOf(change.key) }),
      } as const,
    ];
  });
}

type Told = Pick<Finding, "what" | "why" | "fix" | "path">;

const mostClaims = 5;

const nothingDeletesThem = "The data stays in the old ones, which nothing deletes";

function underOtherTemplates(
  change: Change,
  claims: readonly KubeObject[],
  isKnown: boolean,
): Told | undefined {
  const { live, alsoDeleted } = change;
  const planned = asPlanned(change);
  if (live === undefined || deletesItsClaims(live)) return undefined;
  const before = templatesOf(live);
  const dropped = before.filter((name) => !templatesOf(planned).includes(name));
  const added = templatesOf(planned).filter((name) => !before.includes(name));
  if (dropped.length === 0 || isPrepared(added, planned, claims)) return undefined;
  const gone = new Set(alsoDeleted?.objects.map(({ key }) => key));
  const left = claims
    .map(idOf)
    .filter((id) => dropped.includes(templateNaming(id, live) ?? ""))
    .filter((id) => !gone.has(keyOf(id)) && !isMounted(id.name, planned));
  if (isKnown && left.length === 0) return undefined;
  const old = isKnown
    ? listed(left.map(nameOf).toSorted(), mostClaims)
    : `the claims of its template ${dropped.join(", ")}`;
  const begins =
    added.length === 0 ? "" : ` and begins with new, empty claims (${added.join(", ")})`;
  return {
    what: `${nameOf(change.id)} no longer uses ${old}${begins}`,
    why: `a claim is found by the name of its template. ${nothingDeletesThem}`,
    fix: "Keep the name of the template, or copy the data into claims of the new name first; delete the old ones by hand once nobody needs them",
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

function inPlaceOfAnother(
  change: Change,
  claims: readonly KubeObject[],
  plan: Plan,
): Told | undefined {
  const planned = asPlanned(change);
  const old = formerOf(planned, plan);
  if (old === undefined || isPrepared(templatesOf(planned), planned, claims)) return undefined;
  return {
    what: `${nameOf(change.id)} begins with new, empty claims, and ${nameOf(old.id)}, which is deleted, leaves ${namesOfClaims(old.live, claims)} behind`,
    why: `a claim is found by the name and the namespace of its StatefulSet. ${nothingDeletesThem}`,
    fix: "If the new one is to go on with that data, keep name and namespace, or copy the data into claims of the new name first; delete the old ones by hand once nobody needs them",
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
  const named = new Set(claims.map((claim) => templateNaming(idOf(claim), set)));
  return templates.length > 0 && templates.every((template) => named.has(template));
}

/**
 * Returns the deleted StatefulSet that this one probably replaces.
 * If the resource name changes too, no record shows the predecessor.
 * The rule looks for the same image first, then for the same template name.
 */
function formerOf(set: KubeObject, { deletions }: Plan): Plan["deletions"][number] | undefined {
  const leaving = deletions.filter(
    ({ id, live, retires }) =>
      id.group === "apps" &&
      id.kind === "StatefulSet" &&
      retires === undefined &&
      templatesOf(live).length > 0 &&
      !deletesItsClaims(live),
  );
  const share = (of: (each: KubeObject) => readonly string[]) => {
    const own = new Set(of(set));
    return leaving.find(({ live }) => of(live).some((name) => own.has(name)));
  };
  return share(repositoriesOf) ?? share(templatesOf);
}

function repositoriesOf(set: KubeObject): readonly string[] {
  const images = imagesOf(podSpecOf(set)?.spec ?? {});
  return images.map((image) => image.replace(/@.*/s, "").replace(/:[^/:]*$/, ""));
}

/**
 * Lists the claims of a StatefulSet; without a list of live claims, it derives them from the
 * replicas.
 */
function namesOfClaims(set: KubeObject, claims: readonly KubeObject[]): string {
  const found = claims.map(idOf).filter((id) => isNamedByTemplate(id, set));
  const ids = found.length > 0 ? found : claimsOf(set);
  return ids.length === 0 ? "its claims" : listed(ids.map(nameOf).toSorted(), mostClaims);
}
