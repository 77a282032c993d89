import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/yaml-node.ts";
import { shape, text, type YamlShape } from "../yaml/shape.ts";

/** Matches a parameter reference in the JSON Schema, because its value is known only later. */
const orReference = "\\$\\(params\\.";

/** A number. A parameter can provide it as text. */
export const numeric: YamlShape<number> = shape(
  (node, name, problems) => {
    const value = node.kind === "scalar" && node.value !== "" ? Number(node.value) : Number.NaN;
    if (isNumber(node) && Number.isFinite(value)) return value;
    problems.push(
      invalidValue(node.where, `"${name}" isn't a number`, `Set "${name}" to a number`),
    );
    return undefined;
  },
  { anyOf: [{ type: "number" }, { type: "string", pattern: `^-?\\d|${orReference}` }] },
);

function isNumber(node: YamlNode): boolean {
  return (
    node.kind === "scalar" && (typeof node.value === "number" || typeof node.value === "string")
  );
}

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** A duration in milliseconds, from 1 ms to 1 h. */
export const duration: YamlShape<number> = shape(
  (node, name, problems) => {
    const found = text(node, name, problems);
    if (found === undefined) return undefined;
    const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(found.value) ?? [];
    const milliseconds = Math.round(Number(amount) * (units.get(unit) ?? 0));
    if (milliseconds > 0 && milliseconds <= maxDurationMs) return milliseconds;
    const fix = "Write a number with ms, s or m, such as 500ms, 30s or 5m, up to 1h";
    problems.push(invalidValue(node.where, `"${name}" isn't a valid duration`, fix));
    return undefined;
  },
  { type: "string", pattern: `^\\d+(\\.\\d+)?(ms|s|m|h)$|${orReference}` },
);

const maxDurationMs = 3_600_000;

/** One status of HTTP, or a list of them. */
export const statuses: YamlShape<readonly number[]> = shape(
  (node, name, problems) => {
    const nodes = node.kind === "list" ? node.items : [node];
    const codes = nodes.map((each) => Number(each.kind === "scalar" ? each.value : Number.NaN));
    if (
      codes.length > 0 &&
      codes.every((code) => Number.isInteger(code) && code >= 100 && code < 600)
    )
      return codes;
    const fix = `Set "${name}" to a status such as 200, or to a list of them`;
    problems.push(invalidValue(node.where, `"${name}" isn't a status of HTTP`, fix));
    return undefined;
  },
  {
    anyOf: [
      { type: "integer", minimum: 100, maximum: 599 },
      { type: "string" },
      { type: "array", items: { type: ["integer", "string"] } },
    ],
  },
);

export function invalidValue(where: Position, what: string, fix: string): Problem {
  return { code: "invalid-check", where: [where], what, fix };
}
