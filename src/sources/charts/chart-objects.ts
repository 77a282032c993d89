import { createScopeCheck } from "../../config/inputs/bind-input.ts";
import { readRendered } from "../../config/inputs/read-objects.ts";
import { toJson } from "../../config/read-typed.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import type { DeletionHook } from "../../model/plan/deletion.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { Stage } from "../../model/sources/compilation.ts";
import { textOf, type YamlMap } from "../../model/sources/yaml-node.ts";
import type { RenderedChart } from "../../ports/render.ts";
import { chartDigest } from "./chart-digest.ts";
import { deletionHooks } from "./deletion-hooks.ts";
import {
  hookPhase,
  inHelmOrder,
  inSequence,
  replacedHooks,
  runWithChart,
  waitingFor,
  withDefault,
} from "./hooks.ts";

/** The objects of a chart by their stage. */
type ObjectsByStage = Readonly<Record<Stage, readonly YamlMap[]>>;

export interface ChartObjects {
  readonly stages: ObjectsByStage;
  /** The hooks that a deletion runs, in their order. */
  readonly deletionHooks: readonly DeletionHook[];
  readonly notices: readonly Problem[];
}

interface ChartContext {
  /** The stage of the objects that are neither hooks nor in `crds/`. */
  readonly stage: Stage;
  /**
   * True if all objects are in this stage, so that they can wait for a resource of it, such as
   * their namespace.
   */
  readonly isOneStage?: boolean;
  /** The namespace of the release. */
  readonly namespace: string;
  /** False if the files in `crds/` are left out. */
  readonly crds: boolean;
  /** The values that the digest of the chart must not contain. */
  readonly hidden: readonly Json[];
  /** Returns the place of a template in the repository. */
  placeOf(template: string): Position;
}

/**
 * Returns the objects of a chart in the order of Helm, through stages and dependencies: those of
 * `crds/`, hooks before the rest, the rest, hooks after it (docs/reference/qvs-yaml.md#hooks).
 */
export function chartObjects(chart: RenderedChart, context: ChartContext): Result<ChartObjects> {
  const parts = readParts(chart, context);
  if (!parts.ok) return parts;
  const { deletionHooks, notices } = parts.value;
  return ok({ stages: inOrder(parts.value, context), deletionHooks, notices });
}

interface ChartParts {
  readonly definitions: readonly YamlMap[];
  /** The hooks before the rest, in the order of Helm. */
  readonly before: readonly YamlMap[];
  readonly rest: readonly YamlMap[];
  readonly after: readonly YamlMap[];
  readonly deletionHooks: readonly DeletionHook[];
  readonly notices: readonly Problem[];
}

function readParts(chart: RenderedChart, context: ChartContext): Result<ChartParts> {
  const { namespace, placeOf, hidden } = context;
  const problems: Problem[] = [];
  const notices = new Map<string, Problem>();
  const readOwn = (template: string, text: string): Result<readonly YamlMap[]> => {
    const place = placeOf(template);
    return readRendered(place, text, ({ what }) => {
      notices.set(`${template} ${what}`, repeatedKeyNotice(place, what));
    });
  };
  const read = (template: string, text: string): readonly YamlMap[] => {
    const objects = readOwn(template, text);
    problems.push(...resultProblems(objects));
    return objects.ok ? objects.value.map(keptByPolicy) : [];
  };
  const crds = context.crds ? chart.crds : [];
  const replaced = replacedHooks(chart, namespace);
  const hooks = chart.hooks.filter((hook) => !replaced.includes(hook));
  // Most charts have no hooks, and need no digest.
  const digest = hooks.length === 0 ? "" : chartDigest({ ...chart, crds }, hidden);
  const hooksOf = (phase: "before" | "after") =>
    inHelmOrder(hooks.filter((hook) => hookPhase(hook) === phase)).flatMap((hook) =>
      read(hook.template, hook.text).map((object) => runWithChart(object, hook, digest)),
    );
  const definitions = distinct(crds.flatMap(({ path, text }) => read(path, text)));
  const onDeletion = deletionHooks(chart.hooks, {
    namespace,
    // A deletion runs only built-in kinds, whose scope no definition decides.
    isNamespaced: createScopeCheck([]),
    random: new Set((chart.differences ?? []).map(({ template }) => template)),
    read: ({ template, text }) => readOwn(template, text),
    placeOf,
  });
  const parts: ChartParts = {
    definitions,
    before: hooksOf("before"),
    rest: chart.manifests.flatMap(({ template, text }) => read(template, text)),
    after: hooksOf("after"),
    deletionHooks: onDeletion.hooks,
    notices: [...notices.values(), ...onDeletion.notices],
  };
  return problems.length > 0 ? failed(problems) : ok(parts);
}

/** Returns the notice for a key that a template renders twice. */
function repeatedKeyNotice(place: Position, what: string): Problem {
  return {
    code: "repeated-key",
    where: [place],
    what,
    why: "Helm and qvs use the last value",
    fix: "Correct the template, or report it to the maintainers of the chart",
  };
}

/** Orders the parts by dependencies. Between two stages, the stages decide. */
function inOrder(parts: ChartParts, context: ChartContext): ObjectsByStage {
  const { stage, namespace, isOneStage = stage === "appSetup" } = context;
  const { definitions } = parts;
  const all = [...definitions, ...parts.before, ...parts.rest, ...parts.after];
  const isNamespaced = createScopeCheck(all.map((each) => toJson(each) as JsonObject));
  const placing = { namespace, isNamespaced };
  const before = inSequence(parts.before, definitions, placing);
  const first = before.length > 0 ? before.slice(-1) : definitions;
  const main = isOneStage
    ? parts.rest.map((object) => waitingFor(object, first, placing))
    : parts.rest;
  const setup = [...definitions, ...before];
  const others = [...main, ...inSequence(parts.after, main, placing)];
  return isOneStage
    ? { appSetup: [], app: [], [stage]: [...setup, ...others] }
    : { appSetup: setup, app: others };
}

/**
 * Returns each definition once. Subcharts can contain the same ones, and Helm installs the first.
 */
function distinct(definitions: readonly YamlMap[]): readonly YamlMap[] {
  const byName = new Map<string, YamlMap>();
  for (const each of definitions) {
    const group = groupOf(textOf(each, "apiVersion"));
    const names = [textOf(each, "kind"), ...namesOf(each)];
    const key = [group, ...names].join("\n");
    if (!byName.has(key)) byName.set(key, each);
  }
  return [...byName.values()];
}

function namesOf(object: YamlMap): readonly string[] {
  return [textOf(object, "metadata", "namespace"), textOf(object, "metadata", "name")];
}

/** Adds keepOnDelete to an object that its chart keeps. Its own name is the key. */
function keptByPolicy(object: YamlMap): YamlMap {
  const policy = textOf(object, "metadata", "annotations", "helm.sh/resource-policy");
  if (policy.trim().toLowerCase() !== "keep") return object;
  const name = textOf(object, "metadata", "name");
  return withDefault(object, ["metadata", "annotations", keepOnDeleteAnnotation], name);
}
