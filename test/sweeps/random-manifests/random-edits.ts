import { keepOnDeleteAnnotation } from "../../../src/model/annotations.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Edit } from "../../accuracy/real/edits.ts";
import { idIn, setUp } from "../../accuracy/real/play-batch.ts";
import { elsewhere, keepsItsName } from "../../accuracy/real/stages.ts";
import { fc } from "../../support/fast-check.ts";
import {
  anotherItem,
  chosenPlace,
  type Draw,
  drawn,
  keys,
  otherValue,
  type Place,
  pick,
  texts,
  write,
} from "./random-draws.ts";

type Way = keyof typeof ways;
type Change = (object: KubeObject, at: Place, draw: Draw, objects: readonly KubeObject[]) => void;

/** A random change of a deployment: its type, and numbers that select the place. */
export interface OwnDraw extends Draw {
  readonly way: Way;
}

const ways = {
  remove: (object: KubeObject, at: Place) => write(object, at.steps, undefined),
  change: (object, at, { value }) => write(object, at.steps, otherValue(at.value, value)),
  mistype: (object, at, { value }) => write(object, at.steps, pick(wrongTypes, value) ?? null),
  double: (object, at) =>
    write(
      object,
      at.steps,
      withList(at.value, (list) => [...list, ...list.slice(-1)]),
    ),
  extend: (object, at, { value }) =>
    write(
      object,
      at.steps,
      withList(at.value, (list) => [
        ...list,
        ...list.slice(-1).map((last) => anotherItem(last, value)),
      ]),
    ),
  shorten: (object, at) =>
    write(
      object,
      at.steps,
      withList(at.value, (list) => list.slice(1)),
    ),
  turn: (object, at) =>
    write(
      object,
      at.steps,
      withList(at.value, (list) => list.toReversed()),
    ),
  misspell: (object, at) => write(object, [...at.steps.slice(0, -1), "bogus"], at.value),
  label: (object, _, { value }) =>
    annotate(object, value % 2 === 0 ? "labels" : "annotations", {
      [pick(keys, value) ?? ""]: pick(texts, value) ?? "",
    }),
  ignore: (object, at) =>
    annotate(object, "annotations", { "vs.axis-dev.io/ignore-changes": pathOf(at) }),
  recreate: (object) => annotate(object, "annotations", { "vs.axis-dev.io/replace": "true" }),
  move: (object) => annotate(object, "annotations", { [setUp]: "yes" }),
  keep: (object) => annotate(object, "annotations", { [keepOnDeleteAnnotation]: "kept" }),
  /** Changes a name like a hash suffix. */
  revise: (object, _, { value }) => {
    if (object.kind === "CustomResourceDefinition") return;
    annotate(object, "annotations", { [keepOnDeleteAnnotation]: `kept-${value % 2}` });
    write(object, ["metadata", "name"], `${object.metadata["name"]}-${value % 10}`);
  },
  own: (object, _, { value, place }, objects) => {
    const owner = pick(
      objects.filter((each) => each !== object && keepsItsName(each)),
      value,
    );
    if (owner === undefined) return;
    const { apiVersion, kind, metadata } = owner;
    const uid = `$(ref.${idIn(owner)}.metadata.uid)`;
    const blockOwnerDeletion = place % 2 === 0;
    const reference = { apiVersion, kind, name: metadata["name"] ?? "", uid, blockOwnerDeletion };
    write(object, ["metadata", "ownerReferences"], [reference]);
  },
  elsewhere: (object) => write(object, ["metadata", "namespace"], elsewhere),
  rename: (object, _, { value }) =>
    write(object, ["metadata", "name"], `${object.metadata["name"]}-${value % 10}`),
  drop: () => {},
} satisfies Readonly<Record<string, Change>>;

export const ownDraw: fc.Arbitrary<OwnDraw> = drawn.chain((draw) =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.constant("change" as const) },
      { weight: 3, arbitrary: fc.constant("remove" as const) },
      { weight: 6, arbitrary: fc.constantFrom(...(Object.keys(ways) as Way[])) },
      { weight: 3, arbitrary: fc.constantFrom<Way>("drop", "rename", "revise", "own") },
    )
    .map((way) => ({ ...draw, way })),
);

/** Changes that are also allowed in the initial objects. */
export const priorDraw: fc.Arbitrary<OwnDraw> = drawn.chain((draw) =>
  fc
    .constantFrom<Way>("keep", "revise", "ignore", "own", "elsewhere", "move", "recreate")
    .map((way) => ({ ...draw, way })),
);

/** Changes that are rarely rejected, so that later ones take effect. */
export const twoDraw: fc.Arbitrary<OwnDraw> = drawn.chain((draw) =>
  fc
    .constantFrom<Way>("label", "drop", "rename", "revise", "keep", "move", "recreate", "change")
    .map((way) => ({ ...draw, way })),
);

/** Returns the edit for a random change, like those that users make on purpose or by mistake. */
export function editOf(draw: OwnDraw, made: string[]): Edit {
  return (objects) => {
    const found = chosenPlace(objects, draw);
    if (found === undefined) return objects;
    const { object, at } = found;
    made.push(`${draw.way} ${object.kind}/${object.metadata["name"]} ${at.steps.join(".")}`);
    if (draw.way === "drop") return objects.filter((each) => each !== object);
    const change: Change = ways[draw.way];
    change(object, at, draw, objects);
    return objects;
  };
}

function annotate(object: KubeObject, where: "labels" | "annotations", more: JsonObject): void {
  const before = object.metadata[where] as JsonObject | undefined;
  write(object, ["metadata", where], { ...before, ...more });
}

/** Returns the path in the format of annotations, such as `spec.containers[0].image`. */
function pathOf({ steps }: Place): string {
  return steps
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^\w+$/.test(step) ? `.${step}` : `["${step}"]`;
    })
    .join("")
    .replace(/^\./, "");
}

const wrongTypes: readonly Json[] = ["text", 7, true, null, {}, [], [null], { a: "b" }];

function withList(value: Json, change: (list: Json[]) => Json[]): Json {
  return Array.isArray(value) ? change(value) : value;
}
