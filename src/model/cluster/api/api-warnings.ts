import { nameOf, type ObjectId } from "../../object.ts";
import type { Problem } from "../../problems/problem.ts";
import { summarizeList } from "../../text/suggest.ts";
import { isDeprecation } from "./messages/api-message.ts";

/** An object and the warnings that the API server returned for it, redacted for output. */
interface ObjectWarnings {
  readonly id: ObjectId;
  readonly warnings?: readonly string[] | undefined;
}

/** The maximum number of object names in a notice, and the maximum number of different warnings. */
const maxNames = 5;
const maxWarnings = 50;

/** Returns the warnings as notices. Objects with the same warning share one notice. */
export function warningNotices(objects: readonly ObjectWarnings[]): readonly Problem[] {
  const received = objects.flatMap(({ id, warnings = [] }) =>
    warnings.map((text) => ({ text, name: nameOf(id) })),
  );
  const groups = [...Map.groupBy(received, ({ text }) => text)];
  const shown = groups
    .slice(0, maxWarnings)
    .map(([text, alike]) =>
      warningNotice(summarizeList([...new Set(alike.map(({ name }) => name))], maxNames), text),
    );
  const rest = groups.length - shown.length;
  const more = `The API server sent ${rest} more warnings`;
  return rest === 0 ? shown : [...shown, { code: "api-warning", what: more, fix: "", where: [] }];
}

function warningNotice(names: string, text: string): Problem {
  const what = `${names}: ${text}`;
  return isDeprecation({ message: text })
    ? { code: "api-deprecated", what, fix: deprecationFix, where: [] }
    : { code: "api-warning", what, fix: warningFix, where: [] };
}

const deprecationFix =
  "Replace it before you upgrade the cluster to a version that no longer supports it";
const warningFix = "Correct the manifest, if this is a mistake: the API server accepted the object";
