import { fieldOf } from "../../model/json.ts";

/**
 * Explains which token CUE's parser expected and which one it found, for users who don't know CUE's
 * source.
 */
export function explainExpected(
  expected: string,
  found: string,
): { readonly what: string; readonly fix: string } {
  const here = tokenInWords(found);
  if (expected === "operand")
    return { what: `a value is missing before ${here}`, fix: "Write the value" };
  if (expected === "label or ':'") {
    return {
      what: `a field's name and its colon are expected before ${here}`,
      fix: "Write a field as NAME: VALUE, and a comment after //",
    };
  }
  if (expected === "'EOF'") {
    return { what: `this ${here} closes nothing`, fix: "Remove it, or open a bracket before it" };
  }
  return {
    what: `${tokenInWords(expected)} was expected here, not ${here}`,
    fix: "Correct the syntax",
  };
}

const tokens: Readonly<Record<string, string>> = {
  EOF: "the end of the file",
  newline: "the end of the line",
  STRING: "a text in quotation marks",
  IDENT: "a name",
  selector: "a name",
  INT: "a number",
  FLOAT: "a number",
};

/** Describes a token: `'IDENT' web` → `web`, `')'` → `)`, `newline` → the end of the line. */
function tokenInWords(token: string): string {
  const [, kind = token, literal = ""] = /^'(.+?)'(?: (.+))?$/s.exec(token) ?? [];
  return literal || (fieldOf(tokens, kind) ?? kind);
}
