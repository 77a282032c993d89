import { escapePage, page } from "../../redaction/page.ts";
import type { Phrase } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { isDangerous, type Level, levelOf } from "../comment/level.ts";
import { describeWave, wavesOf } from "../comment/order.ts";
import { describeParameters, withoutToldParameters } from "../comment/parameters.ts";
import { describeFacts, describeRisks } from "../comment/risks.ts";
import {
  describeComparison,
  describeFailing,
  describeMerging,
  describeModules,
  describeNotices,
  describeSource,
  describeTarget,
  describeWhose,
  noticesTitle,
} from "../comment/section.ts";
import { textInShort } from "../comment/verdict.ts";
import { orderGraph } from "../graph/plan-graph.ts";
import { heading, list, type Place, renderMark } from "./frame.ts";
import { renderGraph } from "./graph.ts";
import { renderObjects } from "./objects.ts";

/**
 * Renders one deployment: the reason for its verdict, then the changes, their details and their
 * order. `filter` is the form for its objects, if it is the only deployment.
 */
export function renderDeployment(
  section: DeploymentSection,
  place: Place,
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
function folded(section: DeploymentSection, { id }: Place, content: Page): Page {
  const level = levelOf(section);
  const open = isDangerous(level) ? page` open` : page``;
  const heading = page`<h2>${renderMark(level)} ${escapePage(section.name)}</h2>`;
  const short = page`<span class="short">${escapePage(textInShort(section))}</span>`;
  return page`<details class="fold" id="${escapePage(id)}"${open}><summary>${heading} ${short}</summary>\n${content}</details>`;
}

/** Renders the target, the effect of a merge, and everything that a reader must know before it. */
function renderReason(section: DeploymentSection, place: Place): readonly Page[] {
  const { frame } = place;
  const note = describeComparison(section);
  const whose = describeWhose(section, frame.now);
  const merging = frame.isPullRequest ? describeMerging(section) : undefined;
  const target = merging === undefined ? describeTarget(section) : describeSource(section);
  return [
    page`<p class="target">${frame.show(target)}</p>`,
    note === undefined ? page`` : page`<p class="box note">${frame.show(note)}</p>`,
    merging === undefined ? page`` : page`<p class="merging">${frame.show(merging)}</p>`,
    whose === undefined ? page`` : page`<p class="whose">${frame.show(whose)}</p>`,
    renderRisks(section, place),
    renderFailing(section, place),
  ];
}

function renderRisks(section: DeploymentSection, place: Place): Page {
  const { frame } = place;
  const { stops, risks } = describeRisks(section, { now: frame.now, isShort: false });
  const box = (level: Level, title: Page, phrases: readonly Phrase[]) =>
    phrases.length === 0
      ? page``
      : page`<div class="box ${escapePage(level)}">${heading(place, title)}${list(phrases, frame)}</div>`;
  const also = stops.length === 0 ? page`Check this first` : page`Then check this`;
  return page`${box("stop", page`Fix this first`, stops)}${box("risk", also, risks)}`;
}

function renderFacts(section: DeploymentSection, { frame }: Place): Page {
  return list(describeFacts(section, frame), frame);
}

function renderFailing(section: DeploymentSection, { frame }: Place): Page {
  const left = frame.isPullRequest ? describeFailing(section) : undefined;
  return left === undefined ? page`` : page`<p>${frame.show(left)}</p>`;
}

function renderModules(section: DeploymentSection, { frame }: Place): Page {
  const said = describeModules(section);
  return said.length === 0 ? page`` : page`<p class="modules">${frame.show(said)}</p>`;
}

function renderParameters(section: DeploymentSection, place: Place): Page {
  const all = describeParameters(withoutToldParameters(section));
  if (all.length === 0) return page``;
  const lists = all.map(
    ({ head, changes }) => page`<p>${place.frame.show(head)}</p>${list(changes, place.frame)}`,
  );
  return page`${heading(place, page`Parameters`)}${joined(lists, "\n")}`;
}

/** A larger drawing is too wide to read and takes seconds to render. */
const mostNodes = 60;
const mostEdges = 150;

/** Renders the order of the changes as a list, and also as a drawing if that is readable. */
function renderOrder({ name, order }: DeploymentSection, place: Place): Page {
  const waves = wavesOf(order);
  if (waves.length < 2) return page``;
  const graph = orderGraph(order);
  const isReadable = graph.nodes.length <= mostNodes && graph.edges.length <= mostEdges;
  const drawing = isReadable ? renderGraph(graph, name, `${place.id}-tip`) : page``;
  const steps = waves.map((wave) => page`<li>${place.frame.show(describeWave(wave))}</li>`);
  return page`${heading(place, page`Order of the changes`)}${drawing}<ol>${joined(steps, "")}</ol>`;
}

function renderNotices(section: DeploymentSection, { frame }: Place): Page {
  const notices = describeNotices(section);
  if (notices.length === 0) return page``;
  return page`<details class="notices"><summary>${escapePage(noticesTitle(section))}</summary>${list(notices, frame)}</details>`;
}
