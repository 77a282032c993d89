import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import type { Release, ReleasedManifest } from "../../model/release.ts";
import type { ReleaseFacts } from "../../preflight/rule.ts";
import { isHeldBack } from "../../releases/running-release.ts";
import { declareSameObjects } from "../../releases/same-objects.ts";

/** What earlier releases, the newest first, tell of a plan for these manifests. */
export function releaseFacts(
  releases: readonly Release[],
  expandedConfig: readonly ReleasedManifest[],
  isChangedHere: boolean | undefined,
): ReleaseFacts {
  const newestFirst = releases.toSorted((a, b) => b.revision - a.revision);
  const [newest, from] = newestFirst;
  const worked = newestFirst.find(({ status }) => status === "succeeded");
  const declared = new Set(
    (worked?.expandedConfig ?? []).flatMap(({ object }) =>
      isKubeObject(object) ? [keyOf(idOf(object))] : [],
    ),
  );
  if (newest === undefined || from === undefined || !isHeldBack(newest)) return { declared };
  const { revision, rollbackOf: to = 0 } = newest;
  const isBroughtBack = declareSameObjects(from, { expandedConfig });
  const rollback = { revision, to, from: from.revision, isBroughtBack, isChangedHere };
  return { declared, rollback };
}
