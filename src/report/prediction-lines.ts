import type { JsonObject } from "../model/json.ts";
import type { VersionCheck } from "../model/kubernetes-versions.ts";
import { nameOf } from "../model/object.ts";
import type { RollbackObstacle, RollbackPreview } from "../model/plan/predictions.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { plural } from "./text/counts.ts";

/** The maximum number of names or facts in the line. */
const maxShown = 3;

/**
 * Returns the line about the rollback of a plan, such as `Rollback: possible, 3 objects, nothing
 * lost`.
 */
export function rollbackLine(rollback: RollbackPreview): string {
  return `Rollback: ${answer(rollback)}${notesText(rollback)}`;
}

function answer({ possible, objects, lost, reasons, needs }: RollbackPreview): string {
  if (possible !== true) {
    const why = summarizeList(
      reasons.map(({ what }) => what),
      maxShown,
    );
    return `${possible === false ? "not possible" : "not predicted"}: ${why}`;
  }
  const parts = [
    needs.length === 0 ? "possible" : `possible with ${needs.join(", ")}`,
    plural(objects, "object"),
    lost.length === 0 ? "nothing lost" : `not restored: ${subjects(lost)}`,
  ];
  return parts.join(", ");
}

function notesText({ notes, possible }: RollbackPreview): string {
  if (notes.length === 0 || possible !== true) return "";
  return `. ${summarizeList(
    notes.map(({ what }) => what),
    maxShown,
  )}`;
}

function subjects(facts: readonly RollbackObstacle[]): string {
  const names = facts.map(({ object, what }) => (object === undefined ? what : nameOf(object)));
  return summarizeList([...new Set(names)].toSorted(), maxShown);
}

/** Returns the rollback for the JSON of a preview. null stands for a rollback without a target. */
export function rollbackJson(rollback: RollbackPreview | undefined): JsonObject | null {
  if (rollback === undefined) return null;
  const { to, possible, objects, lost, reasons, notes, needs } = rollback;
  return {
    ...{ to, objects, possible: possible ?? null },
    ...{ lost: lost.map(obstacleJson), reasons: reasons.map(obstacleJson) },
    ...{ notes: notes.map(obstacleJson), needs: [...needs] },
  };
}

function obstacleJson({ object, what, why, fix }: RollbackObstacle): JsonObject {
  return { object: object === undefined ? null : { ...object }, what, why, fix };
}

/**
 * Describes the check against another version of Kubernetes, such as `Kubernetes 1.37 (this server:
 * 1.36): 2 findings in release 7 (deployed) and this change`.
 */
export function versionLine({
  version,
  server,
  release,
  isReleaseUnread,
  findings,
}: VersionCheck): string {
  const unread = isReleaseUnread === true ? " (release unread)" : "";
  const checked =
    release === undefined
      ? `this change${unread}`
      : `release ${release} (deployed) and this change`;
  const count = findings === 0 ? "no findings" : plural(findings, "finding");
  const result = `${count} in ${checked}`;
  if (server === version) {
    const line = `This server already has Kubernetes ${version}`;
    return findings === 0 && unread === "" ? line : `${line}: ${result}`;
  }
  return `Kubernetes ${version} (this server: ${server ?? "unknown, not compared"}): ${result}`;
}
