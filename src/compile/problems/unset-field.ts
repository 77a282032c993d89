import type { UnplacedProblem } from "../../model/problems/problem.ts";
import type { CueField } from "../../ports/cue.ts";

/**
 * Rejects a required field (`name!: …`) without a value, as CUE does. `subject` starts the message,
 * such as `Adapter "acme.example/web"`.
 */
export function unsetFieldProblem(
  subject: string,
  { name }: Pick<CueField, "name">,
): UnplacedProblem {
  return {
    code: "incomplete-value",
    what: `${subject}: required field "${name}" isn't set`,
    fix: `Write "${name}:" instead of "${name}!:" if this is its value`,
    otherwise: ["set it"],
  };
}
