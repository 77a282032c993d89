import type { AdapterDescription, DescribedComposite } from "../../model/sources/description.ts";
import { code, codeBlock, escapeText, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import {
  adapterParagraphs,
  compositeText,
  hasResources,
  moreComposites,
  moreResources,
  pipelinesOnly,
} from "./adapter-facts.ts";
import { type ParameterRow, type ParameterTable, parameterTables } from "./parameter-rows.ts";

/** Renders an adapter as a part of a Markdown document. Its heading has the given level. */
export function adapterMarkdown(adapter: AdapterDescription, level: 1 | 2): Markdown {
  const mark = level === 1 ? md`#` : md`##`;
  const blocks = [
    md`${mark} ${code(adapter.pattern)}`,
    ...adapterParagraphs(adapter).map(escapeText),
    ...(adapter.pipelinesOnly ? [escapeText(pipelinesOnly)] : []),
    renderAdapterFacts(adapter),
    ...parameterTables(adapter.parameters).map((each) => renderParameterTable(each, adapter)),
    renderConditions(adapter),
    renderComposites(adapter),
    renderResources(adapter),
  ];
  return joined(blocks.filter(isFilled), "\n\n");
}

function isFilled(block: Markdown): boolean {
  return block !== "";
}

function renderAdapterFacts({ name, group, position }: AdapterDescription): Markdown {
  const facts = [
    position === undefined ? md`` : md`Declared in ${code(`${position.file}:${position.line}`)}`,
    name === "" ? md`` : md`name ${code(name)}`,
    group === "" ? md`` : md`group ${code(group)}`,
  ];
  return joined(facts.filter(isFilled), ", ");
}

function renderParameterTable(
  { name, rows }: ParameterTable,
  adapter: AdapterDescription,
): Markdown {
  const { parameters } = adapter;
  if (rows.length === 0) return md``;
  const position = name === "" ? adapter.position : rows[0]?.position;
  const header = [md`Parameter`, md`Type`, md`If omitted`, md`Description`, md`Line`];
  const cells = rows.map((row) => [
    code(row.path),
    code(row.type),
    renderPresence(row),
    joined(row.doc.split(/\n\s*\n/).map(escapeText), "<br>"),
    renderLine(row, position?.file),
  ]);
  if (name !== "") {
    const from = position === undefined ? md`` : md` of ${code(position.file)}`;
    return md`${code(name)}${from}:\n\n${table(header, cells)}`;
  }
  const note = parameters.closed === true ? md`\n\nOther params cause an error.` : md``;
  return md`${table(header, cells)}${note}`;
}

function renderPresence({ presence, default: value, computed }: ParameterRow): Markdown {
  switch (presence) {
    case "required":
      return md`**required**`;
    case "optional":
      return md`absent`;
    case "default":
      return value === undefined ? md`` : code(JSON.stringify(value));
    case "computed":
      return computed === undefined
        ? md`computed from its fields`
        : md`computed: ${code(computed)}`;
    case "conditional":
      return md`declared only under a condition`;
  }
}

function renderLine({ position }: ParameterRow, file: string | undefined): Markdown {
  if (position === undefined) return md``;
  return position.file === file ? md`${position.line}` : code(`${position.file}:${position.line}`);
}

function renderConditions({ conditions }: AdapterDescription): Markdown {
  if (conditions.length === 0) return md``;
  const blocks = conditions.map(({ text }) => codeBlock("cue", text.split("\n")));
  return joined([md`Further rules:`, ...blocks], "\n\n");
}

function renderComposites({ composites, compositesKnown }: AdapterDescription): Markdown {
  const known = composites.flatMap((composite) => compositeItems(composite, md``));
  const all = compositesKnown ? known : [...known, md`- ${escapeText(moreComposites)}`];
  return all.length === 0 ? md`` : md`Composites:\n\n${joined(all, "\n")}`;
}

function compositeItems(composite: DescribedComposite, indent: Markdown): readonly Markdown[] {
  const below = composite.composites.flatMap((each) => compositeItems(each, md`${indent}  `));
  return [md`${indent}- ${code(compositeText(composite))}`, ...below];
}

function renderResources({ resources }: AdapterDescription): Markdown {
  const items = (["appSetup", "app"] as const).flatMap((stage) => {
    const { ids, more } = resources[stage];
    if (!hasResources(resources[stage])) return [];
    const known = [...ids.map(code), ...(more ? [escapeText(moreResources)] : [])];
    return [md`- ${code(stage)}: ${joined(known, ", ")}`];
  });
  return items.length === 0 ? md`` : md`Resources:\n\n${joined(items, "\n")}`;
}
