import { isOpen } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { rollbackCommand } from "../../model/text/rollback-command.ts";
import { details, escapeHtml, md } from "../../redaction/markdown.ts";
import { listItem } from "../../redaction/own-markdown.ts";
import {
  inMarkdown,
  listOf,
  named,
  nextLine,
  type Phrase,
  placed,
  say,
  strong,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { allowedInWords, findingInWords } from "../findings.ts";
import { problemInWords } from "../problems.ts";
import type { ReviewedFinding } from "../review/review.ts";
import { whoseInWords } from "../rows/whose.ts";
import { codeInWords } from "../text/code-words.ts";
import { plural } from "../text/counts.ts";
import { listNames } from "./dangers.ts";
import {
  type DeploymentSection,
  errorsOf,
  holdsOf,
  isHeldBack,
  type Look,
  problemsOf,
} from "./deployment-section.ts";
import { renderCommonDiffs, renderDiffs } from "./diffs.ts";
import { renderDangerousObjects, renderObjects } from "./objects-list.ts";
import { renderOrderOf } from "./order.ts";
import { areFew, renderParameters } from "./parameters.ts";
import { renderFacts, renderRisks } from "./risks.ts";

/** How much of the comment is written; each is shorter than the one before. Deletions are in all of them. */
export const sizes = [
  "full",
  "without what is deleted",
  "short diffs",
  "list",
  "common diffs",
  "counts",
] as const;
export type Size = (typeof sizes)[number];

/** What is to be known of one deployment, below its heading: what is dangerous, what changes, how. */
export function renderSection(section: DeploymentSection, size: Size, look: Look): Markdown {
  const { rows } = section;
  const withDiffs = hasDiffs(size);
  const isCounts = isShortest(size);
  const parameters = isCounts ? md`` : renderParameters(section, look);
  const isNear = areFew(section.parameters);
  const parts = [
    renderOpening(section, look),
    renderComparison(section),
    renderRisks(section, look),
    renderFailing(section, look),
    renderFacts(section, look),
    isNear ? parameters : md``,
    renderModules(section),
    renderTarget(section, look),
    isNear ? md`` : parameters,
    isCounts ? renderDangerousObjects(rows) : renderObjects(section, look),
    withDiffs
      ? renderDiffs(section, { isShort: size === "short diffs", withDeleted: size === "full" })
      : md``,
    size === "list" || size === "common diffs" ? renderCommonDiffs(section) : md``,
    withDiffs ? renderOrderOf(section.order) : md``,
    isCounts ? md`` : renderNotices(section, look),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

export function hasDiffs(size: Size): boolean {
  return size !== "list" && !isShortest(size);
}

/** Of what is not dangerous, nothing but how much there is, and what changes alike. */
export function isShortest(size: Size): boolean {
  return size === "common diffs" || size === "counts";
}

/** What merging does, and whose the changes are. */
function renderOpening(section: DeploymentSection, { show, now, isPullRequest }: Look): Markdown {
  const merging = isPullRequest ? describeMerging(section) : undefined;
  const said = [merging, describeWhose(section, now)].filter((phrase) => phrase !== undefined);
  return inMarkdown(listOf(said, nextLine), show);
}

/** What merging deploys, and to where; undefined where it deploys nothing. */
export function describeMerging(section: DeploymentSection): Phrase | undefined {
  const { rows, context, environment, namespace } = section;
  const isDeployed = rows.some(({ action }) => !["keep", "ignore", "foreign"].includes(action));
  const isStopped = problemsOf(section).length > 0;
  if (!isDeployed && !isStopped) return undefined;
  const cluster = context === undefined ? [] : say` on ${named(context)}`;
  const where = environment === undefined ? [] : say` (environment ${named(environment)})`;
  const place = say`namespace ${named(namespace)}${cluster}${where}`;
  if (isHeldBack(section)) return describeHolding(section, place);
  if (section.removal !== undefined)
    return say`This deployment is removed from the list of deployments, and merging deletes it from ${place}, with its releases: ${named("on-removed")} is ${named("delete")} on the target branch. Exactly what is shown here is deleted, after everything else is deployed.`;
  if (isStopped)
    return say`${strong(say`This is not deployed:`)} the deployment would fail before anything is changed in ${place}.${othersThen(section)}`;
  if (holdsOf(section).length > 0)
    return say`${strong(say`This is not deployed while deployments are frozen:`)} the deployment would be refused before anything is changed in ${place}, and has to be run again after the freeze.${othersThen(section)}`;
  return errorsOf(section).length > 0
    ? say`Merging starts a deployment to ${place}, which ${strong(say`fails on the way`)}.${othersThen(section)}`
    : say`Merging deploys this to ${place}.`;
}

/** A deployment is attempted only after all that it waits for; what is shown of it counts from then on. */
function describeHolding(section: DeploymentSection, place: Phrase): Phrase {
  const names = listNames(section.heldBackBy ?? []);
  const isStopped = problemsOf(section).length > 0;
  const then = isStopped
    ? "What is shown has to be fixed as well."
    : "What is shown comes once that is fixed.";
  return section.removal === undefined
    ? say`${strong(say`This is not deployed`)} to ${place}: it waits for ${names}, which would not be deployed. ${text(then)}`
    : say`${strong(say`This is not deleted`)} from ${place}: a removed deployment is deleted after all others are deployed, and ${names} would not be.`;
}

/** What its failure means for the other deployments of the pull request, as far as that does not depend on the workflow. */
function othersThen({ holdsBack = [], othersGoOn }: DeploymentSection): Phrase {
  if (holdsBack.length > 0) {
    const wait = holdsBack.length === 1 ? "waits for it and is" : "wait for it and are";
    return say` ${listNames(holdsBack)} ${text(wait)} not deployed.`;
  }
  return othersGoOn === true ? say` ${strong(say`The other deployments go on.`)}` : [];
}

/** Below what would fail: who merges anyway has read that by then. */
function renderFailing(section: DeploymentSection, { show, isPullRequest }: Look): Markdown {
  const left = isPullRequest ? describeFailing(section) : undefined;
  return left === undefined ? md`` : inMarkdown(left, show);
}

/**
 * What merging leaves behind where it fails on the way: nothing is deleted before all is ready. What a preview does not know is what
 * deploy.yml does then. undefined where merging does not get that far, or does not fail.
 */
export function describeFailing(section: DeploymentSection): Phrase | undefined {
  const isBegun =
    [...problemsOf(section), ...holdsOf(section)].length === 0 && !isHeldBack(section);
  if (!isBegun || errorsOf(section).length === 0 || section.removal !== undefined) return undefined;
  const { name, namespace, context, release } = section;
  const left = say`If you merge anyway: what was changed before the failure stays, and nothing is deleted`;
  if (release === undefined) return say`${left}.`;
  const command = rollbackCommand({ name, namespace, context }, release);
  return say`${left}, unless deploy.yml has ${named("on-failure: rollback")}. To go back to release ${release}, run rollback.yml or ${named(command)}.`;
}

/** Whose the changes are; undefined where nobody can tell, or all is new. */
export function describeWhose(
  { origin, rows, isFirst, removal }: DeploymentSection,
  now: string | undefined,
) {
  return origin === undefined || isFirst || removal !== undefined
    ? undefined
    : whoseInWords(rows, origin, now);
}

/** Of a bump of an adapter it is all that the pull request has changed. */
function renderModules(section: DeploymentSection): Markdown {
  return inMarkdown(describeModules(section), (_, name) => name);
}

export function describeModules({ modules }: DeploymentSection): Phrase {
  const phrases = modules.map(({ name, before, after }) => {
    if (before === undefined) return say`Module ${named(name)} is new: ${named(after ?? "")}`;
    if (after === undefined) return say`Module ${named(name)} is no longer used`;
    return say`Module ${named(name)}: ${named(before)} → ${named(after)}`;
  });
  return listOf(phrases, nextLine);
}

/** Where it goes. */
function renderTarget(section: DeploymentSection, { isPullRequest, show }: Look): Markdown {
  const isTold = isPullRequest && describeMerging(section) !== undefined;
  const target = isTold ? describeSource(section) : describeTarget(section);
  return md`<sub>${inMarkdown(target, show)}</sub>`;
}

/** Before all else: nothing below it is what the cluster would do. */
function renderComparison(section: DeploymentSection): Markdown {
  const note = describeComparison(section);
  return note === undefined ? md`` : md`> [!IMPORTANT]\n> ${inMarkdown(note, (_, name) => name)}`;
}

export function describeTarget(section: DeploymentSection): Phrase {
  const { config, environment, context, namespace, release } = section;
  const places = [
    placed({ file: config, line: 1 }, named(config)),
    ...(environment === undefined ? [] : [say`environment ${named(environment)}`]),
    ...(context === undefined ? [] : [say`context ${named(context)}`]),
    say`namespace ${named(namespace)}`,
    ...(release === undefined ? [] : [say`now running release ${release}`]),
  ];
  return listOf(places, " · ");
}

/** What is not said where merging is told. */
export function describeSource({ config, release }: DeploymentSection): Phrase {
  const running = release === undefined ? [] : [say`now running release ${release}`];
  return listOf([placed({ file: config, line: 1 }, named(config)), ...running], " · ");
}

/** Why the cluster was not asked; undefined where it was. */
export function describeComparison({
  notComparedBecause,
  rows,
}: DeploymentSection): Phrase | undefined {
  if (notComparedBecause === undefined || rows.length === 0) return undefined;
  return say`Not checked against the cluster because ${text(notComparedBecause)}. What follows is the difference between the two commits: drift, field conflicts, quotas, rollouts that can't complete and what the API server refuses are not in it.`;
}

/** What nobody has to read before merging. */
function renderNotices(section: DeploymentSection, { show }: Look): Markdown {
  const notices = describeNotices(section);
  if (notices.length === 0) return md``;
  const items = notices.map((each) => listItem(inMarkdown(each, show)));
  return details(escapeHtml(noticesTitle(section)), joined(items, "\n"));
}

const namedNotices = 3;

/** `2 notices: image not pinned, api warning`. */
export function noticesTitle(section: DeploymentSection): string {
  const { findings } = section;
  const told = [
    ...findings.filter((each) => isOpen(each) && each.severity === "note"),
    ...findings.filter((each) => !isOpen(each)),
    ...quietNotices(section),
  ];
  const subjects = [...new Set(told.map(noticeSubject))];
  const rest = subjects.length - namedNotices;
  const more = rest > 0 ? `, and ${rest} more` : "";
  return `${plural(told.length, "notice")}: ${subjects.slice(0, namedNotices).join(", ")}${more}`;
}

function noticeSubject(notice: ReviewedFinding | Problem): string {
  const isAllowed = "allowed" in notice && notice.allowed !== undefined;
  return `${codeInWords(notice.code)}${isAllowed ? " (allowed)" : ""}`;
}

/** The others stand in the boxes above. */
function quietNotices(section: DeploymentSection): readonly Problem[] {
  const holds = holdsOf(section);
  return section.notices.filter((notice) => !holds.includes(notice));
}

export function describeNotices(section: DeploymentSection): readonly Phrase[] {
  const { findings } = section;
  const notes = findings.filter((each) => isOpen(each) && each.severity === "note");
  const allowed = findings.filter((each) => !isOpen(each));
  return [
    ...notes.map((each) => findingInWords(each, each.isOlder)),
    ...allowed.map(allowedInWords),
    ...quietNotices(section).map((each) => problemInWords(each)),
  ];
}
