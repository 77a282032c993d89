import { fieldOf } from "../../model/json.ts";

/**
 * Describes the values that CUE constraints allow, such as `an integer or "auto"` or
 * `at least 3 characters`.
 */
export function describeConstraints(constraints: readonly string[]): string {
  return [...new Set(constraints.map(describeConstraint))].join(" or ");
}

/**
 * Reports whether a constraint consists only of fixed words and numbers. Such a rule can be shown
 * where values must be hidden.
 */
export function isValueFreeRule(constraint: string): boolean {
  return /^(?:strings|list|struct|net|time)\.\w+(?:\(\d*\))?$/.test(constraint);
}

/** Describes a CUE type, e.g. `an integer` for `int`. */
export function describeType(type: string): string {
  return fieldOf(typeTexts, type) ?? type;
}

function describeConstraint(constraint: string): string {
  const type = fieldOf(typeTexts, constraint);
  if (type !== undefined) return type;
  const [, operator, operand] = /^(<=|>=|!=|=~|!~|<|>)(.*)$/s.exec(constraint) ?? [];
  if (operator !== undefined) return `${fieldOf(comparisonTexts, operator)} ${operand}`;
  const [, rule = "", count] = /^([a-z]+\.\w+)(?:\((\d*)\))?$/.exec(constraint) ?? [];
  const words = fieldOf(ruleTexts, rule);
  if (words !== undefined) return words.replace("N", count ?? "");
  return constraint;
}

const typeTexts: Readonly<Record<string, string>> = {
  string: "a string",
  int: "an integer",
  number: "a number",
  float: "a number",
  bool: "a boolean",
  struct: "an object",
  list: "a list",
  null: "null",
};

const comparisonTexts: Readonly<Record<string, string>> = {
  "<": "less than",
  "<=": "at most",
  ">": "more than",
  ">=": "at least",
  "!=": "a value other than",
  "=~": "a match of the pattern",
  "!~": "no match of the pattern",
};

/** The functions of CUE's standard packages that adapters use as constraints. */
const ruleTexts: Readonly<Record<string, string>> = {
  "strings.MinRunes": "at least N characters",
  "strings.MaxRunes": "at most N characters",
  "list.MinItems": "at least N items",
  "list.MaxItems": "at most N items",
  "list.UniqueItems": "no duplicate items",
  "struct.MinFields": "at least N fields",
  "struct.MaxFields": "at most N fields",
  "net.IP": "an IP address",
  "net.IPv4": "an IPv4 address",
  "net.IPCIDR": 'a range of IP addresses such as "10.0.0.0/8"',
  "net.FQDN": "a domain name",
  "net.URL": "a URL",
  "time.Duration": 'a duration such as "5m" or "1h30m"',
  "time.Time": 'a time such as "2006-01-02T15:04:05Z"',
};
