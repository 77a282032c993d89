import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import { redact } from "../../redaction/redact.ts";
import {
  type CelEvaluator,
  type CelOutcome,
  type CelValue,
  createCelEvaluator,
  toCelValue,
  unknownValue,
} from "../../validation/cel-evaluator.ts";
import type { WorkBudget } from "../../validation/undecided.ts";
import { type AdmissionRequest, isCreatedByController } from "./admission-request.ts";
import { everyTrue, type MatchContext, matchesResources } from "./match-resources.ts";

/** A ValidatingAdmissionPolicy, and one of its bindings. */
export interface BoundPolicy {
  readonly policy: KubeObject;
  readonly binding: KubeObject;
  /** The parameters of the policy: null if it has none, undefined if they aren't known. */
  readonly params: KubeObject | null | undefined;
}

export type PolicyVerdict =
  | { readonly by: "nobody" }
  | { readonly by: "policy"; readonly denies: false }
  /** `message` is the message that the API server will return. */
  | { readonly by: "policy"; readonly denies: true; readonly message: string };

export interface PolicyContext extends MatchContext {
  /** Returns the parts of a namespace that policies read; undefined if they aren't known. */
  readonly findNamespace: (name: string) => KubeObject | undefined;
  readonly budget: WorkBudget;
  /** Texts that no output can contain. */
  readonly hides: readonly string[] | undefined;
}

const undecided: PolicyVerdict = { by: "nobody" };
const allowed: PolicyVerdict = { by: "policy", denies: false };

/**
 * Predicts the API server's answer to a request under a policy that isn't in effect yet.
 * The verdict is undecided if a fact that decides isn't known.
 */
export function evaluatePolicy(
  bound: BoundPolicy,
  request: AdmissionRequest,
  context: PolicyContext,
): PolicyVerdict {
  const { policy, binding } = bound;
  const annotates = listAt(policy, "spec", "auditAnnotations").length > 0;
  if (!annotates && !listAt(binding, "spec", "validationActions").includes("Deny")) return allowed;
  const isMatched = matchesPolicy(bound, request, context);
  if (isMatched === false) return allowed;
  if (request.object === undefined || bound.params === undefined || annotates) return undecided;
  const verdict = evaluateExpressions(bound, request, context);
  // The policy might not apply to the request at all.
  return isMatched === undefined && !(verdict.by === "policy" && !verdict.denies)
    ? undecided
    : verdict;
}

/** Reports whether the policy applies to the request; undefined if that isn't known. */
export function matchesPolicy(
  { policy, binding }: Pick<BoundPolicy, "policy" | "binding">,
  request: AdmissionRequest,
  context: MatchContext,
): boolean | undefined {
  return everyTrue(
    [at(policy, "spec", "matchConstraints"), at(binding, "spec", "matchResources")].map((part) =>
      matchesResources(part, listAt(part, "resourceRules"), request, context),
    ),
  );
}

const variableNames = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];

function evaluateExpressions(
  { policy, binding, params }: BoundPolicy,
  request: AdmissionRequest,
  context: PolicyContext,
): PolicyVerdict {
  const evaluate = createCelEvaluator(variableNames, context.budget);
  const known = {
    object: objectValue(request, request.object, request.shown.object),
    oldObject: objectValue(request, request.oldObject, request.shown.oldObject),
    request: requestValue(request),
    params: params == null ? null : redactedValue(params, context),
  };
  const isLenient = textAt(policy, "spec", "failurePolicy") === "Ignore";
  const conditions = listAt(policy, "spec", "matchConditions").map((each) =>
    evaluate(textAt(each, "expression") ?? "", {
      ...known,
      namespaceObject: unknownValue(),
      variables: unknownValue(),
    }),
  );
  if (conditions.some((each) => each.by === "value" && each.value === false)) return allowed;
  if (conditions.some((each) => each.by === "nobody")) return undecided;
  const failures = listAt(policy, "spec", "matchConditions").flatMap((each, index) => {
    const outcome = conditions[index];
    return outcome?.by === "failure" ? [expressionFailure(each, outcome)] : [];
  });
  if (failures.length > 0)
    return isLenient ? allowed : toDenial(policy, binding, joinFailures(failures));
  const namespaceObject = namespaceValue(request, context);
  const variables = evaluateVariables(policy, evaluate, { ...known, namespaceObject });
  const all = { ...known, namespaceObject, variables };
  const evaluateOne = (each: Json) => evaluateValidation(each, evaluate, all, isLenient);
  const verdicts = listAt(policy, "spec", "validations").map(evaluateOne);
  const message = verdicts.find((each) => typeof each === "string");
  if (message !== undefined) return toDenial(policy, binding, message);
  return verdicts.includes(undefined) ? undecided : allowed;
}

function toDenial(policy: KubeObject, binding: KubeObject, message: string): PolicyVerdict {
  const [name, by] = [policy, binding].map((each) => textAt(each, "metadata", "name"));
  const said = `ValidatingAdmissionPolicy '${name}' with binding '${by}' denied request: ${message}`;
  return { by: "policy", denies: true, message: said };
}

/**
 * Returns the reason for a denial; true if the validation passes, undefined if the result isn't
 * known.
 */
function evaluateValidation(
  validation: Json,
  evaluate: CelEvaluator,
  variables: Readonly<Record<string, CelValue>>,
  isLenient: boolean,
): string | true | undefined {
  const expression = textAt(validation, "expression") ?? "";
  const outcome = evaluate(expression, variables);
  switch (outcome.by) {
    case "nobody":
      return undefined;
    case "failure":
      return isLenient || expressionFailure(validation, outcome);
    case "value":
      if (typeof outcome.value !== "boolean") return undefined;
      return outcome.value || denialMessage(validation, evaluate, variables);
  }
}

/** Joins the failures in the API server's format. */
function joinFailures(failures: readonly string[]): string {
  return failures.length === 1 ? failures.join() : `[${failures.join(", ")}]`;
}

function expressionFailure(expression: Json | undefined, outcome: CelOutcome | undefined): string {
  const why = outcome?.by === "failure" ? outcome.why : "";
  return `expression '${textAt(expression, "expression")}' resulted in error: ${why}`;
}

/**
 * Returns the message that the API server would choose.
 * It ignores a message from an expression if that has more than one line.
 */
function denialMessage(
  validation: Json,
  evaluate: CelEvaluator,
  variables: Readonly<Record<string, CelValue>>,
): string {
  const messageExpression = textAt(validation, "messageExpression");
  const outcome =
    messageExpression === undefined ? undefined : evaluate(messageExpression, variables);
  const text = outcome?.by === "value" && typeof outcome.value === "string" ? outcome.value : "";
  const trimmed = text.trim();
  if (trimmed !== "" && !trimmed.includes("\n") && trimmed.length <= maxMessageLength)
    return trimmed;
  const message = textAt(validation, "message")?.trim() ?? "";
  return message || `failed expression: ${textAt(validation, "expression")?.trim()}`;
}

const maxMessageLength = 5_120;

/**
 * Evaluates the variables; each can use the ones before it.
 * A variable without a known value matters only if an expression uses it.
 */
function evaluateVariables(
  policy: KubeObject,
  evaluate: CelEvaluator,
  known: Readonly<Record<string, CelValue>>,
): { [name: string]: CelValue } {
  return listAt(policy, "spec", "variables").reduce<{ [name: string]: CelValue }>(
    (variables, each) => {
      const outcome = evaluate(textAt(each, "expression") ?? "", { ...known, variables });
      const value = outcome.by === "value" ? outcome.value : unknownValue();
      const named = [[textAt(each, "name") ?? "", value]] as const;
      return Object.fromEntries([...Object.entries(variables), ...named]);
    },
    {},
  );
}

/**
 * Converts an object for an expression.
 * The name of a Pod that a controller creates isn't known.
 */
function objectValue(
  request: AdmissionRequest,
  object: AdmissionRequest["object"],
  shown: Json | undefined,
): CelValue {
  if (object === undefined || object === null) return null;
  const whole = object as unknown as JsonObject;
  const value = shownFields(whole, isObject(shown) ? shown : {});
  const metadata = value["metadata"] as { [name: string]: CelValue };
  const made = ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"];
  const ofPod = isCreatedByController(request) ? ["name", "generateName"] : [];
  const unknown = [...made, ...ofPod].map((field) => [field, unknownValue()] as const);
  return { ...value, metadata: { ...metadata, ...Object.fromEntries(unknown) } };
}

/**
 * Converts the fields of an object; a field that must not be shown exists, but its value is
 * unknown.
 */
function shownFields(whole: JsonObject, shown: JsonObject): { [name: string]: CelValue } {
  return Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name, shownValue(value, fieldOf(shown, name))]),
  );
}

function redactedValue(value: JsonObject | KubeObject, { hides }: PolicyContext): CelValue {
  return shownValue(value, redact(value, { hides }));
}

function shownValue(value: Json, shown: Json | undefined): CelValue {
  if (isObject(value) && isObject(shown)) return shownFields(value, shown);
  if (isList(value) && isList(shown) && value.length === shown.length)
    return value.map((item, place) => shownValue(item, shown[place]));
  return sameJson(value, shown) ? toCelValue(value) : unknownValue();
}

function requestValue(request: AdmissionRequest): CelValue {
  const { group, version, kind, operation, namespace, name } = request;
  const resource = { group, version, resource: unknownValue() };
  return {
    ...{ kind: { group, version, kind }, requestKind: { group, version, kind } },
    ...{ resource, requestResource: resource, operation, dryRun: false },
    // The API server also sets this field for a Namespace.
    ...(isCoreKind({ group, kind }, "Namespace") ? { namespace: unknownValue() } : {}),
    ...(namespace === "" ? {} : { namespace }),
    name: name ?? unknownValue(),
    ...Object.fromEntries(
      ["uid", "userInfo", "options", "object", "oldObject", "subResource"].map(
        (each) => [each, unknownValue()] as const,
      ),
    ),
  };
}

/**
 * Returns the namespace of a request.
 * Policies see its metadata; qvs doesn't read the other fields.
 */
function namespaceValue(
  { namespace, group, kind }: AdmissionRequest,
  context: PolicyContext,
): CelValue {
  if (namespace === "" || isCoreKind({ group, kind }, "Namespace")) return null;
  const found = context.findNamespace(namespace);
  const metadata = at(found as Json | undefined, "metadata");
  if (!isObject(metadata)) return unknownValue();
  const shown = Object.entries(metadata).filter(([field]) =>
    ["name", "labels", "annotations"].includes(field),
  );
  return {
    ...{ apiVersion: unknownValue(), kind: unknownValue() },
    metadata: redactedValue(Object.fromEntries(shown), context),
    ...{ spec: unknownValue(), status: unknownValue() },
  };
}
