import { fieldOf, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";

export type Labels = Readonly<Record<string, string>>;

export function labelsAt(value: Json | undefined): Labels {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

/**
 * Reports whether a LabelSelector matches; a missing one matches nothing, an empty one everything.
 */
export function selects(selector: Json | undefined, labels: Labels): boolean {
  if (!isObject(selector)) return false;
  const exact = Object.entries(labelsAt(selector.matchLabels));
  return (
    exact.every(([key, value]) => fieldOf(labels, key) === value) &&
    listAt(selector, "matchExpressions").every((each) => meetsRequirement(each, labels))
  );
}

/** Reports whether labels meet a requirement; only those of nodes can use Gt and Lt. */
export function meetsRequirement(requirement: Json, labels: Labels): boolean {
  const found = fieldOf(labels, textAt(requirement, "key") ?? "");
  const values = listAt(requirement, "values");
  switch (textAt(requirement, "operator")) {
    case "In":
      return found !== undefined && values.includes(found);
    case "NotIn":
      return found === undefined || !values.includes(found);
    case "Exists":
      return found !== undefined;
    case "DoesNotExist":
      return found === undefined;
    case "Gt":
      return found !== undefined && Number(found) > singleNumber(values);
    case "Lt":
      return found !== undefined && Number(found) < singleNumber(values);
    default:
      return false;
  }
}

/** Returns the single value of Gt or Lt; an invalid number matches nothing. */
function singleNumber([value]: readonly Json[]): number {
  return typeof value === "string" ? Number(value) : Number.NaN;
}

/**
 * Adds the requirements of `matchLabelKeys` and `mismatchLabelKeys` to a selector.
 * The values come from the Pod's own labels; a key that the Pod doesn't have is ignored. The API
 * server does the same when it stores the Pod.
 */
export function withLabelKeys(
  selector: Json | undefined,
  { match, mismatch }: { readonly match: readonly Json[]; readonly mismatch: readonly Json[] },
  labels: Labels,
): Json | undefined {
  if (!isObject(selector)) return selector;
  const added = [...requirements(match, "In", labels), ...requirements(mismatch, "NotIn", labels)];
  return { ...selector, matchExpressions: [...listAt(selector, "matchExpressions"), ...added] };
}

function requirements(
  keys: readonly Json[],
  operator: "In" | "NotIn",
  labels: Labels,
): readonly JsonObject[] {
  return keys.flatMap((key) => {
    const value = typeof key === "string" ? fieldOf(labels, key) : undefined;
    return value === undefined ? [] : [{ key: key as string, operator, values: [value] }];
  });
}
