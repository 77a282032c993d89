import { TypeError as CelTypeError, ParseError } from "@marcbachmann/cel-js";
import { createCelEnvironment } from "./cel-environment.ts";

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
): (expression: string) => CelFault | undefined {
  const environment = createCelEnvironment(names);
  return (expression) => {
    try {
      // The function `matches` of the library has the signature of that of RE2.
      const { valid, error } = environment.check(expression);
      return valid || error === undefined ? undefined : toFault(error, expression);
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
