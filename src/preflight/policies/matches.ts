import { at, isObject, type Json, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type Labels, labelsAt, selects } from "../scheduling/selectors.ts";
import type { AdmissionRequest } from "./request.ts";

/** undefined where it can't be said. */
export type Tristate = boolean | undefined;

export interface MatchContext {
  /** Of a namespace, as they will be; undefined where they are not known. */
  readonly labelsOf: (namespace: string) => Labels | undefined;
}

/** Which requests the configuration of a webhook or of a policy is about: rules, and selectors of objects and namespaces. */
export function matchesResources(
  matched: Json | undefined,
  rules: readonly Json[],
  request: AdmissionRequest,
  context: MatchContext,
): Tristate {
  const equivalent = textAt(matched, "matchPolicy") !== "Exact";
  const byRule = (rule: Json) => matchesRule(rule, request, equivalent);
  const excluded = some(listAt(matched, "excludeResourceRules"), byRule);
  return all([
    selectsNamespace(at(matched, "namespaceSelector"), request, context),
    selectsObject(at(matched, "objectSelector"), request),
    excluded === undefined ? undefined : !excluded,
    rules.length === 0 ? true : some(rules, byRule),
  ]);
}

/** Whether one of the webhooks of a configuration may be asked about the request. */
export function mayAskWebhook(
  configuration: KubeObject,
  request: AdmissionRequest,
  context: MatchContext,
): boolean {
  return listAt(configuration, "webhooks").some(
    (webhook) => matchesResources(webhook, listAt(webhook, "rules"), request, context) !== false,
  );
}

export function all(parts: readonly Tristate[]): Tristate {
  if (parts.includes(false)) return false;
  return parts.includes(undefined) ? undefined : true;
}

function some(rules: readonly Json[], matches: (rule: Json) => Tristate): Tristate {
  const found = rules.map(matches);
  if (found.includes(true)) return true;
  return found.includes(undefined) ? undefined : false;
}

/** By another version of the same kind the server asks about the object as it converts it to that. */
function matchesRule(rule: Json, request: AdmissionRequest, equivalent: boolean): Tristate {
  const { group, kind, version, operation, namespace, name } = request;
  const isInScope = (scope: string | undefined) =>
    scope === undefined || scope === "*" || (scope === "Namespaced") === (namespace !== "");
  const isAbout =
    isInScope(textAt(rule, "scope")) &&
    hasOne(rule, "apiGroups", ["*", group]) &&
    hasOne(rule, "operations", ["*", operation]) &&
    hasOne(rule, "resources", ["*", "*/*", ...resourcesOf(kind)]);
  if (!isAbout) return false;
  const names = listAt(rule, "resourceNames");
  if (names.length > 0 && name !== undefined && !names.includes(name)) return false;
  const isOfVersion = hasOne(rule, "apiVersions", ["*", version]);
  if (!isOfVersion && !equivalent) return false;
  return isOfVersion && (names.length === 0 || name !== undefined) ? true : undefined;
}

function hasOne(rule: Json, field: string, accepted: readonly string[]): boolean {
  return listAt(rule, field).some((each) => accepted.some((one) => one === each));
}

/** The server knows its plural; it is one of these. */
function resourcesOf(kind: string): readonly string[] {
  const lower = kind.toLowerCase();
  const names = [`${lower}s`, `${lower}es`, lower.replace(/y$/, "ies"), lower];
  return [...names, ...names.map((name) => `${name}/*`)];
}

function isEverything(selector: Json | undefined): boolean {
  return !isObject(selector) || Object.keys(selector).length === 0;
}

function selectsObject(
  selector: Json | undefined,
  { object, oldObject, operation }: AdmissionRequest,
): Tristate {
  if (isEverything(selector)) return true;
  if (object === undefined) return undefined;
  const objects = operation === "CREATE" ? [object] : [object, oldObject];
  return objects.some(
    (each) => each != null && selects(selector, labelsAt(at(each, "metadata", "labels"))),
  );
}

/** What is in no namespace is selected by all, but a Namespace, which is selected by its own labels. */
function selectsNamespace(
  selector: Json | undefined,
  { namespace, group, kind, object, by }: AdmissionRequest,
  { labelsOf }: MatchContext,
): Tristate {
  if (isEverything(selector)) return true;
  if (group === "" && kind === "Namespace") {
    const own = object ?? by.desired;
    const labels = { ...labelsAt(at(own, "metadata", "labels")), [nameLabel]: by.id.name };
    return object === undefined && !isByName(selector) ? undefined : selects(selector, labels);
  }
  if (namespace === "") return true;
  const labels = labelsOf(namespace);
  if (labels !== undefined) return selects(selector, labels);
  const byName = selects(byNameOnly(selector), { [nameLabel]: namespace });
  return !byName || isByName(selector) ? byName : undefined;
}

/** Every namespace has it. */
const nameLabel = "kubernetes.io/metadata.name";

function isByName(selector: Json | undefined): boolean {
  const keys = Object.keys(labelsAt(at(selector, "matchLabels")));
  const others = listAt(selector, "matchExpressions").map((each) => textAt(each, "key") ?? "");
  return [...keys, ...others].every((key) => key === nameLabel);
}

function byNameOnly(selector: Json | undefined): Json {
  const name = labelsAt(at(selector, "matchLabels"))[nameLabel];
  return {
    ...(name === undefined ? {} : { matchLabels: { [nameLabel]: name } }),
    matchExpressions: listAt(selector, "matchExpressions").filter(
      (each) => textAt(each, "key") === nameLabel,
    ),
  };
}
