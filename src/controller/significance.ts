import { at, type Json, listAt, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * What of an object's metadata changes whenever somebody may have changed what was deployed. Two states with one text differ at most
 * in their status, which a controller writes all the time:
 *
 * - Kinds that count generations do so with every change of a spec
 *   (https://kubernetes.io/docs/concepts/overview/working-with-objects/ and the API conventions, "Metadata").
 * - Where somebody has written the status as a subresource, who has written the rest, and when, tells the rest. Its times are
 *   whole seconds: a second change within one is read together with the first (see `settleMs`).
 * - Of all other kinds every version counts.
 */
export function significanceOf({ metadata }: KubeObject): string {
  const { labels, annotations, deletionTimestamp } = metadata;
  const common = { labels, annotations, deletionTimestamp };
  return JSON.stringify({ ...common, content: contentOf(metadata) });
}

function contentOf(metadata: KubeObject["metadata"]): Json | undefined {
  const generation = numberAt(metadata, "generation");
  if (generation !== undefined) return generation;
  const writers = listAt(metadata, "managedFields");
  const others = writers.filter((entry) => at(entry, "subresource") === undefined);
  return others.length < writers.length ? (others as Json) : textAt(metadata, "resourceVersion");
}
