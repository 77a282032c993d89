import { keepOnDeleteAnnotation, migrationAnnotation } from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { deletesOwnClaims, isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import type { ObjectResult, Release } from "../../model/deployments/release.ts";
import { type ReleaseHistory, releasesSince } from "../../model/deployments/release-history.ts";
import { type Json, sameJson } from "../../model/json.ts";
import {
  annotation,
  idOf,
  isKubeObject,
  type KubeObject,
  keyOf,
  nameOf,
} from "../../model/object.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { findingWithoutPlace } from "../rule.ts";

/** A plan that restores a recorded release. */
export interface Restoration {
  readonly plan: Pick<Plan, "changes" | "deployment" | "namespace">;
  readonly history: ReleaseHistory;
  /** The revision of the restored release. */
  readonly to: number;
}

/**
 * Reports changes that the manifests of a release can't restore
 * (docs/concepts/releases.md#irreversible-changes).
 * Lost data is an error.
 */
export function irreversible(restoration: Restoration): readonly Finding[] {
  const created = restoration.plan.changes.filter(
    (change) => change.action === "create" || replacesPods(change),
  );
  return [
    ...created.flatMap((change) => lostData(change, restoration)),
    ...created.flatMap((change) => keptObjectMissing(change, restoration)),
    ...migrationsSince(restoration),
    ...unknownHistory(restoration),
  ];
}

/**
 * Reports objects that a drift correction would create without their data.
 * `changes` contains only changes that create objects.
 */
export function correctionLosses(correction: Restoration): readonly Finding[] {
  return correction.plan.changes.flatMap((change) => [
    ...lostData(change, correction),
    ...repeatedMigration(change, correction),
  ]);
}

function repeatedMigration({ id, desired }: Change, { to }: Restoration): readonly Finding[] {
  const text = annotation(desired, migrationAnnotation);
  if (text === undefined || !isJob(id)) return [];
  return [
    findingWithoutPlace(desired, {
      code: "migration-repeated",
      severity: "error",
      what: `${nameOf(id)} would migrate again`,
      why: `The correction would create the Job again, but release ${to} has already run it. Its annotation ${migrationAnnotation}: ${text}`,
      fix: "Make sure that it can run twice, or deploy a commit without it",
    }),
  ];
}

function lostData(
  { id, key, desired, live }: Change,
  restoration: Restoration,
): readonly Finding[] {
  const { to } = restoration;
  const wasClaim = isClaim(id);
  // The policy of the deleted object decides. The policy of the restored release can differ.
  const deleted = live ?? lastDeclared(key, restoration) ?? desired;
  if (!wasClaim && !deletesOwnClaims(deleted)) return [];
  return [
    findingWithoutPlace(desired, {
      code: "data-lost",
      severity: "error",
      what: `${nameOf(id)} is created again ${wasClaim ? "and is empty" : "with empty claims"}`,
      why: wasClaim
        ? `Release ${to} declares the claim, but it was deleted`
        : `Its claims ${live === undefined ? "were" : "are"} deleted with it: its persistentVolumeClaimRetentionPolicy is whenDeleted: Delete`,
      fix: "Restore the data from a backup, or bind the new claim to the retained volume with spec.volumeName",
    }),
  ];
}

/** Returns the object from the newest release that declares it. */
function lastDeclared(key: string, { history }: Restoration): KubeObject | undefined {
  return history.releases
    .flatMap(({ expandedConfig }) => expandedConfig.map(({ object }) => object))
    .filter(isKubeObject)
    .find((object) => keyOf(idOf(object)) === key);
}

/**
 * Reports kept objects that no longer exist.
 * Data that controllers wrote into them isn't in their manifests.
 */
function keptObjectMissing({ id, desired }: Change, { to }: Restoration): readonly Finding[] {
  const key = annotation(desired, keepOnDeleteAnnotation);
  if (key === undefined) return [];
  return [
    findingWithoutPlace(desired, {
      code: "kept-object-missing",
      severity: "warning",
      what: `${nameOf(id)} was kept for a rollback, but no longer exists`,
      why: `qvs creates it again as release ${to} recorded it. Its key is ${key}`,
      fix: "Restore values that other tools wrote into it if they are needed, such as a generated password or a certificate",
    }),
  ];
}

interface Migration {
  readonly key: string;
  readonly object: KubeObject;
  readonly text: string;
  readonly revision: number;
  readonly ended: "completed" | "failed" | "unknown";
}

function migrationsSince({ history, to }: Restoration): readonly Finding[] {
  const target = history.releases.find(({ revision }) => revision === to);
  const before = new Map(
    (target === undefined ? [] : releaseMigrations(target)).map((one) => [one.key, one.object]),
  );
  const newer = releasesSince(history, to).toReversed();
  const reported = new Map<string, Migration>();
  for (const migration of newer.flatMap(releaseMigrations)) {
    const same = sameJson(
      withoutUndefined(before.get(migration.key) ?? null),
      withoutUndefined(migration.object),
    );
    const known = reported.get(migration.key);
    const isNews = known === undefined || rank(migration) < rank(known);
    if (!same && isNews) reported.set(migration.key, migration);
  }
  return [...reported.values()].map((migration) => migrationFinding(migration, to));
}

function rank({ ended }: Migration): number {
  return ["completed", "unknown", "failed"].indexOf(ended);
}

/** Lists the annotated Jobs of a release that were started. */
function releaseMigrations({ expandedConfig, revision, results, status }: Release) {
  const outcomes = new Map(results.map(({ key, outcome }) => [key, outcome]));
  return expandedConfig.flatMap(({ object }): readonly Migration[] => {
    if (!isKubeObject(object) || !isJob(idOf(object))) return [];
    const text = annotation(object, migrationAnnotation);
    if (text === undefined) return [];
    const key = keyOf(idOf(object));
    const ended = status === "pending" ? "unknown" : migrationEnd(outcomes.get(key));
    return ended === undefined ? [] : [{ key, object, text, revision, ended }];
  });
}

function migrationEnd(
  outcome: ObjectResult["outcome"] | undefined,
): Migration["ended"] | undefined {
  switch (outcome) {
    case "created":
    case "updated":
    case "replaced":
    case "unchanged":
      return "completed";
    case "failed":
      return "failed";
    default:
      return undefined;
  }
}

const endings = {
  completed: "completed",
  failed: "failed",
  unknown: "might have completed",
} as const;

function migrationFinding({ object, text, revision, ended }: Migration, to: number): Finding {
  return findingWithoutPlace(object, {
    code: "migration-completed",
    severity: ended === "failed" ? "warning" : "error",
    what: `${nameOf(idOf(object))} ${endings[ended]} in release ${revision}, and a rollback doesn't undo its migration`,
    why: [
      ...(ended === "failed" ? ["It might have migrated a part"] : []),
      `Release ${to} doesn't have this Job. Its annotation ${migrationAnnotation}: ${text}`,
    ].join(". "),
    fix: `Make sure that release ${to} works after this migration`,
  });
}

function unknownHistory({ plan, history, to }: Restoration): readonly Finding[] {
  const known = new Set(history.releases.map(({ revision }) => revision));
  const newest = Math.max(to, history.newest?.revision ?? 0);
  const missing = Array.from({ length: newest - to }, (_, index) => to + 1 + index).filter(
    (revision) => !known.has(revision),
  );
  const [first] = missing;
  if (first === undefined) return [];
  const last = missing.at(-1) ?? first;
  const { deployment, namespace } = plan;
  const name = `qvs.${deployment}.v${to}`;
  const which =
    missing.length === 1
      ? `Release ${first} is`
      : `${missing.length} releases from ${first} to ${last} are`;
  return [
    {
      code: "history-incomplete",
      severity: "warning",
      object: { apiVersion: "v1", kind: "Secret", namespace, name },
      what: `${which} no longer recorded`,
      why: `qvs keeps only the newest releases and those that kept objects come from. It can't find out whether migrations ran since release ${to}`,
      fix: `Search the history of the repository for Jobs with the annotation ${migrationAnnotation}`,
      where: [],
    },
  ];
}

/** Removes undefined fields, because a recorded object was JSON. */
function withoutUndefined(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
