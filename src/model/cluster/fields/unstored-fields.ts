import { type FieldStep, fieldDifferences } from "../../fields/field-differences.ts";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  withoutField,
} from "../../json.ts";
import { kindKey } from "../../kinds.ts";
import { idOf, type KubeObject } from "../../object.ts";
import { assumedVersion, type ServerVersion } from "../api/server-version.ts";
import { podSpecOf } from "../pods.ts";
import { type GatedField, gatedFieldsByKind, gatedPodFields } from "./gated-fields.ts";

/**
 * Removes the fields that an API server of this version drops without an error, because their
 * feature is off by default. The answer to a dry run shows the same; this is for new objects
 * without an answer.
 */
export function withoutUnstoredFields(
  object: KubeObject,
  server: ServerVersion | undefined,
): KubeObject {
  const own = gatedFieldsByKind.get(kindKey(idOf(object))) ?? [];
  const stored = changeAt(object, ["spec"], (spec) => withoutFields(spec, own, server));
  const pods = podSpecOf(object);
  if (pods === undefined) return stored as KubeObject;
  return changeAt(stored, pods.path, (spec) =>
    isObject(spec) ? withoutUnstoredPodFields(spec, server) : spec,
  ) as KubeObject;
}

/** Returns the gates that are off by default in this version and whose fields the object sets. */
export function closedGates(
  object: KubeObject,
  server: ServerVersion | undefined,
): readonly Pick<GatedField, "gate" | "since">[] {
  const used = closedFields(object, server);
  return [...new Map(used.map((field) => [field.gate, field])).values()];
}

/** A field of an object whose feature gate is off by default. */
export interface ClosedField extends Pick<GatedField, "gate" | "since"> {
  readonly path: readonly FieldStep[];
}

/** Returns the fields that the object sets and whose gates are off by default in this version. */
export function closedFields(
  object: KubeObject,
  server: ServerVersion | undefined,
): readonly ClosedField[] {
  const own = gatedFieldsByKind.get(kindKey(idOf(object))) ?? [];
  const pods = podSpecOf(object);
  const places = [
    { prefix: ["spec"], spec: at(object, "spec"), fields: own },
    { prefix: pods?.path ?? [], spec: pods?.spec, fields: gatedPodFields },
  ];
  return places.flatMap(({ prefix, spec, fields }) =>
    fields
      .filter((field) => spec !== undefined && !isStored(field, server))
      .flatMap((field) =>
        fieldDifferences(spec, withoutGatedField(spec as Json, field)).map(({ path }) => {
          const { gate, since } = field;
          return { gate, path: [...prefix, ...path], ...(since === undefined ? {} : { since }) };
        }),
      ),
  );
}

/** Removes such fields from the spec of a Pod. */
export function withoutUnstoredPodFields(
  spec: JsonObject,
  server: ServerVersion | undefined,
): JsonObject {
  const stored = withoutFields(spec, gatedPodFields, server) as JsonObject;
  return withoutSourceless(stored, spec);
}

function withoutFields(
  spec: Json,
  fields: readonly GatedField[],
  server: ServerVersion | undefined,
): Json {
  return fields.filter((field) => !isStored(field, server)).reduce(withoutGatedField, spec);
}

/** Reports whether this version stores a field by default. */
function isStored(
  { since = Number.POSITIVE_INFINITY, droppedSince = 0 }: GatedField,
  server: ServerVersion | undefined,
): boolean {
  const { minor } = server ?? assumedVersion;
  return since <= minor || minor < droppedSince;
}

function withoutGatedField(spec: Json, { path, stored, kept }: GatedField): Json {
  const name = path.at(-1) ?? "";
  return changeAt(spec, path.slice(0, -1), (holder) => {
    if (!isObject(holder) || !Object.hasOwn(holder, name)) return holder;
    const value = fieldOf(holder, name);
    if (value === stored || (kept !== undefined && value === kept)) return holder;
    return stored === undefined ? withoutField(holder, name) : { ...holder, [name]: stored };
  });
}

/** Removes the image volumes that have lost their image, and their mounts. */
function withoutSourceless(stored: JsonObject, declared: JsonObject): JsonObject {
  if (stored === declared) return stored;
  const hasImage = (volume: Json) => isObject(at(volume, "image"));
  const lost = listAt(declared, "volumes").filter(
    (volume, index) => hasImage(volume) && !hasImage(listAt(stored, "volumes")[index] ?? null),
  );
  const names = new Set(lost.map((volume) => textAt(volume, "name")));
  if (names.size === 0) return stored;
  const without = (list: Json) =>
    isList(list) ? list.filter((each) => !names.has(textAt(each, "name"))) : list;
  return ["containers", "initContainers"].reduce<Json>(
    (spec, list) => changeAt(spec, [list, "*", "volumeMounts"], without),
    changeAt(stored, ["volumes"], without),
  ) as JsonObject;
}

/**
 * Changes the values at a path, in which `*` stands for each item of a list or of a map. Returns
 * the same value if nothing changes.
 */
function changeAt(value: Json, path: readonly string[], change: (value: Json) => Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (step === "*") return changeItems(value, (item) => changeAt(item, rest, change));
  const inner = isObject(value) ? fieldOf(value, step) : undefined;
  if (!isObject(value) || inner === undefined) return value;
  const changed = changeAt(inner, rest, change);
  return changed === inner ? value : { ...value, [step]: changed };
}

function changeItems(value: Json, change: (item: Json) => Json): Json {
  if (isList(value)) {
    const changed = value.map(change);
    return changed.some((item, index) => item !== value[index]) ? changed : value;
  }
  if (!isObject(value)) return value;
  return Object.keys(value).reduce<Json>((map, name) => changeAt(map, [name], change), value);
}
