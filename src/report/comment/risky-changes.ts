import {
  deletionEffect,
  recreationEffect,
  renamingEffect,
} from "../../model/cluster/change-effects.ts";
import { nameOf } from "../../model/object.ts";
import { isOpen } from "../../model/problems/finding.ts";
import { hasSubject } from "../../model/problems/problem.ts";
import { inlineCode, joinPhrases, type Phrase, say, strong, text } from "../../redaction/phrase.ts";
import type { DeploymentReview } from "../review/review.ts";
import { isObjectLost } from "../rows/consequences.ts";
import { authorText, type NotableChange, notableChanges } from "../rows/notable-changes.ts";
import { notDeployedYet } from "../rows/plan-rows.ts";
import { type Row, rowKind } from "../rows/row.ts";
import { plural } from "../text/counts.ts";
import { sectionProblems } from "./deployment-section.ts";

/** Longer lists of names would hide the other facts. The list of objects has all names. */
const namedObjects = 3;

/** Describes every loss and reduction. */
export function describeRiskyChanges(
  section: DeploymentReview,
  { now }: { readonly now: string | undefined },
): readonly Phrase[] {
  return [
    ...describeDeletions(section),
    ...describeRenames(section),
    ...describeRecreations(section),
    ...describeCrdLosses(section.rows),
    // An error already describes a blocked object.
    ...notableChanges(section.rows.filter(({ isRefused }) => isRefused !== true))
      .filter(({ isRisk }) => isRisk)
      .map((each) => described(each, now)),
  ];
}

/** Describes the objects that are deleted or renamed. */
export function describeLosses(section: DeploymentReview): readonly Phrase[] {
  const old = renamedRows(section).map(({ succeeds = "" }) => succeeds);
  return [
    ...deletionSummary(section),
    ...(old.length > 0 ? [say`renames ${listNames(old)}: ${text(renameSteps(old.length))}`] : []),
  ];
}

function renameSteps(count: number): string {
  return count === 1
    ? "creates the new one, then deletes the old one"
    : "creates the new ones, then deletes the old ones";
}

function deletionSummary(section: DeploymentReview): readonly Phrase[] {
  const deleted = deletedNames(section);
  return deleted.length > 0 ? [say`deletes ${listDeletedNames(deleted)}`] : [];
}

/** Names the first of many objects, which is the most important one. A count alone isn't enough. */
function listDeletedNames(names: readonly string[]): Phrase {
  const [first = ""] = names;
  if (names.length <= namedObjects) return listNames(names);
  return say`${inlineCode(first)} and ${names.length - 1} more objects`;
}

function deletedNames(section: DeploymentReview): readonly string[] {
  // An error about the object already describes the deletion.
  const problems = sectionProblems(section);
  return section.rows
    .filter((row) => row.action === "delete" && isObjectLost(row))
    .map(({ name }) => name)
    .filter((name) => !problems.some((problem) => hasSubject(problem, name)));
}

/** The maximum number of lines about deletions. */
const deletionLines = 8;

/**
 * Describes each deleted object.
 * If there are many, it describes those with a known consequence and counts the others by kind.
 */
function describeDeletions(section: DeploymentReview): readonly Phrase[] {
  const deleted = deletedNames(section);
  if (deleted.length <= deletionLines) return deleted.map(deletionPhrase);
  const explainedNames = deleted
    .filter((name) => deletionEffect(rowKind(name)) !== undefined)
    .slice(0, deletionLines - 1);
  const others = deleted.filter((name) => !explainedNames.includes(name));
  const counts = [...Map.groupBy(others, rowKind)].map(
    ([kind, names]) => say`${names.length} ${inlineCode(kind)}`,
  );
  const number = plural(others.length, explainedNames.length === 0 ? "object" : "more object");
  return [
    ...explainedNames.map(deletionPhrase),
    say`Deletes ${text(number)}: ${joinPhrases(counts, ", ")}`,
  ];
}

function deletionPhrase(name: string): Phrase {
  const means = deletionEffect(rowKind(name));
  return say`Deletes ${inlineCode(name)}${means === undefined ? [] : say`: ${text(means)}`}`;
}

function renamedRows({ rows }: DeploymentReview): readonly Row[] {
  return rows.filter((row) => row.action === "rename" && isObjectLost(row));
}

/**
 * Describes the renamed objects. Another name means a new object and the deletion of the old one.
 */
function describeRenames(section: DeploymentReview): readonly Phrase[] {
  const rows = renamedRows(section);
  if (rows.length > namedObjects) {
    return [say`Creates ${rows.length} objects under new names, then deletes the old ones`];
  }
  return rows.map(
    ({ name, succeeds = "" }) =>
      say`Creates ${inlineCode(name)}, and deletes ${inlineCode(succeeds)} after the new one is ready; ${text(renamingEffect(rowKind(name)))}`,
  );
}

/** Returns the names of the objects whose recreation is explained in a box above the list. */
export function recreationsInBox(section: DeploymentReview): ReadonlySet<string> {
  const replaced = recreatedWithoutFinding(section);
  const listed = replaced.length > namedObjects ? [] : replaced.map(({ name }) => name);
  return new Set([...namesWithFinding(section), ...listed]);
}

/** Returns the names of the objects whose recreation is described by a finding. */
function namesWithFinding({ findings }: DeploymentReview): ReadonlySet<string> {
  const open = findings.filter(
    (each) => isOpen(each) && /^(immutable|job-runs-again)$/.test(each.code),
  );
  return new Set(open.map(({ object }) => nameOf(object)));
}

function recreatedWithoutFinding(section: DeploymentReview): readonly Row[] {
  const withFinding = namesWithFinding(section);
  return replacedRows(section.rows).filter(({ name }) => !withFinding.has(name));
}

/**
 * Describes the recreated objects with reason and consequence, except those that have a finding.
 */
function describeRecreations(section: DeploymentReview): readonly Phrase[] {
  const replaced = recreatedWithoutFinding(section);
  if (replaced.length > namedObjects) {
    return [describeReplaced(replaced, "Deletes")];
  }
  return replaced.map((row) => {
    const because = immutablePhrase(row);
    const means = row.keepsPods ? "its Pods stay" : recreationEffect(rowKind(row.name));
    return say`Deletes and recreates ${inlineCode(row.name)}${because.length > 0 ? say` ${because}` : []}; ${text(means)}`;
  });
}

/**
 * Returns text such as `deletes and recreates StatefulSet shop/db, and its Pods stay`. Objects
 * whose Pods are deleted come first.
 */
export function describeReplaced(replaced: readonly Row[], verb = "deletes"): Phrase {
  const [whole, kept] = [false, true].map((keeps) =>
    replaced.filter(({ keepsPods = false }) => keepsPods === keeps),
  );
  const owner = kept?.length === 1 ? "its" : "their";
  const groups = [
    { rows: whole ?? [], effect: [] },
    { rows: kept ?? [], effect: say`, and ${text(owner)} Pods stay` },
  ].filter(({ rows }) => rows.length > 0);
  const phrases = groups.map(({ rows, effect }, index) => {
    const names = listNames(rows.map(({ name }) => name));
    return say`${text(index === 0 ? verb : "deletes")} and recreates ${names}${effect}`;
  });
  return joinPhrases(phrases, " · ");
}

export function replacedRows(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ action }) => action === "replace");
}

/** Returns text such as `because spec.selector can't be changed`. */
export function immutablePhrase({ recreates = [] }: Row): Phrase {
  if (recreates.length === 0) return [];
  return say`because ${joinPhrases(recreates.slice(0, namedObjects).map(inlineCode), ", ")} can't be changed`;
}

/** Describes the removals in a CustomResourceDefinition. Existing objects of the kind can break. */
export function describeCrdLosses(rows: readonly Row[]): readonly Phrase[] {
  return rows.flatMap((row) => {
    const lost = crdLosses(row);
    return lost.length === 0
      ? []
      : [say`${inlineCode(row.name)}: ${joinPhrases(lost.map(inlineCode), ", ")}`];
  });
}

export function crdLosses({ diff }: Row): readonly string[] {
  return (diff?.words ?? []).filter((words) => /\bremoves |no longer served/.test(words));
}

/**
 * Describes a change, such as `replicas: 3 → 1 in Deployment shop/web`, with consequence and
 * source.
 * Without the source, a reader would attribute it to the pull request.
 */
export function described(change: NotableChange, now: string | undefined): Phrase {
  const { text: what, names, means } = change;
  const consequence = means === undefined ? [] : say`: ${text(means)}`;
  return say`${strong(inlineCode(what))} in ${listNames(names)}${consequence}${describeChangeSource(change, now)}`;
}

function describeChangeSource({ source, by }: NotableChange, now: string | undefined): Phrase {
  const author = by === undefined ? [] : say` (${text(authorText(by, now))})`;
  const overwrites = say`; overwrites the value of another field manager${author}`;
  switch (source) {
    case undefined:
      return by === undefined ? [] : overwrites;
    case "undeployed":
      return say`; ${text(notDeployedYet)}${by === undefined ? [] : overwrites}`;
    case "adoption":
      return overwrites;
    case "drift": {
      const isByHand = by?.manager.startsWith("kubectl") === true;
      return say`; reverts a ${isByHand ? text("manual change") : text("change made in the cluster")}${author}`;
    }
    case "server":
      return say`; changed by the API server`;
  }
}

/** Returns the names of the objects that a reader must check: lost, reduced or with a finding. */
export function namesToCheck(section: DeploymentReview): ReadonlySet<string> {
  const { findings, rows } = section;
  const lost = rows.filter(
    (row) => isObjectLost(row) || row.action === "replace" || crdLosses(row).length > 0,
  );
  const less = notableChanges(rows).filter(({ isRisk }) => isRisk);
  const found = findings.filter((each) => isOpen(each) && each.severity !== "note");
  return new Set([
    ...lost.map(({ name }) => name),
    ...less.flatMap(({ names }) => names),
    ...found.map(({ object }) => nameOf(object)),
    ...sectionProblems(section).flatMap(({ subjects }) => subjects ?? []),
  ]);
}

export function listNames(names: readonly string[]): Phrase {
  if (names.length > namedObjects) return say`${names.length} objects`;
  return joinPhrases(names.map(inlineCode), ", ");
}
