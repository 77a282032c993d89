import type { Fixes, UnplacedProblem } from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { explainMessage } from "./explain-message.ts";

interface ProblemSubject {
  /** The start of `what`, such as `Adapter "acme.example/web"`. */
  readonly name: string;
  /** The part of the subject in which the error is, such as `resources.app`. */
  readonly field?: string;
}

/** The words for an error that CUE's message doesn't determine. */
interface Fallback extends Fixes {
  readonly code: ProblemCode;
  /** The fact about the subject, such as "can't be loaded". */
  readonly fact: string;
}

/** Explains a CUE error. A message that qvs can't explain becomes the fact `cue`. */
export function explainProblem(
  { message, known }: Pick<CueProblem, "message" | "known">,
  { name, field = "" }: ProblemSubject,
  { fact, ...fallback }: Fallback,
): UnplacedProblem {
  const place = field === "" ? [] : [{ label: "path", value: field }];
  const found = explainMessage(message, known);
  if (found === undefined) {
    const facts = [...place, { label: "cue", value: message }];
    return { ...fallback, what: `${name} ${fact}`, facts };
  }
  const { code, fix, what, why, otherwise, facts = [] } = found;
  const all = [...place, ...facts];
  return {
    ...(fix === undefined ? fallback : { fix, ...(otherwise === undefined ? {} : { otherwise }) }),
    code: code ?? fallback.code,
    what: `${name}: ${what}`,
    ...(why === undefined ? {} : { why }),
    ...(all.length === 0 ? {} : { facts: all }),
  };
}
