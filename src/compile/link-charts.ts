import type { Manifest, Resource } from "../model/compilation.ts";
import type { ChartResource, ObjectInput } from "../model/config.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import { referencePieces, resolveReference } from "../model/text/reference-text.ts";
import { resourcePrefix } from "./compose-inputs.ts";
import { walkStrings } from "./resource-references.ts";

/**
 * Replaces the charts of adapters by their objects. A dependency of a chart applies to each of its
 * objects, and a resource that depends on a chart depends on all of them.
 */
export function linkCharts(
  resources: readonly Resource[],
  inputs: readonly ObjectInput[],
): Result<readonly Resource[]> {
  const charts = inputs.flatMap((input) =>
    input.replaces === undefined ? [] : [{ ...input.replaces, objects: objectKeys(input) }],
  );
  if (charts.length === 0) return ok(resources);
  const replaced = new Set(charts.map(({ stage, id }) => `${stage}/${id}`));
  const left = resources.filter(({ stage, id }) => !replaced.has(`${stage}/${id}`));
  const chartOf = new Map(
    charts.flatMap((chart) => chart.objects.map((object) => [object, chart] as const)),
  );
  const objectsOf = new Map(
    [...new Set(charts.map(({ id }) => id))].map((id) => [id, waitedFor(id, charts)] as const),
  );
  const problems = left.flatMap((each) =>
    each.type === "manifest" ? fieldProblems(each, objectsOf) : [],
  );
  if (problems.length > 0) return failed(problems);
  return ok(
    left.map((each) =>
      each.type === "manifest"
        ? withObjects(each, chartOf.get(`${each.stage}/${each.id}`), objectsOf)
        : each,
    ),
  );
}

interface LinkedChart extends ChartResource {
  /** The objects as `stage/id`. */
  readonly objects: readonly string[];
}

/**
 * Returns the ids of the objects of a chart. For a chart without objects, these are the resources
 * that it waits for, so that the order stays.
 */
function waitedFor(
  id: string,
  charts: readonly LinkedChart[],
  seen = new Set<string>(),
): readonly string[] {
  const same = charts.filter((chart) => chart.id === id);
  if (same.length === 0) return [id];
  if (seen.has(id)) return [];
  seen.add(id);
  return same.flatMap(({ objects, dependsOn }) =>
    objects.length > 0
      ? objects.map(withoutStage)
      : dependsOn.flatMap((other) => waitedFor(other, charts, seen)),
  );
}

/** The ids of the objects of each chart, by the id of the chart. */
type ObjectsOfCharts = ReadonlyMap<string, readonly string[]>;

/** Returns the objects of a chart as `stage/id`. */
function objectKeys(input: ObjectInput): readonly string[] {
  return input.objects.map(({ id }) => `${resourcePrefix(input)}/${id}`);
}

function withoutStage(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

function withObjects(
  manifest: Manifest,
  chart: ChartResource | undefined,
  objectsOf: ObjectsOfCharts,
): Manifest {
  const ids = [...manifest.dependsOn, ...(chart?.dependsOn ?? [])];
  const all = new Set(ids.flatMap((id) => objectsOf.get(id) ?? [id]));
  all.delete(manifest.id);
  return { ...manifest, dependsOn: [...all].sort() };
}

/** Reports the references to fields of charts. Only objects have fields. */
function fieldProblems(manifest: Manifest, objectsOf: ObjectsOfCharts): readonly Problem[] {
  const pulumi = manifest.pulumi === true;
  const named = manifest.dependsOn.filter((id) => objectsOf.has(id));
  if (named.length === 0) return [];
  const written = [...walkStrings(manifest.object)]
    .flatMap((text) => referencePieces(text, pulumi))
    .flatMap((piece) => {
      if (piece.type === "text") return [];
      const found = resolveReference(piece.inner, manifest.id, manifest.dependsOn);
      return found !== undefined && objectsOf.has(found.id) ? [piece.written] : [];
    });
  return [...new Set(written)].map((text) => ({
    code: "reference-not-found",
    what: `Resource ${manifest.stage}/${manifest.id} refers to ${text}, which is a chart`,
    why: "Only the objects of the chart have fields",
    fix: "Refer to an object of the chart by its id, as `qvs compile` shows it",
    otherwise: ["pass the value as a parameter"],
    where: declarationPlaces(manifest),
  }));
}
