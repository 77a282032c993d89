import { nameOf, type ObjectId } from "../object.ts";
import type { Problem } from "../problems/problem.ts";
import { listed } from "../text/closest.ts";
import { isDeprecation } from "./api-words/versions.ts";

/** An object, and what the API server warned of when it was sent, as it may be shown. */
interface Warned {
  readonly id: ObjectId;
  readonly warnings?: readonly string[] | undefined;
}

/** As many names, and as many different warnings, as a reader needs. */
const mostNames = 5;
const mostWarnings = 50;

/** The warnings as notices: what is said of several objects is said once of all of them. */
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
