import { addressOf, nameOf } from "../../model/object.ts";
import { type Plan, replacesPods } from "../../model/plan.ts";
import type { RollbackObstacle } from "../../model/predictions.ts";
import { summarizeList } from "../../model/text/suggest.ts";

/** The maximum number of kinds in a message. */
const maxKinds = 3;

/**
 * Returns the facts without which qvs doesn't know the losses of a plan: the contents of deleted
 * Namespaces and definitions, and the claims of deleted objects.
 */
export function unreadFacts({ changes, deletions }: Plan): readonly RollbackObstacle[] {
  const contents = deletions.flatMap(({ id, live, contents: held }) => {
    const unread = held?.unread ?? [];
    if (unread.length === 0) return [];
    const kinds = summarizeList(
      unread.map(({ kind }) => kind),
      maxKinds,
    );
    const whys = [...new Set(unread.map(({ why }) => why))];
    return [
      {
        object: addressOf(live),
        what: `qvs can't read all objects that are deleted with ${nameOf(id)}`,
        why: `Unread kinds: ${kinds}. The API server answered: ${summarizeList(whys, 1)}`,
        fix: "Allow this identity to list these kinds",
      },
    ];
  });
  const claims = [...deletions, ...changes.filter(replacesPods)].flatMap((each) => {
    const { id, live, alsoDeleted } = each;
    if (live === undefined || alsoDeleted?.unread === undefined) return [];
    return [
      {
        object: addressOf(live),
        what: `qvs can't read the claims that are deleted with ${nameOf(id)}`,
        why: `The API server answered: ${alsoDeleted.unread}`,
        fix: "Allow this identity to list persistentvolumeclaims",
      },
    ];
  });
  return [...contents, ...claims];
}
