import { fieldOf } from "../../model/json.ts";
/**
 * Describes CUE constraints as the phrase after the word "must", such as
 * `be a whole number or "auto"` or `have at least 3 characters`.
 */
export function demandOf(constraints: readonly string[]): string {
  const phrases = [...new Set(constraints.map(phraseOf))];
  return phrases
    .map((phrase, index) => (index > 0 ? phrase.replace(/^be /, "") : phrase))
    .join(" or ");
}

/**
 * Reports whether a constraint consists only of fixed words and numbers. Such a rule can be shown
 * where values must be hidden.
 */
export function isBareRule(constraint: string): boolean {
  return /^(?:strings|list|struct|net|time)\.\w+(?:\(\d*\))?$/.test(constraint);
}

/** Describes a CUE type, e.g. `a whole number` for `int`. */
export function typeInWords(type: string): string {
  return fieldOf(types, type) ?? type;
}

function phraseOf(constraint: string): string {
  const type = fieldOf(types, constraint);
  if (type !== undefined) return `be ${type}`;
  const [, operator, operand] = /^(<=|>=|!=|=~|!~|<|>)(.*)$/s.exec(constraint) ?? [];
  if (operator !== undefined) return `${fieldOf(comparisons, operator)} ${operand}`;
  const [, rule = "", count] = /^([a-z]+\.\w+)(?:\((\d*)\))?$/.exec(constraint) ?? [];
  const words = fieldOf(rules, rule);
  if (words !== undefined) return words.replace("N", count ?? "");
  return rule === "" ? `be ${constraint}` : `satisfy ${constraint}`;
}

const types: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  float: "a number",
  bool: "true or false",
  struct: "a map",
  list: "a list",
  null: "null",
};

const comparisons: Readonly<Record<string, string>> = {
  "<": "be less than",
  "<=": "be at most",
  ">": "be more than",
  ">=": "be at least",
  "!=": "not be",
  "=~": "match the pattern",
  "!~": "not match the pattern",
};

/** The functions of CUE's standard packages that adapters use as constraints. */
const rules: Readonly<Record<string, string>> = {
  "strings.MinRunes": "have at least N characters",
  "strings.MaxRunes": "have at most N characters",
  "list.MinItems": "have at least N items",
  "list.MaxItems": "have at most N items",
  "list.UniqueItems": "have no item twice",
  "struct.MinFields": "have at least N fields",
  "struct.MaxFields": "have at most N fields",
  "net.IP": "be an IP address",
  "net.IPv4": "be an IPv4 address",
  "net.IPCIDR": 'be a range of IP addresses such as "10.0.0.0/8"',
  "net.FQDN": "be a domain name",
  "net.URL": "be a URL",
  "time.Duration": 'be a duration such as "5m" or "1h30m"',
  "time.Time": 'be a time such as "2006-01-02T15:04:05Z"',
};
