import { at, type Json, listAt, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * Returns a part of the metadata that changes with every possible change of the deployed fields.
 * Two states with the same result differ at most in their status, which controllers write
 * continuously.
 *
 * - A kind that counts generations increases them with every change of a spec
 *   (https://kubernetes.io/docs/concepts/overview/working-with-objects/ and the API conventions,
 *   "Metadata").
 * - If a client wrote the status as a subresource, the managers and times of the other writes show
 *   a change. These times are in whole seconds. A second change within one second is read together
 *   with the first (see `settleMs`).
 * - In all other kinds, every resourceVersion counts.
 */
export function changeFingerprint({ metadata }: KubeObject): string {
  const { labels, annotations, deletionTimestamp } = metadata;
  const common = { labels, annotations, deletionTimestamp };
  return JSON.stringify({ ...common, content: contentVersion(metadata) });
}

function contentVersion(metadata: KubeObject["metadata"]): Json | undefined {
  const generation = numberAt(metadata, "generation");
  if (generation !== undefined) return generation;
  const writers = listAt(metadata, "managedFields");
  const others = writers.filter((entry) => at(entry, "subresource") === undefined);
  return others.length < writers.length ? (others as Json) : textAt(metadata, "resourceVersion");
}
