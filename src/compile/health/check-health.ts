import { healthVariables } from "../../health/evaluator.ts";
import { findUnknownFields } from "../../health/rule.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { type DeclaredHealthRule, healthExpressions } from "../../model/health-rule.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import { maxExpressionLength } from "../../validation/cel-evaluator.ts";
import { type CelFault, createCelCheck } from "../../validation/check-cel.ts";

/**
 * Finds the errors in the expressions of health rules, without an object.
 * `definitions` contains CustomResourceDefinitions. Their schemas have the fields of the kinds.
 */
export function checkHealth(
  rules: readonly DeclaredHealthRule[],
  definitions: readonly JsonObject[],
): readonly Problem[] {
  if (rules.length === 0) return [];
  const check = createCelCheck(healthVariables);
  return rules.flatMap((rule) => {
    if (isBuiltInGroup(groupOf(rule.apiVersion))) return [builtInKind(rule)];
    const schema = findSchema(rule, definitions);
    return healthExpressions.flatMap((name): readonly Problem[] => {
      const text = rule[name];
      if (text === undefined) return [];
      const where = rule.places[name] ?? rule.where;
      const about = `${name} in the health rule of ${rule.kind}`;
      if (text.length > maxExpressionLength) return [tooLong(about, where)];
      const fault = check(text, name === "message" ? "string" : "bool");
      if (fault !== undefined) return [faultProblem(fault, { about, text, where })];
      return schema === undefined ? [] : unknownFields(text, schema, { about, where });
    });
  });
}

function builtInKind({ kind, where }: DeclaredHealthRule): Problem {
  return {
    code: "invalid-health-rule",
    where: [where],
    what: `A health rule can't be about ${kind}, which is a kind of Kubernetes`,
    fix: "Remove the rule",
  };
}

function tooLong(about: string, where: Position): Problem {
  return {
    code: "invalid-health-rule",
    where: [where],
    what: `The expression ${about} has more than ${maxExpressionLength} characters`,
    fix: "Write a shorter expression",
  };
}

interface Expression {
  readonly about: string;
  readonly text: string;
  readonly where: Position;
}

function faultProblem(
  { code, message, start, end }: CelFault,
  { about, text, where }: Expression,
): Problem {
  const wrong = text.slice(start, end);
  const variable = code === "unknown variable" ? wrong : undefined;
  const meant = variable === undefined ? undefined : closest(variable, healthVariables);
  return {
    code: "invalid-health-rule",
    where: [where],
    what:
      variable === undefined
        ? `The expression ${about} is invalid`
        : `The expression ${about} reads the unknown variable "${variable}"`,
    facts: [
      { label: "expression", value: shorten(text) },
      ...(variable === undefined
        ? [{ label: "error", value: `${message} at character ${start + 1}` }]
        : []),
    ],
    ...suggest(
      meant,
      variable === undefined
        ? "Correct the expression"
        : `Use one of ${healthVariables.join(", ")}`,
    ),
  };
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Returns the schema of the rule's kind and version; undefined if no definition is known. */
function findSchema(
  { apiVersion, kind }: DeclaredHealthRule,
  definitions: readonly JsonObject[],
): JsonObject | undefined {
  const [, version = ""] = apiVersion.split("/");
  const definition = definitions.find(
    (each) =>
      textAt(each, "kind") === "CustomResourceDefinition" &&
      textAt(each, "spec", "group") === groupOf(apiVersion) &&
      textAt(each, "spec", "names", "kind") === kind,
  );
  const versions = listAt(definition, "spec", "versions");
  const found = versions.find((each) => textAt(each, "name") === version);
  const schema = at(found, "schema", "openAPIV3Schema");
  return isObject(schema) ? schema : undefined;
}

function unknownFields(
  text: string,
  schema: JsonObject,
  { about, where }: Pick<Expression, "about" | "where">,
): readonly Problem[] {
  return findUnknownFields(text, schema).map(({ path, meant }) => ({
    code: "invalid-health-rule",
    where: [where],
    what: `The expression ${about} reads the unknown field "${path.join(".")}"`,
    ...suggest(meant, "Use a field of the kind's CustomResourceDefinition"),
  }));
}
