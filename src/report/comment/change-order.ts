import { codeBlock, details, html, md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  joinPhrases,
  type Phrase,
  phraseToMarkdown,
  say,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { renderMermaid } from "../graph/graph-text.ts";
import { orderGraph } from "../graph/plan-graph.ts";
import type { DeploymentReview, OrderedCheck, OrderedObject } from "../review/review.ts";
import { plural } from "../text/counts.ts";

type Ordered = Pick<DeploymentReview, "order" | "checks">;

/** GitHub renders larger graphs too small to read. */
const maxGraphNodes = 12;

/**
 * Renders the order of a plan's changes as Mermaid lines.
 * Returns undefined if no change waits for another one, or if there are too many objects.
 */
function renderOrderGraph(section: Ordered): readonly string[] | undefined {
  const graph = orderGraph(section);
  const objects = graph.nodes.filter(({ look }) => look !== "ready");
  if (graph.edges.length === 0 || objects.length > maxGraphNodes) return undefined;
  return renderMermaid(graph);
}

/** The maximum number of names of one wave. The list of objects has all names. */
const namedObjects = 6;

/** The order of fewer objects isn't worth showing. */
const minObjects = 4;

/**
 * Renders the order of the changes: a graph for a few objects, otherwise a list of waves.
 * The result is empty if no object waits for another one.
 */
export function renderChangeOrder(section: Ordered): Markdown {
  const waves = listWaves(section);
  const objects = waves.reduce((sum, { names }) => sum + names.length, 0);
  if (waves.length < 2 || objects < minObjects) return md``;
  const graph = objects > maxGraphNodes ? undefined : renderOrderGraph(section);
  const summary = html`Order of the changes`;
  if (graph !== undefined) return details(summary, codeBlock("mermaid", graph));
  const lines = waves.map(
    (wave, index) => md`${index + 1}. ${phraseToMarkdown(describeWave(wave), (_, name) => name)}`,
  );
  return details(summary, joined(lines, "\n"));
}

export function describeWave({ verb, names }: Wave): Phrase {
  const shown = joinPhrases(names.slice(0, namedObjects).map(inlineCode), ", ");
  const rest = names.length - namedObjects;
  return rest > 0
    ? say`${verb}${shown} and ${text(plural(rest, "more object"))}`
    : [...verb, ...shown];
}

interface Wave {
  readonly verb: Phrase;
  readonly names: readonly string[];
}

/** Returns the groups of simultaneous changes and checks, in order. */
export function listWaves({ order, checks = [] }: Ordered): readonly Wave[] {
  const isDeleted = ({ action }: OrderedObject) => action === "delete";
  const applied = listLayers(
    insertGates(
      order.filter((each) => !isDeleted(each)),
      checks,
    ),
  );
  const last = checks.filter(({ gate }) => gate === undefined).map(({ name }) => name);
  const deleted = listLayers(order.filter(isDeleted)).map((names) => ({
    verb: say`delete `,
    names,
  }));
  const upserts = [...applied, ...(last.length === 0 ? [] : [last])];
  return [...upserts.map((names) => ({ verb: [], names })), ...deleted];
}

type OrderedStep = Omit<OrderedObject, "action">;

/** Inserts each check before the first object that waits for it. */
function insertGates(
  objects: readonly OrderedStep[],
  checks: readonly OrderedCheck[],
): readonly OrderedStep[] {
  const inserted = new Set<string>();
  return objects.flatMap((object) => {
    const gates = checks.flatMap(({ key, name, gate }) =>
      gate?.before.includes(object.key) ? [{ key, name, ...gate }] : [],
    );
    const first = gates.filter(({ key }) => !inserted.has(key));
    for (const { key } of first) inserted.add(key);
    const after = [...object.after, ...gates.map(({ key: on }) => ({ on, reason: "" }))];
    return [
      ...first.map(({ before: _, ...step }) => ({ ...step, stage: object.stage })),
      { ...object, after },
    ];
  });
}

/**
 * Returns the steps without dependencies, then those that wait only for them, and so on.
 * A stage waits for the whole stage before it. The input is in deploy order.
 */
function listLayers(steps: readonly OrderedStep[]): readonly (readonly string[])[] {
  const places = new Map<string, number>();
  const layers: string[][] = [];
  let floor = 0;
  let stage = steps[0]?.stage;
  for (const { key, name, after, ...rest } of steps) {
    if (rest.stage !== stage) floor = layers.length;
    stage = rest.stage;
    const below = after.map(({ on }) => places.get(on) ?? -1);
    const place = Math.max(floor, ...below.map((each) => each + 1));
    places.set(key, place);
    layers[place] ??= [];
    layers[place].push(name);
  }
  return layers.filter((names) => names !== undefined);
}
