import { embedSvg, escapePage, page } from "../../redaction/page.ts";
import type { Phrase } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { describeChangedSources } from "../changed-sources.ts";
import { describeWave, listWaves } from "../comment/change-order.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { textInShort } from "../comment/describe-verdict.ts";
import { isDangerous, type VerdictLevel, verdictLevel } from "../comment/level.ts";
import { describeParameters, withoutRepeatedParameters } from "../comment/parameters.ts";
import {
  describeChangeSources,
  describeComparison,
  describeFailedMerge,
  describeMerge,
  describeModules,
  describeNotices,
  describeRollback,
  describeSource,
  describeTarget,
  describeVersionCheck,
  isOnlyLocked,
  nothingChanges,
  noticesTitle,
} from "../comment/render-section.ts";
import { describeFacts, describeRisks } from "../comment/risks.ts";
import { nodeStyles, orderGraph, type PlanGraph } from "../graph/plan-graph.ts";
import { renderArrowSample, renderBoxSample, renderSvg } from "../graph/svg.ts";
import { actionVerb } from "../text/counts.ts";
import { renderHeading, renderList, renderMark, type SectionContext } from "./page-context.ts";
import { renderObjects } from "./render-objects.ts";

/**
 * Renders one deployment: the reason for its verdict, then the changes, their details and their
 * order. `filter` is the form for its objects, if it is the only deployment.
 */
export function renderDeployment(
  section: DeploymentSection,
  place: SectionContext,
  filter: Page = page``,
): Page {
  const parts = [
    ...renderReason(section, place),
    renderFacts(section, place),
    renderModules(section, place),
    renderParameters(section, place),
    renderObjects(section, place, filter),
    renderOrder(section, place),
    renderNotices(section, place),
  ];
  const content = joined(
    parts.filter((part) => part !== ""),
    "\n",
  );
  const shown = place.isAlone ? content : folded(section, place, content);
  const alone = place.isAlone ? page` alone` : page``;
  return page`<section class="deployment${alone}" aria-label="${escapePage(section.name)}">${shown}</section>`;
}

/** Folds a deployment, so that the dangerous ones stand out. Only those are open. */
function folded(section: DeploymentSection, { id }: SectionContext, content: Page): Page {
  const level = verdictLevel(section);
  const open = isDangerous(level) ? page` open` : page``;
  const heading = page`<h2>${renderMark(level)} ${escapePage(section.name)}</h2>`;
  const short = page`<span class="short">${escapePage(textInShort(section))}</span>`;
  return page`<details class="fold" id="${escapePage(id)}"${open}><summary>${heading} ${short}</summary>\n${content}</details>`;
}

/** Renders the target, the effect of a merge, and everything that a reader must know before it. */
function renderReason(section: DeploymentSection, place: SectionContext): readonly Page[] {
  const { frame } = place;
  const note = describeComparison(section);
  const whose = describeChangeSources(section, frame.now);
  const undo = describeRollback(section);
  const version = describeVersionCheck(section);
  const merging = frame.isPullRequest ? describeMerge(section) : undefined;
  const unchanged = frame.isPullRequest && isOnlyLocked(section);
  const target = merging === undefined ? describeTarget(section) : describeSource(section);
  return [
    page`<p class="target">${frame.show(target)}</p>`,
    note === undefined ? page`` : page`<p class="box note">${frame.show(note)}</p>`,
    merging === undefined ? page`` : page`<p class="merging">${frame.show(merging)}</p>`,
    unchanged ? page`<p class="merging">${frame.show(nothingChanges)}</p>` : page``,
    whose === undefined ? page`` : page`<p class="whose">${frame.show(whose)}</p>`,
    undo === undefined ? page`` : page`<p class="whose">${frame.show(undo)}</p>`,
    version === undefined ? page`` : page`<p class="whose">${frame.show(version)}</p>`,
    renderRisks(section, place),
    renderFailedMerge(section, place),
  ];
}

function renderRisks(section: DeploymentSection, place: SectionContext): Page {
  const { frame } = place;
  const { stops, risks } = describeRisks(section, { now: frame.now, isShort: false });
  const box = (level: VerdictLevel, title: Page, phrases: readonly Phrase[]) =>
    phrases.length === 0
      ? page``
      : page`<div class="box ${escapePage(level)}">${renderHeading(place, title)}${renderList(phrases, frame)}</div>`;
  const also = stops.length === 0 ? page`Check this first` : page`Then check this`;
  return page`${box("stop", page`Fix this first`, stops)}${box("risk", also, risks)}`;
}

function renderFacts(section: DeploymentSection, { frame }: SectionContext): Page {
  return renderList(describeFacts(section, frame), frame);
}

function renderFailedMerge(section: DeploymentSection, { frame }: SectionContext): Page {
  const left = frame.isPullRequest ? describeFailedMerge(section) : undefined;
  return left === undefined ? page`` : page`<p>${frame.show(left)}</p>`;
}

function renderModules(section: DeploymentSection, { frame }: SectionContext): Page {
  const phrase = describeModules(section);
  const modules = phrase.length === 0 ? page`` : page`<p class="modules">${frame.show(phrase)}</p>`;
  const sources = describeChangedSources(section.sources);
  if (sources === undefined) return modules;
  const list = renderList(sources.items, frame);
  return page`${modules}<p class="modules">${frame.show(sources.heading)}</p>${list}`;
}

function renderParameters(section: DeploymentSection, place: SectionContext): Page {
  const all = describeParameters(withoutRepeatedParameters(section));
  if (all.length === 0) return page``;
  const lists = all.map(
    ({ head, changes }) =>
      page`<p>${place.frame.show(head)}</p>${renderList(changes, place.frame)}`,
  );
  return page`${renderHeading(place, page`Parameters`)}${joined(lists, "\n")}`;
}

/** A larger drawing is too wide to read and takes seconds to render. */
const maxNodes = 60;
const maxEdges = 150;

/** Renders the order of the changes as a list, and also as a drawing if that is readable. */
function renderOrder(section: DeploymentSection, place: SectionContext): Page {
  const waves = listWaves(section);
  if (waves.length < 2) return page``;
  const graph = orderGraph(section);
  const isReadable = graph.nodes.length <= maxNodes && graph.edges.length <= maxEdges;
  const drawing = isReadable ? renderGraph(graph, section.name, `${place.id}-tip`) : page``;
  const steps = waves.map((wave) => page`<li>${place.frame.show(describeWave(wave))}</li>`);
  return page`${renderHeading(place, page`Order of the changes`)}${drawing}<ol>${joined(steps, "")}</ol>`;
}

function renderNotices(section: DeploymentSection, { frame }: SectionContext): Page {
  const notices = describeNotices(section);
  if (notices.length === 0) return page``;
  return page`<details class="notices"><summary>${escapePage(noticesTitle(section))}</summary>${renderList(notices, frame)}</details>`;
}

/**
 * Renders the drawing of an order with its legend. `tip` is the ID of its arrowhead.
 * The style of the page has the dark colors.
 */
function renderGraph(graph: PlanGraph, deployment: string, tip: string): Page {
  const label = escapePage(`Diagram of the order of ${deployment}`);
  const image = page`<div role="img" aria-label="Dependencies between the objects; the list below has the order">${embedSvg(renderSvg(graph, tip))}</div>`;
  return page`<div class="graph">${renderLegend(graph, tip)}<div class="scroll" role="region" tabindex="0" aria-label="${label}">${image}</div></div>`;
}

const actions = ["create", "update", "replace", "delete"] as const;

/** Explains only the boxes and arrows that the drawing has. */
function renderLegend({ nodes, edges }: PlanGraph, tip: string): Page {
  const used = actions.filter((action) => nodes.some(({ look }) => look === action));
  const boxes = used.map((action) => {
    const words = escapePage(`${nodeStyles[action].mark}${actionVerb(action)}`);
    return page`<li>${embedSvg(renderBoxSample(action))} ${words}</li>`;
  });
  const hasCheck = nodes.some(({ look }) => look === "check");
  const check = hasCheck ? [page`<li>${embedSvg(renderBoxSample("check"))} check</li>`] : [];
  const arrow = (isDashed: boolean, words: Page) =>
    edges.some(({ reason }) => (reason === "") === isDashed)
      ? [page`<li>${embedSvg(renderArrowSample(isDashed, tip))} ${words}</li>`]
      : [];
  const arrows = [
    ...arrow(false, page`the object at the arrowhead waits`),
    ...arrow(
      true,
      hasCheck
        ? page`qvs deletes nothing before all objects are ready and all checks have passed`
        : page`qvs deletes nothing before all objects are ready`,
    ),
  ];
  return page`<ul class="legend" aria-label="Legend">${joined([...boxes, ...check, ...arrows], "")}</ul>`;
}
