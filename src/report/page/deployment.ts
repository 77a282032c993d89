import type { Plan } from "../../model/plan.ts";
import { escapePage, page, svgInPage } from "../../redaction/page.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { describeWave, wavesOf } from "../comment/order.ts";
import { parametersOf } from "../comment/parameters.ts";
import { describeComparison, describeNotices, describeTarget } from "../comment/section.ts";
import { describeRisks, levelOf, marksOfLevels, type Section } from "../comment/verdict.ts";
import { plural } from "../counts.ts";
import { planGraph } from "../graph/plan-graph.ts";
import { renderSvg } from "../graph/svg.ts";
import { heading, list, type Place } from "./frame.ts";
import { renderObjects } from "./objects.ts";

/** What is to be known of one deployment: what is dangerous, what changes, how, and in which order. */
export function renderDeployment(section: Section, place: Place): Page {
  const { report } = section;
  const { frame, id, isAlone } = place;
  const { name } = report.deployment;
  const mark = escapePage(marksOfLevels[levelOf(section)]);
  const heading = isAlone
    ? page``
    : page`<h2 id="${escapePage(id)}">${mark} ${escapePage(name)}</h2>`;
  const note = describeComparison(report);
  const parts = [
    heading,
    page`<p class="target">${frame.show(describeTarget(report))}</p>`,
    note === undefined ? page`` : page`<p class="box note">${frame.show(note)}</p>`,
    renderRisks(section, place),
    renderParameters(section, place),
    renderObjects(section, place),
    report.plan === undefined ? page`` : renderOrder(report.plan, place),
    renderNotices(section, place),
  ];
  return page`<section class="deployment" aria-label="${escapePage(name)}">${joined(
    parts.filter((part) => part !== ""),
    "\n",
  )}</section>`;
}

function renderRisks(section: Section, place: Place): Page {
  const { frame } = place;
  const { risks, facts } = describeRisks(section, { now: frame.now, isShort: false });
  const level = escapePage(levelOf(section) === "stop" ? "stop" : "risk");
  const box =
    risks.length === 0
      ? page``
      : page`<div class="box ${level}">${heading(place, page`Look at this first`)}${list(risks, frame)}</div>`;
  return page`${box}${list(facts, frame)}`;
}

function renderParameters({ report, rows }: Section, place: Place): Page {
  const all = parametersOf(rows, report.deployment.config);
  if (all.length === 0) return page``;
  const lists = all.map(
    ({ head, changes }) => page`<p>${place.frame.show(head)}</p>${list(changes, place.frame)}`,
  );
  return page`${heading(place, page`Parameters`)}${joined(lists, "\n")}`;
}

/** Beyond these a drawing is too wide to be read, and takes seconds to make. */
const mostNodes = 60;
const mostEdges = 150;

/** A picture where it can be read, and in any case the same as a list. */
function renderOrder(plan: Plan, place: Place): Page {
  const waves = wavesOf(plan);
  if (waves.length < 2) return page``;
  const graph = planGraph(plan, "changes");
  const isReadable = graph.nodes.length <= mostNodes && graph.edges.length <= mostEdges;
  const drawing = isReadable
    ? page`<div class="scroll graph" role="region" tabindex="0" aria-label="Drawing of the order"><div role="img" aria-label="Which object waits for which; the list below has the order">${svgInPage(renderSvg(graph, `${place.id}-tip`))}</div></div>`
    : page``;
  const steps = waves.map((wave) => page`<li>${place.frame.show(describeWave(wave))}</li>`);
  return page`${heading(place, page`Order of the changes`)}${drawing}<ol>${joined(steps, "")}</ol>`;
}

function renderNotices({ report }: Section, { frame }: Place): Page {
  const notices = describeNotices(report);
  if (notices.length === 0) return page``;
  return page`<details class="notices"><summary>${escapePage(plural(notices.length, "notice"))}</summary>${list(notices, frame)}</details>`;
}
