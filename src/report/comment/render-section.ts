import { isOpen } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { rollbackCommand } from "../../model/text/qvs-commands.ts";
import { details, escapeHtml, listItem, md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  joinPhrases,
  lineBreak,
  type Phrase,
  phraseToMarkdown,
  placeLink,
  say,
  strong,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { describeChangedSources } from "../changed-sources.ts";
import { rollbackLine, versionLine } from "../prediction-lines.ts";
import { allowedFindingPhrase, findingPhrase, problemPhrase } from "../problem-phrases.ts";
import type { ReviewedFinding } from "../review/review.ts";
import { describeSources, isAllFromPullRequest } from "../rows/change-sources.ts";
import { codeLabel } from "../text/code-label.ts";
import { plural } from "../text/counts.ts";
import { renderChangeOrder } from "./change-order.ts";
import {
  type DeploymentSection,
  findingErrors,
  freezeNotices,
  isHeldBack,
  type RenderOptions,
  sectionProblems,
} from "./deployment-section.ts";
import { renderChanges, renderCommonDiffs } from "./diffs.ts";
import { isUnchecked } from "./level.ts";
import { renderDangerousObjects, renderObjects } from "./objects-list.ts";
import { renderParameters } from "./parameters.ts";
import { renderFacts, renderRisks } from "./risks.ts";
import { listNames } from "./risky-changes.ts";

/** The sizes of a comment, each shorter than the one before. All of them have the deletions. */
export const sizes = [
  "full",
  "without what is deleted",
  "short diffs",
  "list",
  "common diffs",
  "counts",
] as const;
export type CommentSize = (typeof sizes)[number];

/** Renders a deployment below its heading: the risks first, then the changes and the details. */
export function renderSection(
  section: DeploymentSection,
  size: CommentSize,
  look: RenderOptions,
): Markdown {
  const { rows } = section;
  const withDiffs = hasDiffs(size);
  const isCounts = isShortest(size);
  const parameters = isCounts ? md`` : renderParameters(section, look);
  const risks = renderRisks(section, look);
  const changes = { ...diffOptions(size), isBelowBox: risks !== "" };
  const parts = [
    renderOpening(section, look),
    renderComparison(section),
    risks,
    renderFailedMerge(section, look),
    renderFactsAndParameters(renderFacts(section, look), parameters),
    renderModules(section, look),
    withDiffs ? renderChanges(section, changes, look) : md``,
    withDiffs || isCounts ? md`` : renderObjects(section, look),
    isCounts ? renderDangerousObjects(rows) : md``,
    size === "list" || size === "common diffs" ? renderCommonDiffs(section) : md``,
    withDiffs ? renderChangeOrder(section) : md``,
    isCounts ? md`` : renderNotices(section, look),
    look.isAlone ? md`` : md`<sub>${renderTarget(section, look)}</sub>`,
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

function diffOptions(size: CommentSize) {
  return { isShort: size === "short diffs", withDeleted: size === "full" };
}

export function hasDiffs(size: CommentSize): boolean {
  return size !== "list" && !isShortest(size);
}

/**
 * Reports whether a size has no list of objects.
 * It shows only the dangerous objects, the counts and, in "common diffs", the common changes.
 */
export function isShortest(size: CommentSize): boolean {
  return size === "common diffs" || size === "counts";
}

/** Renders the effect of a merge and the sources of the changes. */
function renderOpening(
  section: DeploymentSection,
  { show, now, isPullRequest }: RenderOptions,
): Markdown {
  const merging = isPullRequest ? describeMerge(section) : undefined;
  const unchanged = isPullRequest && isOnlyLocked(section) ? nothingChanges : undefined;
  const sources = describeChangeSources(section, now);
  const sentences = [
    merging ?? unchanged,
    sources,
    describeRollback(section),
    describeVersionCheck(section),
  ].filter((phrase) => phrase !== undefined);
  return phraseToMarkdown(joinPhrases(sentences, lineBreak), show);
}

/** Reports whether only the lockfile changes, but no object. */
export function isOnlyLocked(section: DeploymentSection): boolean {
  return describeMerge(section) === undefined && (section.sources ?? []).length > 0;
}

/** The effect of a merge without changes. */
export const nothingChanges = say`If you merge, nothing changes in the cluster.`;

/** Describes the target of the deployment after a merge. Undefined if a merge deploys nothing. */
export function describeMerge(section: DeploymentSection): Phrase | undefined {
  const { rows, context, environment, namespace } = section;
  const isDeployed = rows.some(({ action }) => !["keep", "ignore", "foreign"].includes(action));
  const isStopped = sectionProblems(section).length > 0;
  if (!isDeployed && !isStopped) return undefined;
  const cluster = context === undefined ? [] : say` on ${inlineCode(context)}`;
  const where = environment === undefined ? [] : say` (environment ${inlineCode(environment)})`;
  const place = say`namespace ${inlineCode(namespace)}${cluster}${where}`;
  if (isHeldBack(section)) return describeWaiting(section, place);
  if (section.removal !== undefined)
    return say`If you merge, qvs deletes this deployment and its releases from ${place}, after it has deployed all other deployments. It deletes exactly the objects below. The deployment was removed from the list, and ${inlineCode("on-removed")} is ${inlineCode("delete")} on the target branch.`;
  if (isStopped)
    return say`If you merge, ${strong(say`qvs won't deploy`)} to ${place}. Nothing changes there.${describeOthers(section)}`;
  if (freezeNotices(section).length > 0)
    return say`If you merge, ${strong(say`qvs won't deploy`)} to ${place} while the freeze is in effect. When it ends, nothing is deployed automatically: run deploy.yml.${describeOthers(section)}`;
  return findingErrors(section).length > 0
    ? say`If you merge, qvs starts to deploy to ${place}, and ${strong(say`the deployment fails`)}.${describeOthers(section)}`
    : say`If you merge, qvs ${text(isUnchecked(section) ? "tries to deploy" : "deploys")} this to ${place}.`;
}

/**
 * Describes a deployment that waits for a failing one.
 * qvs attempts it only after the deployments that it waits for. Its changes apply from then on.
 */
function describeWaiting(section: DeploymentSection, place: Phrase): Phrase {
  const names = listNames(section.heldBackBy ?? []);
  const isStopped = sectionProblems(section).length > 0;
  const then = isStopped
    ? say`Fix the errors below as well.`
    : say`The merge that fixes ${names} also deploys the changes below.`;
  return section.removal === undefined
    ? say`If you merge, ${strong(say`qvs won't deploy`)} to ${place}. This deployment waits for ${names}, which won't succeed. ${then}`
    : say`If you merge, ${strong(say`qvs won't delete`)} this deployment from ${place}. qvs deletes a removed deployment after it has deployed all others, but ${names} won't succeed.`;
}

/**
 * Describes the effect of a failure on the other deployments, as far as it doesn't depend on the
 * workflow.
 */
function describeOthers({ holdsBack = [], othersContinue: othersGoOn }: DeploymentSection): Phrase {
  if (holdsBack.length > 0) {
    const wait = holdsBack.length === 1 ? "waits for it and isn't" : "wait for it and aren't";
    return say` ${listNames(holdsBack)} ${text(wait)} deployed either.`;
  }
  return othersGoOn === true ? say` The other deployments continue.` : [];
}

/** Renders the effect of a failing merge. It is below the errors, so a reader has seen them. */
function renderFailedMerge(
  section: DeploymentSection,
  { show, isPullRequest }: RenderOptions,
): Markdown {
  const left = isPullRequest ? describeFailedMerge(section) : undefined;
  return left === undefined ? md`` : phraseToMarkdown(left, show);
}

/**
 * Describes the state of the cluster after a merge that fails halfway.
 * qvs deletes nothing before all objects are ready. The preview doesn't know the failure handling
 * in deploy.yml. Undefined if the merge doesn't start the deployment, or if it doesn't fail.
 */
export function describeFailedMerge(section: DeploymentSection): Phrase | undefined {
  const isBegun =
    [...sectionProblems(section), ...freezeNotices(section)].length === 0 && !isHeldBack(section);
  if (!isBegun || findingErrors(section).length === 0 || section.removal !== undefined)
    return undefined;
  const { name, namespace, context, release } = section;
  const left = say`If you merge anyway, changes before the failure stay, and qvs deletes nothing`;
  if (release === undefined) return say`${left}.`;
  const command = rollbackCommand({ name, namespace, context }, release);
  return say`${left}. With ${inlineCode("on-failure: rollback")} in deploy.yml, qvs restores release ${release}. To restore it manually, run rollback.yml or ${inlineCode(command)}.`;
}

/** Describes the rollback of the plan. Undefined if it isn't known, or if nothing is deployed. */
export function describeRollback({ rollback }: DeploymentSection): Phrase | undefined {
  return rollback === undefined ? undefined : text(rollbackLine(rollback));
}

/** Describes the check against another version of Kubernetes. Undefined without one. */
export function describeVersionCheck({ againstVersion }: DeploymentSection): Phrase | undefined {
  return againstVersion === undefined ? undefined : text(`${versionLine(againstVersion)}.`);
}

/** Describes the sources of the changes. Undefined if they are unknown or obvious. */
export function describeChangeSources(
  { origin, rows, isFirst, removal }: DeploymentSection,
  now: string | undefined,
) {
  const isPlain = origin?.isPullRequest === true && isAllFromPullRequest(rows);
  return origin === undefined || isFirst || removal !== undefined || isPlain
    ? undefined
    : describeSources(rows, origin, now);
}

/**
 * Renders the changed modules, charts and remote bases. For an update, they are the only change of
 * the pull request.
 */
function renderModules(section: DeploymentSection, { show }: RenderOptions): Markdown {
  const modules = phraseToMarkdown(describeModules(section), show);
  const sources = describeChangedSources(section.sources);
  if (sources === undefined) return modules;
  const { heading, items } = sources;
  const list = items.map((each) => listItem(phraseToMarkdown(each, show)));
  const locked = joined([phraseToMarkdown(heading, show), joined(list, "\n")], "\n\n");
  return modules === "" ? locked : joined([modules, locked], "\n\n");
}

/** Describes the changed modules that the lockfile doesn't contain. */
export function describeModules({ modules, sources = [] }: DeploymentSection): Phrase {
  const locked = new Set(sources.filter(({ type }) => type === "module").map(({ name }) => name));
  const phrases = modules.map(({ name, before, after }) => {
    if (locked.has(name)) return [];
    if (before === undefined)
      return say`Module ${inlineCode(name)} is new: ${inlineCode(after ?? "")}`;
    if (after === undefined) return say`Module ${inlineCode(name)} is no longer used`;
    return say`Module ${inlineCode(name)}: ${inlineCode(before)} → ${inlineCode(after)}`;
  });
  return joinPhrases(
    phrases.filter((phrase) => phrase.length > 0),
    lineBreak,
  );
}

/**
 * Joins the new images, replicas and parameters into one list, unless the parameters have a
 * heading.
 */
function renderFactsAndParameters(facts: Markdown, parameters: Markdown): Markdown {
  if (facts === "" || parameters === "") return md`${facts}${parameters}`;
  return joined([facts, parameters], parameters.startsWith("- ") ? "\n" : "\n\n");
}

/** Names the config and the current release, and the target if no sentence above names it. */
export function renderTarget(
  section: DeploymentSection,
  { isPullRequest, show }: RenderOptions,
): Markdown {
  const isTold = isPullRequest && describeMerge(section) !== undefined;
  return phraseToMarkdown(isTold ? describeSource(section) : describeTarget(section), show);
}

/** Renders a note before all other content if the cluster wasn't checked. */
function renderComparison(section: DeploymentSection): Markdown {
  const note = describeComparison(section);
  return note === undefined
    ? md``
    : md`> [!IMPORTANT]\n> ${phraseToMarkdown(note, (_, name) => name)}`;
}

export function describeTarget(section: DeploymentSection): Phrase {
  const { config, environment, context, namespace, release } = section;
  const places = [
    placeLink({ file: config, line: 1 }, inlineCode(config)),
    ...(environment === undefined ? [] : [say`environment ${inlineCode(environment)}`]),
    ...(context === undefined ? [] : [say`context ${inlineCode(context)}`]),
    say`namespace ${inlineCode(namespace)}`,
    ...(release === undefined ? [] : [say`current release ${release}`]),
  ];
  return joinPhrases(places, " · ");
}

/**
 * Describes the config and the current release, which the sentence about the merge doesn't name.
 */
export function describeSource({ config, release }: DeploymentSection): Phrase {
  const running = release === undefined ? [] : [say`current release ${release}`];
  return joinPhrases([placeLink({ file: config, line: 1 }, inlineCode(config)), ...running], " · ");
}

/** Describes why the cluster wasn't checked. Undefined if it was. */
export function describeComparison(section: DeploymentSection): Phrase | undefined {
  const { notComparedBecause, isFork, rows } = section;
  if (notComparedBecause === undefined) return isUnchecked(section) ? noChangeChecked : undefined;
  if (rows.length === 0) return undefined;
  return say`qvs couldn't check the cluster because ${text(notComparedBecause)}. The changes below are the difference between the two commits. They don't include drift, field conflicts, exceeded quotas, rollouts that can't complete, or objects that the API server rejects.${isFork ? forkFix : []}`;
}

const noChangeChecked = say`The API server checked none of these changes, for the reasons below. It can still reject them during the deployment.`;

const forkFix = say` To check this before the merge, review the commits, push them to a branch of this repository, and open a pull request from it.`;

/** Renders the notices, which need no review before the merge. */
function renderNotices(section: DeploymentSection, { show }: RenderOptions): Markdown {
  const notices = describeNotices(section);
  if (notices.length === 0) return md``;
  const items = notices.map((each) => listItem(phraseToMarkdown(each, show)));
  return details(escapeHtml(noticesTitle(section)), joined(items, "\n"));
}

const namedNotices = 3;

/** Returns text such as `2 notices: image not pinned, api warning`. */
export function noticesTitle(section: DeploymentSection): string {
  const { findings } = section;
  const shown = [
    ...findings.filter((each) => isOpen(each) && each.severity === "note"),
    ...findings.filter((each) => !isOpen(each)),
    ...quietNotices(section),
  ];
  const subjects = [...new Set(shown.map(noticeSubject))];
  const rest = subjects.length - namedNotices;
  const more = rest > 0 ? `, and ${rest} more` : "";
  return `${plural(shown.length, "notice")}: ${subjects.slice(0, namedNotices).join(", ")}${more}`;
}

function noticeSubject(notice: ReviewedFinding | Problem): string {
  const isAllowed = "allowed" in notice && notice.allowed !== undefined;
  return `${codeLabel(notice.code)}${isAllowed ? " (allowed)" : ""}`;
}

/** Returns the notices that aren't in the boxes above. */
function quietNotices(section: DeploymentSection): readonly Problem[] {
  const holds = freezeNotices(section);
  return section.notices.filter((notice) => !holds.includes(notice));
}

export function describeNotices(section: DeploymentSection): readonly Phrase[] {
  const { findings } = section;
  const notes = findings.filter((each) => isOpen(each) && each.severity === "note");
  const allowed = findings.filter((each) => !isOpen(each));
  return [
    ...notes.map((each) => findingPhrase(each, each.isOlder)),
    ...allowed.map(allowedFindingPhrase),
    ...quietNotices(section).map((each) => problemPhrase(each)),
  ];
}
