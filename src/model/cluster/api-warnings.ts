import { nameOf, type ObjectId } from "../object.ts";
import type { Problem } from "../problems/problem.ts";
import { listed } from "../text/closest.ts";
import { isDeprecation } from "./api-words/versions.ts";

/** An object and the warnings that the API server returned for it, redacted for output. */
interface Warned {
  readonly id: ObjectId;
  readonly warnings?: readonly string[] | undefined;
}

/** The maximum number of object names in a notice, and the maximum number of different warnings. */
const mostNames = 5;
const mostWarnings = 50;

/** Returns the warnings as notices. Objects with the same warning share one notice. */
export function warningNotices(objects: readonly Warned[]): readonly Problem[] {
  const said = objects.flatMap(({ id, warnings = [] }) =>
    warnings.map((text) => ({ text, name: nameOf(id) })),
  );
  const groups = [...Map.groupBy(said, ({ text }) => text)];
  const shown = groups
    .slice(0, mostWarnings)
    .map(([text, alike]) =>
      notice(listed([...new Set(alike.map(({ name }) => name))], mostNames), text),
    );
  const rest = groups.length - shown.length;
  const more = `${rest} more warnings of the API server are not shown`;
  return rest === 0 ? shown : [...shown, { code: "api-warning", what: more, fix: "", where: [] }];
}

function notice(names: string, text: string): Problem {
  const what = `${names}: ${text}`;
  return isDeprecation({ message: text })
    ? { code: "api-deprecated", what, fix: replaceInTime, where: [] }
    : { code: "api-warning", what, fix: correctIfMeant, where: [] };
}

const replaceInTime = "Replace it before a later version of the cluster no longer has it";
const correctIfMeant = "Correct the manifest if that is not meant; nothing was refused";
