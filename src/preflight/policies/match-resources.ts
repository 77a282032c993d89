import { at, isObject, type Json, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Labels, labelsAt, selects } from "../scheduling/selectors.ts";
import type { AdmissionRequest } from "./admission-request.ts";

/** A boolean; undefined if the answer isn't known. */
export type Tristate = boolean | undefined;

export interface MatchContext {
  /** Returns the labels that a namespace will have; undefined if they aren't known. */
  readonly namespaceLabels: (namespace: string) => Labels | undefined;
}

/** Reports whether the rules and selectors of a webhook or policy match a request. */
export function matchesResources(
  matched: Json | undefined,
  rules: readonly Json[],
  request: AdmissionRequest,
  context: MatchContext,
): Tristate {
  const equivalent = textAt(matched, "matchPolicy") !== "Exact";
  const byRule = (rule: Json) => matchesRule(rule, request, equivalent);
  const excluded = someTrue(listAt(matched, "excludeResourceRules"), byRule);
  return everyTrue([
    selectsNamespace(at(matched, "namespaceSelector"), request, context),
    selectsObject(at(matched, "objectSelector"), request),
    excluded === undefined ? undefined : !excluded,
    rules.length === 0 ? true : someTrue(rules, byRule),
  ]);
}

/**
 * Reports whether the API server might call one of the configuration's webhooks for the request.
 */
export function mayCallWebhook(
  configuration: KubeObject,
  request: AdmissionRequest,
  context: MatchContext,
): boolean {
  return listAt(configuration, "webhooks").some(
    (webhook) => matchesResources(webhook, listAt(webhook, "rules"), request, context) !== false,
  );
}

export function everyTrue(parts: readonly Tristate[]): Tristate {
  if (parts.includes(false)) return false;
  return parts.includes(undefined) ? undefined : true;
}

function someTrue(rules: readonly Json[], matches: (rule: Json) => Tristate): Tristate {
  const found = rules.map(matches);
  if (found.includes(true)) return true;
  return found.includes(undefined) ? undefined : false;
}

/**
 * Reports whether a rule matches a request.
 * For a rule about another version of the kind, the API server converts the object to that version.
 * Then the result isn't known.
 */
function matchesRule(rule: Json, request: AdmissionRequest, equivalent: boolean): Tristate {
  const { group, kind, version, operation, namespace, name } = request;
  const isInScope = (scope: string | undefined) =>
    scope === undefined || scope === "*" || (scope === "Namespaced") === (namespace !== "");
  const matchesKind =
    isInScope(textAt(rule, "scope")) &&
    includesAny(rule, "apiGroups", ["*", group]) &&
    includesAny(rule, "operations", ["*", operation]) &&
    includesAny(rule, "resources", ["*", "*/*", ...possibleResources(kind)]);
  if (!matchesKind) return false;
  const names = listAt(rule, "resourceNames");
  if (names.length > 0 && name !== undefined && !names.includes(name)) return false;
  const matchesVersion = includesAny(rule, "apiVersions", ["*", version]);
  if (!matchesVersion && !equivalent) return false;
  return matchesVersion && (names.length === 0 || name !== undefined) ? true : undefined;
}

function includesAny(rule: Json, field: string, accepted: readonly string[]): boolean {
  return listAt(rule, field).some((each) => accepted.some((one) => one === each));
}

/** Returns possible plurals of a kind; only the API server knows which one is right. */
function possibleResources(kind: string): readonly string[] {
  const lower = kind.toLowerCase();
  const names = [`${lower}s`, `${lower}es`, lower.replace(/y$/, "ies"), lower];
  return [...names, ...names.map((name) => `${name}/*`)];
}

function matchesEverything(selector: Json | undefined): boolean {
  return !isObject(selector) || Object.keys(selector).length === 0;
}

function selectsObject(
  selector: Json | undefined,
  { object, oldObject, operation }: AdmissionRequest,
): Tristate {
  if (matchesEverything(selector)) return true;
  if (object === undefined) return undefined;
  const objects = operation === "CREATE" ? [object] : [object, oldObject];
  return objects.some(
    (each) => each != null && selects(selector, labelsAt(at(each, "metadata", "labels"))),
  );
}

/**
 * Reports whether a namespace selector matches a request.
 * Every selector matches a cluster-scoped object. For a Namespace, its own labels decide instead.
 */
function selectsNamespace(
  selector: Json | undefined,
  { namespace, group, kind, object, cause }: AdmissionRequest,
  { namespaceLabels }: MatchContext,
): Tristate {
  if (matchesEverything(selector)) return true;
  if (group === "" && kind === "Namespace") {
    const own = object ?? cause.desired;
    const labels = { ...labelsAt(at(own, "metadata", "labels")), [nameLabel]: cause.id.name };
    return object === undefined && !selectsByNameOnly(selector)
      ? undefined
      : selects(selector, labels);
  }
  if (namespace === "") return true;
  const labels = namespaceLabels(namespace);
  if (labels !== undefined) return selects(selector, labels);
  const byName = selects(nameRequirements(selector), { [nameLabel]: namespace });
  return !byName || selectsByNameOnly(selector) ? byName : undefined;
}

/** The label that every namespace has. */
const nameLabel = "kubernetes.io/metadata.name";

function selectsByNameOnly(selector: Json | undefined): boolean {
  const keys = Object.keys(labelsAt(at(selector, "matchLabels")));
  const others = listAt(selector, "matchExpressions").map((each) => textAt(each, "key") ?? "");
  return [...keys, ...others].every((key) => key === nameLabel);
}

function nameRequirements(selector: Json | undefined): Json {
  const name = labelsAt(at(selector, "matchLabels"))[nameLabel];
  return {
    ...(name === undefined ? {} : { matchLabels: { [nameLabel]: name } }),
    matchExpressions: listAt(selector, "matchExpressions").filter(
      (each) => textAt(each, "key") === nameLabel,
    ),
  };
}
