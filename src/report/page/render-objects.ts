import type { ChangeSource } from "../../model/plan/attribution.ts";
import { escapePage, page, pageCode } from "../../redaction/page.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { describeReasons, rowNamePhrase } from "../comment/objects-list.ts";
import { namesToCheck } from "../comment/risky-changes.ts";
import { type CommonHunk, commonHunks, withoutCommonHunks } from "../diff/common-hunks.ts";
import { diffTextLines, type TextDiff } from "../diff/text-diff.ts";
import type { DeploymentReview } from "../review/review.ts";
import { notDeployedYet } from "../rows/plan-rows.ts";
import type { Row } from "../rows/row.ts";
import { actionMark, actionVerb, plural } from "../text/counts.ts";
import { renderHeading, type SectionContext } from "./page-context.ts";

/** Renders each object with its action, reason, source and diff, the dangerous ones first. */
export function renderObjects(
  section: DeploymentReview,
  place: SectionContext,
  filter: Page = page``,
): Page {
  const { rows } = section;
  if (rows.length === 0) return page``;
  const common = commonHunks(rows.filter(({ diff }) => diff !== undefined));
  const danger = namesToCheck(section);
  const around = { section, place, common, shared: hunksByObject(common) };
  const bodies = rows.flatMap((row) => {
    const body = renderObject(row, danger.has(row.name), around);
    return body === undefined ? [] : [body];
  });
  const missing = rows.length - bodies.length;
  const rest =
    missing === 0
      ? page``
      : page`<p class="box note">Not shown, because this page would be too large: ${escapePage(plural(missing, "more object"))}. <code>qvs diff</code> shows all objects.</p>`;
  return page`${renderHeading(place, page`Objects`)}${filter}${renderCommon(common, place)}${tableStart(bodies.length)}
${joined(bodies, "\n")}
</table>${rest}`;
}

/**
 * From this many objects on, the browser renders only the visible rows. All of them would take
 * seconds.
 */
const manyObjects = 200;

/**
 * Renders the start of the table with ARIA roles.
 * Browsers can ignore the semantics of a table that is displayed as a grid.
 */
function tableStart(number: number): Page {
  const titles = ["Action", "Object", "Why", "Source"].map(
    (title) => page`<th role="columnheader" scope="col">${escapePage(title)}</th>`,
  );
  const many = number < manyObjects ? page`` : page` many`;
  return page`<table role="table" class="objects${many}"><thead role="rowgroup"><tr role="row">${joined(titles, "")}</tr></thead>`;
}

interface ObjectsContext {
  readonly section: DeploymentReview;
  readonly place: SectionContext;
  readonly common: readonly CommonHunk[];
  /** The indexes of the common hunks of each object, by its name. */
  readonly shared: ReadonlyMap<string, readonly number[]>;
}

function hunksByObject(common: readonly CommonHunk[]): ObjectsContext["shared"] {
  const all = common.flatMap(({ names }, i) => names.map((name) => ({ name, i })));
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ i }) => i)]));
}

/** Renders an object. Returns undefined if the page has no room for it. */
function renderObject(row: Row, isDangerous: boolean, around: ObjectsContext): Page | undefined {
  const { section, place } = around;
  const { frame } = place;
  const why = frame.show(describeReasons(row, section.config, frame.now));
  const cells = [
    page`<td role="cell" class="action"><span class="badge ${escapePage(row.action)}">${escapePage(`${actionMark(row)} ${actionVerb(row.action)}`)}</span></td>`,
    page`<th role="rowheader" class="name" scope="row">${frame.show(rowNamePhrase(row))}${isDangerous ? page` <strong class="danger">dangerous</strong>` : page``}</th>`,
    page`<td role="cell" class="why">${why}</td>`,
    page`<td role="cell" class="source">${escapePage(changeSources(row, section.isOfCommits).join(", "))}</td>`,
  ];
  const marks = isDangerous ? page` data-dangerous` : page``;
  const head = page`<tbody class="object" data-action="${escapePage(row.action)}"${marks} role="rowgroup"><tr role="row">${joined(cells, "")}</tr>`;
  if (!frame.hasRoomFor("objects", head)) return undefined;
  return page`${head}${diffRow(row, isDangerous, around)}</tbody>`;
}

const sourceLabels: Readonly<Record<ChangeSource, string>> = {
  change: "this change",
  undeployed: notDeployedYet,
  drift: "drift",
  server: "server",
  adoption: "adoption",
};

/** Returns the sources of a change. Without a plan, every change is between the two commits. */
function changeSources({ source, fields }: Row, isOfCommits: boolean): readonly string[] {
  if (isOfCommits) return [sourceLabels.change];
  const sources = [source, ...fields.map((each) => each.source)];
  return [...new Set(sources)].flatMap((each) => (each === undefined ? [] : [sourceLabels[each]]));
}

/**
 * A dangerous diff of at most this many lines is open. With few objects, any short diff is open.
 */
const openLines = 42;
const fewObjects = 3;

function diffRow(row: Row, isDangerous: boolean, around: ObjectsContext): Page {
  if (row.diff === undefined) return page``;
  const { section, place, common } = around;
  const also = linksToCommon(row, around);
  const diff = withoutCommonHunks(row.diff, common);
  if (diff === undefined) return asRow(page`<p class="also">Diff: ${also}</p>`);
  const more = also === "" ? also : page`<p class="also">Also ${also}</p>`;
  const isFew = section.rows.length <= fewObjects;
  const isDeleted = row.action === "delete";
  const isOpen =
    !isDeleted && (isDangerous || isFew) && (diff.words ?? diffTextLines(diff)).length <= openLines;
  const whole = asRow(
    page`<details${isOpen ? page` open` : page``}>${diffSummary(row, diff)}${renderDiff(diff)}</details>${more}`,
  );
  if (place.frame.hasRoomFor("diffs", whole)) return whole;
  const lines = escapePage(plural(diffTextLines(diff).length, "line"));
  return asRow(
    page`<p class="also">Diff of ${lines} not shown, because this page would be too large. <code>qvs diff</code> shows it.</p>${more}`,
  );
}

function linksToCommon({ name }: Row, { place, common, shared }: ObjectsContext): Page {
  const links = (shared.get(name) ?? []).map(
    (i) =>
      page`<a href="#${escapePage(place.id)}-c${i}">same change in ${common[i]?.names.length ?? 0} objects</a>`,
  );
  return joined(links, ", ");
}

function diffSummary({ name }: Row, { added, removed }: TextDiff): Page {
  const counts = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
  return page`<summary>Diff <span class="counts">${escapePage(counts.join(" "))}</span> <span class="of">of ${pageCode(name)}</span></summary>`;
}

function asRow(content: Page): Page {
  return page`<tr role="row" class="diff"><td role="cell" colspan="4">${content}</td></tr>`;
}

const namedObjects = 20;

/** Renders once what several objects have in common. */
function renderCommon(common: readonly CommonHunk[], { id }: SectionContext): Page {
  const boxes = common.map(({ names, lines }, i) => {
    const shown = joined(names.slice(0, namedObjects).map(pageCode), ", ");
    const rest = names.length - namedObjects;
    const more = rest > 0 ? page` and ${rest} more` : page``;
    return page`<details class="common" id="${escapePage(id)}-c${i}" open><summary>Same change in ${escapePage(plural(names.length, "object"))}</summary>${renderLines(lines)}<p>In ${shown}${more}.</p></details>`;
  });
  return joined(boxes, "\n");
}

/** Longer diffs of one object aren't useful on the page. */
const maxLines = 2_000;
const maxUnits = 400_000;

/**
 * Renders a diff side by side. A narrow screen shows one side below the other.
 * A summary of the diff, if any, is first.
 */
function renderDiff(diff: TextDiff): Page {
  const { words } = diff;
  const text = renderLines(diffTextLines(diff));
  if (words === undefined) return text;
  const items = words.map((each) => page`<li><code>${escapePage(each)}</code></li>`);
  return page`<ul>${joined(items, "")}</ul><details><summary>Full diff</summary>${text}</details>`;
}

function renderLines(lines: readonly string[]): Page {
  const shown = lines.slice(0, countFittingLines(lines));
  const rest = lines.length - shown.length;
  const more =
    rest === 0
      ? page``
      : page`<p class="place">Not shown: ${escapePage(plural(rest, "more line"))}. <code>qvs diff</code> shows the full diff.</p>`;
  return page`<div class="lines">${joined(groupLines(shown).map(renderBlock), "")}${more}</div>`;
}

function countFittingLines(lines: readonly string[]): number {
  let units = 0;
  const end = lines.findIndex((line, i) => {
    units += line.length;
    return i >= maxLines || units > maxUnits;
  });
  return end < 0 ? lines.length : end;
}

type Block =
  | { readonly type: "place" | "same"; readonly lines: string[] }
  | { readonly type: "changed"; readonly old: string[]; readonly now: string[] };

/** Groups the lines into blocks: a place, unchanged lines, or the changed lines of one place. */
function groupLines(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const mark = line.charAt(0);
    if (mark === "@") blocks.push({ type: "place", lines: [line.replace(/^@@ ?| ?@@$/g, "")] });
    else if (mark === "-" || mark === "+") {
      const isNext = last?.type !== "changed" || (mark === "-" && last.now.length > 0);
      const block = isNext ? { type: "changed" as const, old: [], now: [] } : last;
      if (isNext) blocks.push(block);
      (mark === "-" ? block.old : block.now).push(line);
    } else if (last?.type === "same") last.lines.push(line);
    else blocks.push({ type: "same", lines: [line] });
  }
  return blocks;
}

/**
 * Renders a block with the signs at the start of its lines, because many readers can't distinguish
 * the colors.
 */
function renderBlock(block: Block): Page {
  switch (block.type) {
    case "place":
      return page`<p class="place">${escapePage(block.lines.join(""))}</p>`;
    case "same": {
      const text = joinLines(block.lines);
      return page`<div class="pair"><div>${text}</div><div class="copy" aria-hidden="true">${text}</div></div>`;
    }
    case "changed": {
      const old = block.old.length === 0 ? page`` : page`<del>${joinLines(block.old)}</del>`;
      const now = block.now.length === 0 ? page`` : page`<ins>${joinLines(block.now)}</ins>`;
      return page`<div class="pair">${old}${now}</div>`;
    }
  }
}

function joinLines(lines: readonly string[]): Page {
  return escapePage(lines.join("\n"));
}
