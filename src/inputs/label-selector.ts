import { InvalidArgumentError } from "commander";
import { fieldOf } from "../model/json.ts";

/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly name: string;
  /** The label's value; undefined if the label only has to exist. */
  readonly value: string | undefined;
  /** True to negate the requirement. */
  readonly isNegated: boolean;
}

/**
 * Parses a selector such as `app=web,tier!=cache,!legacy`, like kubectl. Sets (`in`, `notin`)
 * aren't supported.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseRequirement);
}

function parseRequirement(part: string): LabelRequirement {
  const [, not = "", name = "", operator = "", value = ""] =
    /^(!?)([\w./-]+)(?:\s*(==?|!=)\s*([\w.-]*))?$/.exec(part) ?? [];
  if (name === "" || (not !== "" && operator !== "")) {
    throw new InvalidArgumentError(
      "Write NAME=VALUE, NAME!=VALUE, NAME or !NAME, comma-separated.",
    );
  }
  if (operator === "") return { name, value: undefined, isNegated: not !== "" };
  return { name, value, isNegated: operator === "!=" };
}

export function matchesLabels(
  labels: Readonly<Record<string, unknown>>,
  rules: readonly LabelRequirement[],
): boolean {
  return rules.every(({ name, value, isNegated }) => {
    const has = Object.hasOwn(labels, name);
    const isMatch = value === undefined ? has : fieldOf(labels, name) === value;
    return isMatch !== isNegated;
  });
}
