import { servingServices } from "../../model/cluster/serving-services.ts";
import { at, isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { asPlanned, plannedPods } from "../planned-pods.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

/**
 * A webhook or a policy of appSetup decides about what app writes, and nobody can ask one that isn't there yet. Those of one stage come after
 * everything else of it.
 */
export function comingAdmission({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const written = plan.changes.filter(({ action }) => action !== "unchanged");
  const coming = written.filter(({ id, stage }) => id.group === admission && stage === "appSetup");
  if (coming.length === 0) return [];
  const requests = written.filter(({ stage }) => stage === "app").flatMap(requestsFor);
  return coming.flatMap((change): readonly Finding[] => {
    const matched = requests.filter((request) =>
      rulesOf(change, plan.changes).some((rules) => isMatched(request, rules)),
    );
    const names = [...new Set(matched.map(({ by }) => nameOf(by.id)))];
    if (names.length === 0) return [];
    const where = declaredAt({ where: placeOf(change.key) });
    return [
      { object: addressOf(change.desired), where, ...verdictOn(change, names, plan.changes) },
    ];
  });
}

const admission = "admissionregistration.k8s.io";

function verdictOn(change: Change, names: readonly string[], changes: readonly Change[]) {
  const [name, others] = [nameOf(change.id), listed(names, mostNames)];
  const late = serviceToCome(asPlanned(change), changes);
  if (late !== undefined) {
    return {
      code: "coming-admission",
      severity: "error",
      what: `${name} refuses ${others}: what serves it comes only after it`,
      why: `it is in appSetup, and asks ${nameOf(late.id)}, which is in app and is not there yet`,
      fix: "Declare it in app, where it comes last, or give it failurePolicy: Ignore",
    } as const;
  }
  return {
    code: "coming-admission",
    severity: "warning",
    what: `${name} decides about ${others}, and nobody can ask it before it is there`,
    why: "it is in appSetup, which is deployed before them",
    fix: "Deploy it by itself first: then the preview asks it; or declare it in app, where it comes last",
  } as const;
}

/** The Service of a webhook that refuses everything while nobody answers. */
function serviceToCome(object: KubeObject, changes: readonly Change[]): Change | undefined {
  const services = servingServices(object).filter(({ isNeeded }) => isNeeded);
  const keys = new Set(services.map(({ id }) => keyOf(id)));
  return changes.find(
    ({ key, stage, live }) => keys.has(key) && stage === "app" && live === undefined,
  );
}

/** What is asked of the API server, by whom. */
interface Request {
  readonly by: Change;
  readonly group: string;
  readonly kind: string;
  readonly operation: "CREATE" | "UPDATE";
}

function requestsFor(by: Change): readonly Request[] {
  const { group, kind } = by.id;
  const operation = by.live === undefined || by.action === "replace" ? "CREATE" : "UPDATE";
  const makesPods = plannedPods([by]).length > 0 && kind !== "Pod";
  return [
    { by, group, kind, operation },
    ...(makesPods ? [{ by, group: "", kind: "Pod", operation: "CREATE" } as const] : []),
  ];
}

interface Rules {
  readonly rules: readonly Json[];
  readonly namespaceSelector: Json | undefined;
}

function rulesOf(change: Change, changes: readonly Change[]): readonly Rules[] {
  const object = asPlanned(change);
  if (object.kind.endsWith("WebhookConfiguration")) {
    return listAt(object, "webhooks").map((webhook) => ({
      rules: listAt(webhook, "rules"),
      namespaceSelector: at(webhook, "namespaceSelector"),
    }));
  }
  return object.kind.endsWith("Binding")
    ? rulesOfBinding(object, changes)
    : // Those who bind it narrow it down, and may not want it to refuse anything.
      boundBy(object, changes).length > 0
      ? []
      : [rulesOfPolicy(object, undefined)];
}

function rulesOfBinding(binding: KubeObject, changes: readonly Change[]): readonly Rules[] {
  const actions = listAt(binding, "spec", "validationActions");
  if (actions.length > 0 && !actions.includes("Deny")) return [];
  const name = textAt(binding, "spec", "policyName");
  const policy = changes.find(({ id }) => `${id.kind}Binding` === binding.kind && id.name === name);
  return policy === undefined ? [] : [rulesOfPolicy(asPlanned(policy), binding)];
}

function rulesOfPolicy(policy: KubeObject, binding: KubeObject | undefined): Rules {
  return {
    rules: listAt(policy, "spec", "matchConstraints", "resourceRules"),
    namespaceSelector:
      at(binding, "spec", "matchResources", "namespaceSelector") ??
      at(policy, "spec", "matchConstraints", "namespaceSelector"),
  };
}

function boundBy(policy: KubeObject, changes: readonly Change[]): readonly Change[] {
  const name = textAt(policy, "metadata", "name");
  return changes.filter(
    ({ id, desired }) =>
      id.kind === `${policy.kind}Binding` && textAt(desired, "spec", "policyName") === name,
  );
}

function isMatched(
  { by, group, kind, operation }: Request,
  { rules, namespaceSelector }: Rules,
): boolean {
  const isThere = rules.some(
    (rule) =>
      hasOne(rule, "apiGroups", [group]) &&
      hasOne(rule, "operations", [operation]) &&
      hasOne(rule, "resources", resourcesOf(kind)),
  );
  return isThere && maySelect(namespaceSelector, by.id.namespace);
}

function hasOne(rule: Json, field: string, wanted: readonly string[]): boolean {
  const given = listAt(rule, field);
  return given.some((each) => [...wanted, "*", "*/*"].some((one) => one === each));
}

/** The server knows its plural; it is one of these. */
function resourcesOf(kind: string): readonly string[] {
  const lower = kind.toLowerCase();
  return [`${lower}s`, `${lower}es`, lower.replace(/y$/, "ies"), lower];
}

/** By the name of the namespace; its other labels are not looked at. */
function maySelect(selector: Json | undefined, namespace: string): boolean {
  const labels = at(selector, "matchLabels");
  const name = isObject(labels) ? labels["kubernetes.io/metadata.name"] : undefined;
  return name === undefined || name === namespace;
}
