import { readRendered } from "../../config/inputs/read-objects.ts";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import type { Stage } from "../../model/compilation.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { YamlMap } from "../../model/yaml-node.ts";
import type { RenderedChart } from "../../ports/render.ts";
import { textOf } from "./edit-yaml.ts";
import { byWeight, hookPhase, inSequence, runWithChart, waitingFor, withDefault } from "./hooks.ts";

/** The objects of a chart by their stage. */
export type ChartObjects = Readonly<Record<Stage, readonly YamlMap[]>>;

interface ChartContext {
  /** The stage of the objects that are neither hooks nor in `crds/`. */
  readonly stage: Stage;
  /** The namespace of the release. */
  readonly namespace: string;
  /** Returns the place of a template in the repository. */
  placeOf(template: string): Position;
}

/**
 * Returns the objects of a chart in the order of Helm, through stages and dependencies: those of
 * `crds/`, hooks before the rest, the rest, hooks after it (docs/reference/qvs-yaml.md#hooks).
 */
export function chartObjects(chart: RenderedChart, context: ChartContext): Result<ChartObjects> {
  const problems: Problem[] = [];
  const { stage, namespace, placeOf } = context;
  const read = (template: string, text: string): readonly YamlMap[] => {
    const objects = readRendered(placeOf(template), text);
    problems.push(...resultProblems(objects));
    return objects.ok ? objects.value.map(keptByPolicy) : [];
  };
  const hooksOf = (phase: "before" | "after") =>
    byWeight(chart.hooks.filter((hook) => hookPhase(hook) === phase)).flatMap((hook) =>
      read(hook.template, hook.text).map((object) => runWithChart(object, hook, chart.digest)),
    );
  const definitions = chart.crds.flatMap(({ path, text }) => read(path, text));
  const before = inSequence(hooksOf("before"), definitions, namespace);
  const rest = chart.manifests.flatMap(({ template, text }) => read(template, text));
  // Within one stage, only dependencies decide the order.
  const first = before.length > 0 ? before.slice(-1) : definitions;
  const main =
    stage === "appSetup" ? rest.map((object) => waitingFor(object, first, namespace)) : rest;
  const after = inSequence(hooksOf("after"), main, namespace);
  if (problems.length > 0) return failed(problems);
  const setup = [...definitions, ...before];
  const others = [...main, ...after];
  return ok(
    stage === "app"
      ? { appSetup: setup, app: others }
      : { appSetup: [...setup, ...others], app: [] },
  );
}

/** Adds keepOnDelete to an object that its chart keeps. Its own name is the key. */
function keptByPolicy(object: YamlMap): YamlMap {
  const policy = textOf(object, "metadata", "annotations", "helm.sh/resource-policy");
  if (policy.trim().toLowerCase() !== "keep") return object;
  const name = textOf(object, "metadata", "name");
  return withDefault(object, ["metadata", "annotations", keepOnDeleteAnnotation], name);
}
