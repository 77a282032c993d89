import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import { type Release, type ReleasedManifest, sortNewestFirst } from "../../model/release.ts";
import type { ActiveRollback, PreflightReleases } from "../../preflight/rule.ts";
import { isUnconfirmedRollback } from "../../releases/current-release.ts";
import { declareSameObjects } from "../../releases/same-objects.ts";

/** Returns the facts about earlier releases that matter for a plan of these manifests. */
export function releaseFacts(
  releases: readonly Release[],
  expandedConfig: readonly ReleasedManifest[],
  replacingEvent: ActiveRollback["replacingEvent"],
): PreflightReleases {
  const newestFirst = sortNewestFirst(releases);
  const [newest, from] = newestFirst;
  const lastSucceeded = newestFirst.find(({ status }) => status === "succeeded");
  const declared = new Set(
    (lastSucceeded?.expandedConfig ?? []).flatMap(({ object }) =>
      isKubeObject(object) ? [keyOf(idOf(object))] : [],
    ),
  );
  if (newest === undefined || from === undefined || !isUnconfirmedRollback(newest))
    return { declared };
  const { revision, rollbackOf: to = 0 } = newest;
  const redeploysPrevious = declareSameObjects(from, { expandedConfig });
  const rollback = { revision, to, from: from.revision, redeploysPrevious, replacingEvent };
  return { declared, rollback };
}
