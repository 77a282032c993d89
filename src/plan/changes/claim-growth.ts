import {
  type ApiFailure,
  explainApiFailure,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import { matchingClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf, uidOf } from "../../model/object.ts";
import type { ClaimGrowth } from "../../model/plan/plan.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import type { ChangeVerdict } from "./verdict.ts";

/** The claims of a StatefulSet that are smaller than their template declares. */
export interface ClaimGrowthFacts {
  readonly claims: readonly CheckedGrowth[];
  /** The reason why qvs can't list the claims. */
  readonly unread?: string | undefined;
}

export interface CheckedGrowth {
  readonly growth: ClaimGrowth;
  /** The API server's rejection of the larger size in a dry run. */
  readonly failure?: ApiFailure | undefined;
}

/** Lists the claims of a StatefulSet that are smaller than their template declares, by name. */
export function smallerClaims(
  set: KubeObject,
  claims: readonly KubeObject[],
): readonly ClaimGrowth[] {
  const found = claims.flatMap((claim): readonly ClaimGrowth[] => {
    const id = idOf(claim);
    const [from, to] = [claim, templateOf(set, matchingClaimTemplate(id, set))].map(storage);
    if (!isLarger(to, from)) return [];
    const storageClass = textAt(claim, "spec", "storageClassName");
    return [{ name: id.name, uid: uidOf(claim), from: from ?? "0", to: to ?? "0", storageClass }];
  });
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reports whether any claim template of the StatefulSet declares more storage than before. */
export function hasLargerTemplate(set: KubeObject, live: KubeObject): boolean {
  return listAt(set, "spec", "volumeClaimTemplates").some((template) => {
    const name = textAt(template, "metadata", "name");
    return isLarger(storage(template), storage(templateOf(live, name)));
  });
}

function templateOf(set: KubeObject, name: string | undefined): Json | undefined {
  return listAt(set, "spec", "volumeClaimTemplates").find(
    (template) => name !== undefined && textAt(template, "metadata", "name") === name,
  );
}

function storage(claim: Json | undefined): string | undefined {
  const value = at(claim, "spec", "resources", "requests", "storage");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function isLarger(one: string | undefined, other: string | undefined): boolean {
  const [size, before] = [one, other].map(parseQuantity);
  return size !== undefined && before !== undefined && size > before;
}

type GrowingObject = Pick<DesiredObject, "key" | "id" | "where">;

interface GrowthInput {
  readonly rules: Pick<PlanInput["rules"], "purpose">;
  readonly desired: { readonly byKey: ReadonlyMap<string, Pick<DesiredObject, "object">> };
  readonly observed: Pick<PlanInput["observed"], "claimGrowth">;
}

/** Adds the growth of existing claims to a replacement that keeps the Pods of a StatefulSet. */
export function withClaimGrowth(
  verdict: ChangeVerdict,
  desired: GrowingObject,
  input: GrowthInput,
): ChangeVerdict {
  const facts = input.observed.claimGrowth?.get(desired.key);
  const start = verdict.steps.findIndex(({ type }) => type === "orphan");
  if (facts === undefined || start < 0) return verdict;
  const claims = facts.claims.map(({ growth }) => growth);
  const problems = growthProblems(desired, facts, input);
  const steps =
    claims.length === 0
      ? verdict.steps
      : verdict.steps.toSpliced(start, 0, { type: "grow-claims", claims });
  return {
    ...verdict,
    steps,
    ...(problems.length === 0 ? {} : { problems: [...(verdict.problems ?? []), ...problems] }),
  };
}

function growthProblems(
  desired: GrowingObject,
  facts: ClaimGrowthFacts,
  input: GrowthInput,
): readonly Problem[] {
  const name = nameOf(desired.id);
  const about = { subjects: [name], where: declarationPlaces(desired) };
  if (facts.unread !== undefined) {
    return [
      {
        ...about,
        code: "missing-permission",
        what: `${name}: its PersistentVolumeClaims can't be listed`,
        why: "qvs makes them as large as their template before it replaces the StatefulSet",
        facts: [{ label: "answer", value: facts.unread }],
        fix: `Allow list on PersistentVolumeClaim of v1 in namespace ${desired.id.namespace} to this identity`,
      },
    ];
  }
  const rejected = facts.claims.filter((each) => isCertain(each, input));
  const [first] = rejected;
  if (first?.failure === undefined) return [];
  const { code, fix } = explainApiFailure(first.failure, growthPermission(desired));
  return [
    {
      ...about,
      code,
      what: `${name}: its PersistentVolumeClaims can't grow`,
      facts: [
        { label: "claims", value: describeGrowth(rejected.map(({ growth }) => growth)) },
        { label: "answer", value: first.failure.message },
      ],
      fix,
      otherwise: ["declare the size that the claims have"],
    },
  ];
}

function growthPermission({ id }: GrowingObject): string {
  return `patch on PersistentVolumeClaim of v1 in namespace ${id.namespace}`;
}

/**
 * Reports whether a deployment would get the same rejection.
 * A preview's identity need not be allowed to change claims. A StorageClass of this deployment can
 * allow the expansion first.
 */
function isCertain({ growth, failure }: CheckedGrowth, { rules, desired }: GrowthInput): boolean {
  if (failure === undefined) return false;
  if (rules.purpose === "preview" && isMissingPermission(failure)) return false;
  const { storageClass: name } = growth;
  if (name === undefined) return true;
  const key = keyOf({ group: "storage.k8s.io", kind: "StorageClass", namespace: "", name });
  return desired.byKey.get(key)?.object["allowVolumeExpansion"] !== true;
}

const maxClaims = 5;

/** Describes claims with the same sizes together: `data-db-0, data-db-1 from 1Gi to 2Gi`. */
export function describeGrowth(claims: readonly ClaimGrowth[]): string {
  const bySize = Map.groupBy(claims, ({ from, to }) => `from ${from} to ${to}`);
  return [...bySize]
    .map(
      ([sizes, alike]) =>
        `${summarizeList(
          alike.map(({ name }) => name),
          maxClaims,
        )} ${sizes}`,
    )
    .join("; ");
}
