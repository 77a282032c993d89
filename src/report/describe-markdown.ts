import type { AdapterDescription, Composite } from "../model/description.ts";
import {
  compositeText,
  hasResources,
  moreComposites,
  moreResources,
  paragraphsOf,
  pipelinesOnly,
} from "./describe-facts.ts";
import { code, escapeText, fenced, table } from "./markdown.ts";
import { type ParameterRow, type ParameterTable, parameterTables } from "./parameter-rows.ts";

/** An adapter as a part of a Markdown document; its heading is of `level`. */
export function describeInMarkdown(adapter: AdapterDescription, level: number): string {
  const blocks = [
    `${"#".repeat(level)} ${code(adapter.pattern)}`,
    ...paragraphsOf(adapter).map(escapeText),
    ...(adapter.pipelinesOnly ? [pipelinesOnly] : []),
    factsOf(adapter),
    ...parameterTables(adapter.parameters).map((each) => tableOf(each, adapter)),
    conditionsOf(adapter),
    compositesOf(adapter),
    resourcesOf(adapter),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function factsOf({ name, group, position }: AdapterDescription): string {
  const facts = [
    position === undefined ? "" : `Declared in ${code(`${position.file}:${position.line}`)}`,
    name === "" ? "" : `name ${code(name)}`,
    group === "" ? "" : `group ${code(group)}`,
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}

function tableOf({ name, rows }: ParameterTable, adapter: AdapterDescription): string {
  const { parameters } = adapter;
  if (rows.length === 0) return "";
  const position = name === "" ? adapter.position : rows[0]?.position;
  const header = ["Parameter", "Type", "If left out", "Description", "Line"];
  const cells = rows.map((row) => [
    code(row.path),
    code(row.type),
    leftOut(row),
    row.doc
      .split(/\n\s*\n/)
      .map(escapeText)
      .join("<br>"),
    lineOf(row, position?.file),
  ]);
  if (name !== "") {
    const from = position === undefined ? "" : ` of ${code(position.file)}`;
    return `${code(name)}${from}:\n\n${table(header, cells)}`;
  }
  const note = parameters.closed === true ? "\n\nOther params are an error." : "";
  return table(header, cells) + note;
}

function leftOut({ presence, default: value, computed }: ParameterRow): string {
  switch (presence) {
    case "required":
      return "**required**";
    case "optional":
      return "absent";
    case "default":
      return value === undefined ? "" : code(JSON.stringify(value));
    case "computed":
      return computed === undefined ? "computed from its fields" : `computed: ${code(computed)}`;
    case "conditional":
      return "declared only if a condition holds";
  }
}

function lineOf({ position }: ParameterRow, file: string | undefined): string {
  if (position === undefined) return "";
  return position.file === file ? String(position.line) : code(`${position.file}:${position.line}`);
}

function conditionsOf({ conditions }: AdapterDescription): string {
  if (conditions.length === 0) return "";
  const blocks = conditions.map(({ text }) => fenced("cue", text.split("\n")));
  return ["Further rules:", ...blocks].join("\n\n");
}

function compositesOf({ composites, compositesKnown }: AdapterDescription): string {
  const known = composites.flatMap((composite) => itemsOf(composite, ""));
  const all = compositesKnown ? known : [...known, `- ${moreComposites}`];
  return all.length === 0 ? "" : `Composites:\n\n${all.join("\n")}`;
}

function itemsOf(composite: Composite, indent: string): readonly string[] {
  const below = composite.composites.flatMap((each) => itemsOf(each, `${indent}  `));
  return [`${indent}- ${code(compositeText(composite))}`, ...below];
}

function resourcesOf({ resources }: AdapterDescription): string {
  const items = (["appSetup", "app"] as const).flatMap((stage) => {
    const { ids, more } = resources[stage];
    if (!hasResources(resources[stage])) return [];
    const known = [...ids.map(code), ...(more ? [moreResources] : [])];
    return [`- ${code(stage)}: ${known.join(", ")}`];
  });
  return items.length === 0 ? "" : `Resources:\n\n${items.join("\n")}`;
}
