import { type Stage, stages } from "../model/sources/compilation.ts";
import type { Cue, CueValue } from "../ports/cue.ts";

/**
 * Resources that are still CUE values, so that other adapters can add to them. The ids are complete
 * (`group/id`).
 */
export type ResourceValues = Readonly<Record<Stage, ReadonlyMap<string, CueValue>>>;

/**
 * Merges resources. The same stage and id is one resource with the fields of all
 * (docs/reference/adapters.md#composition).
 */
export function mergeResources(all: readonly ResourceValues[], cue: Cue): ResourceValues {
  const merged = (stage: Stage) =>
    mergeStage(
      all.map((resources) => resources[stage]),
      cue,
    );
  return { appSetup: merged("appSetup"), app: merged("app") };
}

function mergeStage(
  all: readonly ReadonlyMap<string, CueValue>[],
  cue: Cue,
): ReadonlyMap<string, CueValue> {
  const merged = new Map<string, CueValue>();
  for (const [id, value] of all.flatMap((resources) => [...resources])) {
    const present = merged.get(id);
    merged.set(id, present === undefined ? value : cue.unify(present, value));
  }
  return merged;
}

/**
 * Adds a group to all ids. Such ids are unified only with ids of the same group
 * (docs/reference/adapters.md#groups).
 */
export function groupResources(
  resources: ResourceValues,
  group: string | undefined,
): ResourceValues {
  if (group === undefined || group === "") return resources;
  const prefixed = (stage: ReadonlyMap<string, CueValue>) =>
    new Map([...stage].map(([id, value]) => [`${group}/${id}`, value] as const));
  return { appSetup: prefixed(resources.appSetup), app: prefixed(resources.app) };
}

/**
 * Unifies what `defer` adds with `resources` (docs/reference/adapters.md#composition). The patterns
 * of `resources`, such as `[_]: metadata: …`, apply to new resources, too.
 */
export function addDeferred(
  composed: CueValue,
  resources: ResourceValues,
  deferred: ResourceValues,
  cue: Cue,
): ResourceValues {
  const root = cue.lookup(composed, ["resources"]);
  const isNew = (stage: Stage, id: string) => root !== undefined && !resources[stage].has(id);
  const added = stages.flatMap((stage) =>
    [...deferred[stage]]
      .filter(([id]) => isNew(stage, id))
      .map(([id, value]) => [stage, id, value] as const),
  );
  if (root === undefined || added.length === 0) return mergeResources([resources, deferred], cue);
  const filled = added.reduce((all, [stage, id, value]) => cue.fill(all, [stage, id], value), root);
  const completed = (stage: Stage) =>
    new Map(
      [...deferred[stage]].map(([id, value]) => [
        id,
        isNew(stage, id) ? (cue.lookup(filled, [stage, id]) ?? value) : value,
      ]),
    );
  const complete = { appSetup: completed("appSetup"), app: completed("app") };
  return mergeResources([resources, complete], cue);
}

/** Returns the `resources` or `defer` of an adapter by stage and id. */
export function readResources(
  adapter: CueValue,
  field: "resources" | "defer",
  cue: Cue,
): ResourceValues {
  const read = (stage: Stage) => {
    const struct = cue.lookup(adapter, [field, stage]);
    const fields =
      struct === undefined ? [] : cue.fields(struct).filter((f) => !f.optional && !f.required);
    return new Map(fields.map(({ name, value }) => [name, value] as const));
  };
  return { appSetup: read("appSetup"), app: read("app") };
}
