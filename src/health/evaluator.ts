import { isBuiltInGroup } from "../model/cluster/api/built-in-groups.ts";
import type { HealthRule } from "../model/health-rule.ts";
import { fieldOf, isObject, type JsonObject, textAt, withoutField } from "../model/json.ts";
import type { GroupKind } from "../model/kinds.ts";
import { idOf, type KubeObject } from "../model/object.ts";
import { redact } from "../redaction/redact.ts";
import {
  type CelValue,
  type CelVariables,
  createMeteredCelEvaluator,
  type MeteredCelEvaluator,
  toCelValue,
} from "../validation/cel-evaluator.ts";
import { builtInRules } from "./built-in-rules.ts";
import {
  explainCondition,
  findCondition,
  isAboutCurrentGeneration,
  isObserved,
  listConditions,
  outdatedMainCondition,
  outdatedReason,
  showMessage,
} from "./conditions.ts";
import { describeState, judgeByConventions } from "./conventions.ts";
import { type Health, type HealthState, indexRules, type Judgment } from "./rule.ts";

/** Judges objects by rules. It parses each expression once, so a run uses one evaluator. */
export interface HealthEvaluator {
  /** Returns the state of an object by the rule of its kind, or by general conventions. */
  readonly judge: (object: KubeObject) => Health;
  /** Reports whether a rule, built in or not, is about this kind. */
  readonly hasRule: (kind: GroupKind) => boolean;
  /**
   * Returns the rule of a custom kind that a user wrote. It replaces a built-in one. Kinds of
   * Kubernetes have none.
   */
  readonly userRule: (kind: GroupKind) => HealthRule | undefined;
}

/** The variables of an expression. `self` is the whole object. */
export const healthVariables = [
  "apiVersion",
  "kind",
  "metadata",
  "spec",
  "status",
  "self",
] as const;

/**
 * The maximum work for one object, in steps of `WorkBudget`: some 20 ms.
 * A larger object, or a more expensive rule, is never ready.
 */
const maxObjectWork = 500_000;

/** Creates an evaluator of the built-in rules and the rules of a user, which win. */
export function createHealthEvaluator(userRules: readonly HealthRule[] = []): HealthEvaluator {
  const userRule = lookUpUserRules(userRules);
  const builtInRule = lazy(() => indexRules(builtInRules()));
  const evaluator = lazy(() => createMeteredCelEvaluator(healthVariables));
  return {
    userRule,
    hasRule: (kind) => (userRule(kind) ?? builtInRule()(kind)) !== undefined,
    judge: (object) => {
      const ofUser = userRule(idOf(object));
      const rule = ofUser ?? builtInRule()(idOf(object));
      const found =
        judgeByGeneration(object) ??
        (rule === undefined
          ? judgeByConventions(object)
          : judgeByRule(ofUser === undefined ? object : showable(object), rule, evaluator()));
      const contradiction = found.state === "ready" ? contradictReady(object) : undefined;
      return { isReported: true, rule: rule?.source ?? generalSource, ...found, ...contradiction };
    },
  };
}

/**
 * Returns the look-up of rules that users wrote.
 * Records can be forged, so this rejects rules about kinds of Kubernetes again, such as Secrets.
 */
function lookUpUserRules(rules: readonly HealthRule[]): HealthEvaluator["userRule"] {
  const find = indexRules(rules);
  return (kind) => (isBuiltInGroup(kind.group) ? undefined : find(kind));
}

/**
 * Returns the object as outputs show it, without secret values.
 * The authors of pull requests write rules. A message could print a value, and a state could
 * reveal it.
 */
function showable(object: KubeObject): KubeObject {
  return redact(object, { foreign: true }) as JsonObject & KubeObject;
}

/** Returns the evaluator of some rules, one for each list of rules. */
export function createHealthLookup(): (
  rules: readonly HealthRule[] | undefined,
) => HealthEvaluator {
  const known = new Map<readonly HealthRule[] | undefined, HealthEvaluator>();
  return (rules) => {
    const found = known.get(rules) ?? createHealthEvaluator(rules);
    known.set(rules, found);
    return found;
  };
}

function lazy<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: create() };
    return made.value;
  };
}

/** The place of a state that no rule decides. */
const generalSource = "general";

/** Returns the state of an object that can't be ready, whatever its rule is. */
function contradictReady(object: KubeObject): Judgment | undefined {
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) {
    return { state: "progressing", reason: "it is being deleted" };
  }
  const outdated = outdatedMainCondition(object);
  return outdated === undefined
    ? judgeByKstatus(object)
    : { state: "progressing", reason: outdatedReason(outdated) };
}

/** Judges an object whose controller hasn't processed its newest generation. */
function judgeByGeneration(object: KubeObject): Judgment | undefined {
  if (isObserved(object) !== false) return undefined;
  return { state: "progressing", reason: "its controller hasn't observed the change yet" };
}

/** Judges by the conditions `Stalled` and `Reconciling`, which mean the same for all kinds. */
export function judgeByKstatus(object: KubeObject): Judgment | undefined {
  for (const [type, state] of kstatusConditions) {
    const found = findCondition(object, type);
    if (found?.status !== "True") continue;
    return isAboutCurrentGeneration(object, found)
      ? { state, reason: explainCondition(found) }
      : { state: "progressing", reason: outdatedReason(type) };
  }
  return undefined;
}

const kstatusConditions = [
  ["Stalled", "failed"],
  ["Reconciling", "progressing"],
] as const;

function judgeByRule(
  object: KubeObject,
  rule: HealthRule,
  evaluate: MeteredCelEvaluator,
): Judgment {
  const variables = createVariables(object);
  const budget = { left: maxObjectWork };
  const outcome = (text: string) => evaluate(text, variables, budget);
  const state = firstTrueState(rule, outcome);
  if (state === "too much work") {
    return { state: "unknown", reason: "its rule is too much work for an object of this size" };
  }
  const outdated = state === "failed" ? outdatedMainCondition(object) : undefined;
  if (outdated !== undefined) return { state: "progressing", reason: outdatedReason(outdated) };
  if (state === "ready") return { state, reason: "" };
  return { state, reason: messageByRule(object, rule, outcome) ?? describeState(object, state) };
}

type EvaluateText = (text: string) => ReturnType<MeteredCelEvaluator>;

/** The expressions in the order of their evaluation, each with the state that it decides. */
const expressionStates = [
  ["inProgress", "progressing"],
  ["failed", "failed"],
  ["suspended", "suspended"],
  ["current", "ready"],
] as const;

/**
 * Returns the state of the first true expression.
 * An expression that reads a missing field is false. If none is true, a rule with `inProgress`
 * doesn't know this state.
 */
function firstTrueState(rule: HealthRule, evaluate: EvaluateText): HealthState | "too much work" {
  for (const [name, state] of expressionStates) {
    const text = rule[name];
    if (text === undefined) continue;
    const outcome = evaluate(text);
    if (outcome.by === "value" && outcome.value === true) return state;
    if (outcome.by === "nobody" && outcome.isTooMuchWork) return "too much work";
  }
  return rule.inProgress === undefined ? "progressing" : "unknown";
}

/** Returns the message of a rule. If it is the message of a condition, its reason is added. */
function messageByRule(
  object: KubeObject,
  { message }: HealthRule,
  evaluate: EvaluateText,
): string | undefined {
  if (message === undefined) return undefined;
  const outcome = evaluate(message);
  if (outcome.by !== "value" || typeof outcome.value !== "string") return undefined;
  const shown = showMessage(outcome.value);
  if (shown === "") return undefined;
  const source = listConditions(object).find((each) => each.message === shown);
  return source === undefined ? shown : explainCondition(source);
}

/** Returns the variables. `managedFields` is left out, because it is large and shows no state. */
function createVariables(object: KubeObject): CelVariables {
  const self = toCelValue({
    ...object,
    metadata: withoutField(object.metadata, "managedFields"),
  }) as CelVariables;
  const part = (name: string) =>
    isObject(fieldOf(object, name)) ? (fieldOf(self, name) ?? {}) : {};
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: part("metadata"),
    spec: part("spec"),
    status: part("status"),
    self: self as CelValue,
  };
}
