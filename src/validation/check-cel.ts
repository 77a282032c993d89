import { type ASTNode, TypeError as CelTypeError, ParseError } from "@marcbachmann/cel-js";
import { createCelEnvironment } from "./cel-evaluator.ts";

/** An error in an expression, with its place: from `start` to before `end`, in characters. */
export interface CelFault {
  readonly code: "syntax" | "unknown variable" | "other";
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** Creates a check of expressions with these variables, without their values. */
export function createCelCheck(
  names: readonly string[],
): (expression: string, type: "bool" | "string") => CelFault | undefined {
  const environment = createCelEnvironment(names);
  return (expression, type) => {
    try {
      // The function `matches` of the library has the signature of that of RE2.
      const checked = environment.check(expression);
      if (checked.error !== undefined) return toFault(checked.error, expression);
      const found = checked.type ?? "dyn";
      if (found === type || found === "dyn") return undefined;
      const message = `its value has the type ${found} instead of ${type}`;
      return { code: "other", message, start: 0, end: expression.length };
    } catch (error) {
      return toFault(error, expression);
    }
  };
}

function toFault(error: unknown, expression: string): CelFault {
  const whole = { start: 0, end: expression.length };
  if (!(error instanceof ParseError || error instanceof CelTypeError)) {
    return { code: "other", message: String(error), ...whole };
  }
  const { start, end } = error.range ?? whole;
  return { code: faultCode(error), message: error.summary, start, end };
}

function faultCode(error: ParseError | CelTypeError): CelFault["code"] {
  if (error instanceof ParseError) return "syntax";
  return error.code === "unknown_variable" ? "unknown variable" : "other";
}

/** A field that an expression reads: `status.phase`, with its place. */
export interface ReadField {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Lists the fields that a valid expression reads from these variables, the longest paths only. */
export function listReadFields(expression: string, names: readonly string[]): readonly ReadField[] {
  const { ast } = createCelEnvironment(names).parse(expression);
  const found: ReadField[] = [];
  visit(ast);
  return found;

  function visit(node: ASTNode): void {
    const path = memberPath(node, names);
    if (path === undefined) visitParts(node.args);
    else if (path.length > 1) found.push({ path, start: node.range.start, end: node.range.end });
  }

  function visitParts(args: unknown): void {
    if (Array.isArray(args)) for (const each of args) visitParts(each);
    else if (typeof args === "object" && args !== null && "op" in args) visit(args as ASTNode);
  }
}

/** Returns the path of a node like `status.phase`. Undefined for any other node. */
function memberPath(node: ASTNode, names: readonly string[]): readonly string[] | undefined {
  if (node.op === "id") return names.includes(node.args) ? [node.args] : undefined;
  if (node.op !== "." && node.op !== ".?") return undefined;
  const [from, field] = node.args;
  const before = memberPath(from, names);
  return before && typeof field === "string" ? [...before, field] : undefined;
}
