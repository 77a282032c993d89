import { InvalidArgumentError } from "commander";
import { fieldOf } from "../model/json.ts";

/** One requirement of a label selector. */
export interface LabelRule {
  readonly name: string;
  /** The label's value; undefined if the label only has to exist. */
  readonly value: string | undefined;
  /** True to negate the requirement. */
  readonly isNot: boolean;
}

/**
 * Parses a selector such as `app=web,tier!=cache,!legacy`, like kubectl. Sets (`in`, `notin`)
 * aren't supported.
 */
export function parseLabels(text: string): readonly LabelRule[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseRule);
}

function parseRule(part: string): LabelRule {
  const [, not = "", name = "", operator = "", value = ""] =
    /^(!?)([\w./-]+)(?:\s*(==?|!=)\s*([\w.-]*))?$/.exec(part) ?? [];
  if (name === "" || (not !== "" && operator !== "")) {
    throw new InvalidArgumentError(
      "Write NAME=VALUE, NAME!=VALUE, NAME or !NAME, comma-separated.",
    );
  }
  if (operator === "") return { name, value: undefined, isNot: not !== "" };
  return { name, value, isNot: operator === "!=" };
}

export function matchesLabels(
  labels: Readonly<Record<string, unknown>>,
  rules: readonly LabelRule[],
): boolean {
  return rules.every(({ name, value, isNot }) => {
    const has = Object.hasOwn(labels, name);
    const isSo = value === undefined ? has : fieldOf(labels, name) === value;
    return isSo !== isNot;
  });
}
