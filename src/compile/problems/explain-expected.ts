import { fieldOf } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Explains which token CUE's parser expected and which one it found, for users who don't know CUE's
 * source.
 */
export function explainExpected(
  expected: string,
  found: string,
): Pick<Problem, "what" | "facts" | "fix" | "otherwise"> {
  const here = describeToken(found);
  if (expected === "operand")
    return { what: `a value is missing before ${here}`, fix: "Write the value" };
  if (expected === "label or ':'") {
    return {
      what: `a field name and its colon are missing before ${here}`,
      fix: "Write a field as NAME: VALUE",
      otherwise: ["write a comment after //"],
    };
  }
  if (expected === "'EOF'") {
    return {
      what: `this ${here} closes no bracket`,
      fix: "Remove it",
      otherwise: ["open a bracket before it"],
    };
  }
  return {
    what: `${here} isn't expected here`,
    facts: [{ label: "expected", value: describeToken(expected) }],
    fix: "Correct the syntax",
  };
}

const tokenTexts: Readonly<Record<string, string>> = {
  EOF: "the end of the file",
  newline: "the end of the line",
  STRING: "a string in quotation marks",
  IDENT: "a name",
  selector: "a name",
  INT: "a number",
  FLOAT: "a number",
};

/** Describes a token: `'IDENT' web` → `web`, `')'` → `)`, `newline` → the end of the line. */
function describeToken(token: string): string {
  const [, kind = token, literal = ""] = /^'(.+?)'(?: (.+))?$/s.exec(token) ?? [];
  return literal || (fieldOf(tokenTexts, kind) ?? kind);
}
