import type { Stage } from "../model/compilation.ts";
import type { Cue, CueValue } from "../ports.ts";

/** Resources that are still CUE values: open to what other adapters add. Ids are complete (`group/id`). */
export type ResourceValues = Readonly<Record<Stage, ReadonlyMap<string, CueValue>>>;

export const noResources: ResourceValues = { appSetup: new Map(), app: new Map() };

/** The same stage and id in both is one resource with both sets of fields (spec §2.3). */
export function mergeResources(a: ResourceValues, b: ResourceValues, cue: Cue): ResourceValues {
  return { appSetup: mergeStage(a.appSetup, b.appSetup, cue), app: mergeStage(a.app, b.app, cue) };
}

function mergeStage(
  a: ReadonlyMap<string, CueValue>,
  b: ReadonlyMap<string, CueValue>,
  cue: Cue,
): ReadonlyMap<string, CueValue> {
  const merged = new Map(a);
  for (const [id, value] of b) {
    const present = merged.get(id);
    merged.set(id, present === undefined ? value : cue.unify(present, value));
  }
  return merged;
}

/** Within a group, ids meet only ids of the same group (spec §2.3). */
export function groupResources(
  resources: ResourceValues,
  group: string | undefined,
): ResourceValues {
  if (group === undefined || group === "") return resources;
  const prefixed = (stage: ReadonlyMap<string, CueValue>) =>
    new Map([...stage].map(([id, value]) => [`${group}/${id}`, value] as const));
  return { appSetup: prefixed(resources.appSetup), app: prefixed(resources.app) };
}

/** `resources` or `defer` of an adapter, by stage and id. */
export function readResources(
  adapter: CueValue,
  field: "resources" | "defer",
  cue: Cue,
): ResourceValues {
  const read = (stage: Stage) => {
    const struct = cue.lookup(adapter, [field, stage]);
    const fields = struct === undefined ? [] : cue.fields(struct).filter((f) => !f.optional);
    return new Map(fields.map(({ name, value }) => [name, value] as const));
  };
  return { appSetup: read("appSetup"), app: read("app") };
}
