import type { ChangeSource, FieldAuthor } from "../../model/plan/attribution.ts";
import { inlineCode, joinPhrases, type Phrase, say, text } from "../../redaction/phrase.ts";
import type { ReviewedOrigin } from "../review/review.ts";
import { plural } from "../text/counts.ts";
import { authorText } from "./notable-changes.ts";
import { notDeployedYet } from "./plan-rows.ts";
import type { Row } from "./row.ts";

type SourcesContext = ReviewedOrigin & { readonly now: string | undefined };

/**
 * Counts the changed objects by source. An object counts for each of its sources.
 * Example: `From this pull request: 2 objects · drift since release 7: 1 object (kubectl-edit, 3
 * days ago)`. Undefined if no source is known.
 */
export function describeSources(
  rows: readonly Row[],
  known: ReviewedOrigin,
  now: string | undefined,
): Phrase | undefined {
  const origin = { ...known, now };
  const [late, drift, adoption] = (["undeployed", "drift", "adoption"] as const).map((source) =>
    rowsOfSource(rows, source),
  ) as [readonly Row[], readonly Row[], readonly Row[]];
  const server = rows.filter(({ source }) => source === "server");
  const others = [
    ...(late.length === 0
      ? []
      : [say`${text(notDeployedYet)}: ${objects(late)}${sinceCommit(origin)}`]),
    ...(drift.length === 0
      ? []
      : [
          say`drift${sinceRelease(origin)}: ${objects(drift)}${authorsPhrase(drift, "drift", origin)}`,
        ]),
    ...describeAdoption(adoption),
    ...describeServerChanges(server),
  ];
  const own = ownChanges(rows, others.length > 0, origin);
  const all = [...own, ...others];
  return all.length === 0 ? undefined : joinPhrases(all, " · ");
}

/**
 * Counts the changes by the API server. An object that the cluster itself deleted is created again.
 */
function describeServerChanges(rows: readonly Row[]): readonly Phrase[] {
  const created = rows.filter(({ action }) => action === "create");
  const changed = rows.filter((row) => !created.includes(row));
  return [
    ...(changed.length === 0 ? [] : [say`changed by the API server: ${objects(changed)}`]),
    ...(created.length === 0 ? [] : [say`deleted by the cluster: ${objects(created)}`]),
  ];
}

function ownChanges(
  rows: readonly Row[],
  hasOthers: boolean,
  { isPullRequest }: SourcesContext,
): readonly Phrase[] {
  const own = rowsOfSource(rows, "change");
  if (own.length > 0) {
    const where = isPullRequest ? say`this pull request` : say`the manifests`;
    return [say`From ${where}: ${objects(own)}`];
  }
  if (!isPullRequest || !hasOthers || mightBeFromPullRequest(rows)) return [];
  return [say`No change is from this pull request`];
}

function mightBeFromPullRequest(rows: readonly Row[]): boolean {
  return rows.some(
    ({ source, isDeclaredHere, harmless }) =>
      isDeclaredHere === true || (source === undefined && harmless !== true),
  );
}

/** Reports whether no change has another source, as in most pull requests. */
export function isAllFromPullRequest(rows: readonly Row[]): boolean {
  return otherSources.every((source) => rowsOfSource(rows, source).length === 0);
}

const otherSources = ["undeployed", "drift", "adoption", "server"] as const;

/** Reports whether all changes have another source than the pull request. */
export function isFromOthers(
  rows: readonly Row[],
  { isPullRequest }: Pick<ReviewedOrigin, "isPullRequest">,
): boolean {
  const sources = otherSources.filter((source) => rowsOfSource(rows, source).length > 0);
  const own = rowsOfSource(rows, "change");
  return isPullRequest && own.length === 0 && sources.length > 0 && !mightBeFromPullRequest(rows);
}

/** Returns the rows with fields of this source. */
function rowsOfSource(rows: readonly Row[], source: ChangeSource): readonly Row[] {
  return rows.filter(
    (row) => row.source === source || row.fields.some((each) => each.source === source),
  );
}

/** Returns the number with a noun. A number alone would be unclear. */
function objects(rows: readonly Row[]): Phrase {
  return text(plural(rows.length, "object"));
}

const shortCommit = 7;

function sinceCommit({ release, commit }: SourcesContext): Phrase {
  if (commit === undefined || release === undefined) return [];
  return say` (release ${release} deployed ${inlineCode(commit.slice(0, shortCommit))})`;
}

function sinceRelease({ release }: SourcesContext): Phrase {
  return release === undefined ? [] : say` since release ${release}`;
}

const namedAuthors = 2;

/** Names the last authors of the changes, the latest first. */
function authorsPhrase(
  rows: readonly Row[],
  source: ChangeSource,
  { now }: SourcesContext,
): Phrase {
  const authors = lastAuthors(rows, source);
  if (rows.every(({ action }) => action === "create")) return say` (deleted in the cluster)`;
  if (authors.length === 0) return [];
  const texts = authors.slice(0, namedAuthors).map((each) => authorText(each, now));
  const rest = authors.length - namedAuthors;
  const more = rest > 0 ? say`, and ${rest} more` : [];
  return say` (${text(texts.join("; "))}${more})`;
}

/** Returns each manager once, with its last change. */
function lastAuthors(rows: readonly Row[], source: ChangeSource): readonly FieldAuthor[] {
  const authors = rows
    .flatMap(({ fields }) => fields)
    .filter((field) => field.source === source)
    .flatMap(({ by }) => by ?? [])
    .toSorted((a, b) => ((a.since ?? "") < (b.since ?? "") ? 1 : -1));
  const byName = new Map(authors.toReversed().map((each) => [each.manager, each]));
  return [...byName.values()].toReversed();
}

/**
 * Names the field managers whose fields this deployment takes. Without known managers, it only
 * counts the objects.
 */
function describeAdoption(rows: readonly Row[]): readonly Phrase[] {
  if (rows.length === 0) return [];
  const managers = lastAuthors(rows, "adoption").map(({ manager }) => manager);
  if (managers.length === 0) return [say`adopts existing objects: ${objects(rows)}`];
  const rest = managers.length - namedAuthors;
  const more = rest > 0 ? say` and ${rest} more` : [];
  const names = joinPhrases(managers.slice(0, namedAuthors).map(inlineCode), ", ");
  return [say`takes field ownership from ${names}${more}: ${objects(rows)}`];
}
