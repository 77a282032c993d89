import {
  checkTitle,
  code,
  details,
  escapeHtml,
  escapeText,
  html,
  link,
  md,
  table,
} from "../../redaction/markdown.ts";
import { phraseToMarkdown, phraseToText } from "../../redaction/phrase.ts";
import { type CheckTitle, joined, type Markdown } from "../../redaction/shown.ts";
import { repeatedDiffs } from "../diff/common-hunks.ts";
import { renderProblems } from "../problem-phrases.ts";
import type { Review } from "../review/review.ts";
import { renderApprovals } from "./approval-line.ts";
import { describeArtifact } from "./comment-input.ts";
import type { DeploymentSection, RenderOptions } from "./deployment-section.ts";
import {
  describeBriefly,
  describeVerdict,
  renderHeading,
  textInShort,
} from "./describe-verdict.ts";
import { buildSections, isInteresting, levelMarks, verdictLevel } from "./level.ts";
import { placeRenderer } from "./place-links.ts";
import {
  type CommentSize,
  hasDiffs,
  isShortest,
  nothingChanges,
  renderSection,
  renderTarget,
  sizes,
} from "./render-section.ts";
import { cutBody, mapWithinLimit, type SizeLimit, withShortTexts } from "./size-limit.ts";

/** The first line of every comment of this Action. The Action also checks the author. */
export const commentMarker = md`<!-- qvs-action:comment v1 -->`;

/**
 * GitHub rejects comments of more than 65,536 characters. The difference is a reserve, because
 * GitHub can count characters differently.
 */
const maxUnits = 65_000;
/** GitHub drops a step summary of more than 1 MiB. The difference leaves room for an outcome. */
const maxSummaryBytes = 990_000;

/**
 * Renders the comment on a pull request in the largest size that fits. The same input gives the
 * same bytes.
 */
export function renderComment(review: Review, limit = maxUnits): Markdown {
  return largestFitting(review, (body) => body.length, limit);
}

/** Returns the heading of the comment for the title of a check. */
export function commentTitle(review: Review): CheckTitle {
  const isIncomplete = (review.previewProblems ?? []).length > 0;
  return checkTitle(
    isIncomplete
      ? problemsTitle(review)
      : phraseToText(describeVerdict(buildSections(review.deployments))),
  );
}

/** Renders the comment in the largest size that fits into a step summary. */
export function renderSummary(review: Review): Markdown {
  return largestFitting(review, (body) => Buffer.byteLength(body), maxSummaryBytes);
}

/**
 * Reports whether a preview needs a comment.
 * A pull request without changes gets no new comment. An existing comment is updated.
 */
export function needsComment(review: Review): boolean {
  return (review.previewProblems ?? []).length > 0 || review.deployments.some(isInteresting);
}

/** Returns the heading of a preview that is impossible or incomplete. */
export function problemsTitle({ deployments }: Pick<Review, "deployments">): string {
  return deployments.length === 0
    ? "This pull request can't be previewed"
    : "Only a part of this pull request can be previewed";
}

function largestFitting(
  review: Review,
  measure: (body: string) => number,
  limit: number,
): Markdown {
  const sections = buildSections(review.deployments);
  for (const size of sizes) {
    const body = assemble(review, sections, size, { measure, limit });
    if (body !== undefined && measure(body) <= limit) return body;
  }
  const shortest = assemble(review, sections, "counts", { measure, limit: Infinity });
  return cutBody(shortest ?? md``, { measure, limit });
}

/**
 * Assembles the comment in one size. Returns undefined if the sections of the deployments alone
 * exceed the limit: qvs renders no more of them, because a preview can have hundreds.
 */
function assemble(
  review: Review,
  sections: readonly DeploymentSection[],
  size: CommentSize,
  limit: SizeLimit,
): Markdown | undefined {
  const { previewProblems, deployments, now } = review;
  // Links are longer than plain places.
  const hasLinks = hasDiffs(size);
  const show = placeRenderer(hasLinks ? review : { ...review, repositoryUrl: undefined });
  const look = {
    ...{ show, now, isShort: isShortest(size), isAlone: deployments.length === 1 },
    isPullRequest: review.pullRequest !== undefined,
  };
  const preview =
    previewProblems === undefined || deployments.length > 0
      ? previewParts(sections, size, look, limit)
      : [];
  if (preview === undefined) return undefined;
  const parts = [
    ...(previewProblems === undefined ? [] : [renderPreviewProblems(review, look)]),
    ...preview,
  ];
  const [head = md``, ...rest] = parts;
  const [first = md``, ...others] = [
    head,
    renderArtifactSource(review),
    ...rest,
    renderFooter(review, size, look),
  ].filter((part) => part !== "");
  const approvals = renderApprovals(review.headCommit, deployments);
  const marked = approvals === undefined ? commentMarker : md`${commentMarker}\n${approvals}`;
  return md`${joined([md`${marked}\n${first}`, ...others], "\n\n")}\n`;
}

function previewParts(
  sections: readonly DeploymentSection[],
  size: CommentSize,
  look: RenderOptions,
  limit: SizeLimit,
): readonly Markdown[] | undefined {
  const shown = sections.filter(isInteresting);
  if (sections.length === 1) {
    return [
      renderHeading(sections),
      ...(shown.length === 0 ? renderNothing(look) : []),
      ...shown.map((section) => renderSection(section, size, look)),
    ];
  }
  const isFolded = shown.length > openSections;
  const repeated = repeatedDiffs(shown);
  const named = mapWithinLimit(
    shown,
    (section) => renderNamed({ ...section, repeated }, size, look, isFolded),
    limit,
  );
  return named && [renderHeading(sections), renderOverview(sections), ...named];
}

function renderNothing({ isPullRequest, show }: RenderOptions): readonly Markdown[] {
  return isPullRequest ? [phraseToMarkdown(nothingChanges, show)] : [];
}

/** Deployments without a risk are folded if there are more deployments than this. */
const openSections = 4;

function renderNamed(
  section: DeploymentSection,
  size: CommentSize,
  look: RenderOptions,
  isFolded: boolean,
): Markdown {
  const { name } = section;
  const level = verdictLevel(section);
  const body = renderSection(section, size, look);
  const mark = levelMarks[level];
  if (isFolded && level === "change") {
    const summary = html`${escapeHtml(mark)} <b>${escapeHtml(name)}</b>: ${escapeHtml(textInShort(section))}`;
    return details(summary, body);
  }
  return md`### ${escapeText(mark)} ${escapeText(name)}\n\n${body}`;
}

/** The overview leaves out deployments without a risk if there are more of them than this. */
const openRows = 8;

/**
 * Renders one row for each deployment with changes. Many deployments without a risk become one
 * line.
 */
function renderOverview(sections: readonly DeploymentSection[]): Markdown {
  const shown = sections.filter(isInteresting);
  const untouched = sections.filter((section) => !isInteresting(section));
  const safe = shown.filter((section) => verdictLevel(section) === "change");
  const isFolded = safe.length > openRows && safe.length < shown.length;
  const open = isFolded ? shown.filter((section) => !safe.includes(section)) : shown;
  const names = untouched.map(({ name }) => code(name));
  const parts = [
    overviewTable(open),
    isFolded ? md`${safe.length} more deployments are ready. They are listed below.` : md``,
    names.length === 0 ? md`` : md`Without changes: ${joined(names, ", ")}`,
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** Renders two columns, because a phone has no room for more. */
function overviewTable(sections: readonly DeploymentSection[]): Markdown {
  if (sections.length === 0) return md``;
  const rows = sections.map((section) => [
    md`${escapeText(levelMarks[verdictLevel(section)])} **${escapeText(section.name)}**`,
    phraseToMarkdown(describeBriefly(section), (_, place) => place),
  ]);
  return table([md`Deployment`, md`What happens`], rows);
}

const openDigests = 4;

function renderFooter(review: Review, size: CommentSize, look: RenderOptions): Markdown {
  const { deployments, headCommit, runUrl } = review;
  const digests = deployments.flatMap(({ name, digest }) => {
    const prefix = deployments.length === 1 ? md`` : md`${code(name)} `;
    return digest === undefined ? [] : [md`${prefix}${code(digest.slice(0, 12))}`];
  });
  const isFolded = digests.length > openDigests;
  const alone = buildSections(look.isAlone ? deployments : []).filter(isInteresting);
  const parts = [
    // Empty in a repository without commits, which `qvs diff` also supports.
    ...(headCommit === "" ? [] : [md`Commit ${code(headCommit.slice(0, 12))}`]),
    ...(digests.length === 0 || isFolded ? [] : [md`plan ${joined(digests, ", ")}`]),
    ...alone.map((section) => renderTarget(section, look)),
    ...(runUrl === undefined ? [] : [link(md`run`, runUrl)]),
    ...(size === "full" ? [] : [md`shortened; full text in ${fullPreviewPlace(review)}`]),
  ];
  if (parts.length === 0) return md``;
  const plans = isFolded
    ? md`\n\n${details(escapeHtml(`${digests.length} plans`), md`<sub>${joined(digests, ", ")}</sub>`)}`
    : md``;
  return md`<sub>${joined(parts, " · ")}</sub>${plans}`;
}

/**
 * Renders a warning below the heading if the review comes from an artifact. Without it, a reader
 * would trust the review too much.
 */
function renderArtifactSource(review: Review): Markdown {
  const warning = describeArtifact(review);
  if (warning === undefined) return md``;
  return md`> [!IMPORTANT]\n> ${phraseToMarkdown(warning, (_, place) => place)}\n\n${artifactMarker}`;
}

const artifactMarker = md`<!-- qvs-action:artifact -->`;

/** Reports whether a comment of this Action comes from an artifact that an outsider can write. */
export function isArtifactComment(body: string): boolean {
  return body.split(/\r?\n/).includes(artifactMarker);
}

/** Names the place of the unshortened preview. GitHub lists the artifacts of a run on its page. */
function fullPreviewPlace({ runUrl, previewArtifact }: Review): Markdown {
  if (previewArtifact === undefined) return md`the run's summary`;
  const name = code(previewArtifact);
  const artifact = runUrl === undefined ? name : link(name, `${runUrl}#artifacts`);
  return md`the run's summary, all diffs in its artifact ${artifact}`;
}

/**
 * Renders the errors that prevent a preview.
 * Without deployments, they are the whole comment: an older preview must not stay and look valid.
 */
function renderPreviewProblems(
  { previewProblems = [], deployments }: Review,
  { show, isShort }: RenderOptions,
): Markdown {
  const heading = md`## 🛑 ${escapeText(problemsTitle({ deployments }))}`;
  const shown = isShort ? withShortTexts(previewProblems) : previewProblems;
  return md`${heading}\n\n${renderProblems(shown, show)}`;
}
