import type { ValuesText } from "../../config/inputs/bind-chart.ts";
import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { readManifestYaml } from "../../config/yaml/read.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { fieldNode, type YamlNode } from "../../model/sources/yaml-node.ts";
import type { RenderPlace, RenderProblem } from "../../ports/render.ts";

interface ProblemContext {
  readonly entry: ParsedChart;
  /** The values files as written. */
  readonly texts: readonly ValuesText[];
  readonly placeOf: PlaceOf;
  /** Hides the values from the command line. */
  readonly hide: (message: string) => string;
}

/** Returns the errors of a chart, each in the template or the values that cause it. */
export function chartProblems(problem: RenderProblem, context: ProblemContext): readonly Problem[] {
  const { entry } = context;
  // Templates can print any value.
  const message = context.hide(problem.message);
  const violations = schemaViolations(message);
  if (violations.length > 0) {
    return violations.map(({ chart, path, text }) => ({
      code: "render-failed",
      where: [valuePlace([chart, ...path], context) ?? valuePlace(path, context) ?? entry.where],
      what: `A value of chart "${entry.written}" doesn't match its schema`,
      facts: [{ label: "value", value: path.join(".") || "(all values)" }],
      why: text,
      fix: "Correct the value",
      otherwise: ["correct values.schema.json of the chart"],
    }));
  }
  return [
    {
      code: problem.code === "limit" ? "input-too-large" : "render-failed",
      where: [...placesOf(problem, message, context), entry.where],
      what: `Chart "${entry.written}" can't be rendered`,
      why: message,
      fix: fixOf(problem.code, message, entry),
    },
  ];
}

const renderFixes: Readonly<Record<RenderProblem["code"], string>> = {
  invalid: "Correct the file or the value that the message names",
  limit: "Use smaller files and values",
  remote: "Copy the file into the chart: qvs opens no connection",
  unsupported: "Remove this part from the chart",
};

/** Returns the fix of a known message of Helm, or else that of its code. */
function fixOf(
  code: RenderProblem["code"],
  message: string,
  { path, remote }: ParsedChart,
): string {
  if (message.includes("missing in charts/ directory: ") && remote === undefined)
    return `Run helm dependency build ${path || "."}, and commit charts/`;
  if (message.includes("requires kubeVersion"))
    return "Set kubeVersion in the entry to the version of the cluster";
  if (message.includes("library charts are not installable"))
    return "Name the chart that depends on this library";
  return renderFixes[code];
}

function placesOf(
  { at }: RenderProblem,
  message: string,
  { entry, texts, placeOf }: ProblemContext,
): readonly Position[] {
  if (at === undefined) return message.startsWith("release name") ? [entry.release.where] : [];
  if (!texts.some(({ name }) => name === at.file)) return [placeOf(at)];
  return [{ file: at.file, line: at.line ?? 1, column: 1 }];
}

interface ValuesViolation {
  /** The name of the chart whose schema the value doesn't match. */
  readonly chart: string;
  readonly path: readonly string[];
  readonly text: string;
}

/** Reads Helm's list of violations: a line with the name of each chart, then `- at '/a/b': …`. */
function schemaViolations(message: string): readonly ValuesViolation[] {
  if (!message.startsWith("values don't meet the specifications of the schema(s)")) return [];
  let chart = "";
  const found: ValuesViolation[] = [];
  for (const line of message.split("\n").slice(1)) {
    const [, pointer, text] = /^\s*- at '([^']*)': (.*)$/.exec(line) ?? [];
    if (pointer !== undefined && text !== undefined) {
      const path = pointer.split("/").slice(1).map(unescapePointer);
      found.push({ chart, path, text });
    } else if (/^\S+:$/.test(line)) chart = line.slice(0, -1);
  }
  return found;
}

/** Decodes a part of a JSON pointer (RFC 6901). */
function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the place that sets a value: in `set`, or in the last values file that has it. */
function valuePlace(
  path: readonly string[],
  { entry, texts }: ProblemContext,
): Position | undefined {
  const named = path.join(".");
  const set = entry.set?.entries.find(({ name }) => name === named || named.startsWith(`${name}.`));
  if (set !== undefined) return set.value.where;
  for (const { name, text } of texts.toReversed()) {
    const read = readManifestYaml(name, text);
    const found = read.ok ? nodeAt(read.value[0], path) : undefined;
    if (found !== undefined) return found.where;
  }
  return undefined;
}

function nodeAt(root: YamlNode | undefined, path: readonly string[]): YamlNode | undefined {
  return path.reduce<YamlNode | undefined>((node, step) => {
    return node?.kind === "list" ? node.items[Number(step)] : fieldNode(node, step);
  }, root);
}

/** Returns the place in the repository of a template, such as `shop/templates/web.yaml`. */
export type PlaceOf = (place: RenderPlace) => Position;

/**
 * Creates a function that finds templates in the files of a chart. The first part of the name of a
 * template is the chart, and each `charts/NAME` is a dependency, which can be packed.
 */
export function templatePlaces({ path }: ParsedChart, paths: readonly string[]): PlaceOf {
  const files = new Set(paths);
  const packed = paths.filter((file) => file.endsWith(".tgz"));
  const prefix = path === "" ? "" : `${path}/`;
  return ({ file, line = 1 }) => {
    const place = (found: string) => ({ file: found, line, column: 1 });
    const inChart = file.split("/").slice(1).join("/");
    if (files.has(path)) return place(`${path}/${inChart}`);
    const unpacked = `${prefix}${inChart}`;
    if (files.has(unpacked)) return place(unpacked);
    return place(packedPlace(unpacked, packed) ?? `${prefix}Chart.yaml`);
  };
}

/** Returns the place in a packed dependency: `charts/db/a.yaml` is `charts/db-1.0.0.tgz/a.yaml`. */
function packedPlace(path: string, packed: readonly string[]): string | undefined {
  for (const archive of packed) {
    const folder = archive.slice(0, archive.lastIndexOf("/") + 1);
    if (!path.startsWith(folder)) continue;
    const [name = "", ...rest] = path.slice(folder.length).split("/");
    const version = archive.slice(folder.length + name.length);
    const isOfChart = archive.startsWith(`${folder}${name}`) && /^-v?\d/.test(version);
    if (isOfChart && rest.length > 0) return `${archive}/${rest.join("/")}`;
  }
  return undefined;
}
