import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import { groupOf, type KubeObject } from "../../../src/model/object.ts";
import { type Command, uidOf } from "../../accuracy/real/perform.ts";
import { fc } from "../../support/fast-check.ts";
import {
  anotherItem,
  chosenPlace,
  type Draw,
  drawn,
  keys,
  listKeys,
  otherValue,
  type Place,
  pick,
  type Steps,
  short,
  texts,
  write,
} from "./random-draws.ts";

/** A random change of an object by another user. */
export interface OthersDraw extends Draw {
  readonly way: Way;
}

type Way = keyof typeof ways;
type Act = (
  object: KubeObject,
  at: Place,
  draw: Draw,
  objects: readonly KubeObject[],
) => readonly Command[];

/** The field managers: users, tools that apply, and controllers. */
const managers = ["kubectl-edit", "argocd-controller", "helm", "flux", "kube-controller-manager"];

const ways = {
  merge: (object: KubeObject, at: Place, { value }: Draw) =>
    patch(object, "merge", mergePatch(wholeList(object, at), otherValue(at.value, value))),
  unset: (object, at) => patch(object, "merge", mergePatch(wholeList(object, at), null)),
  jsonReplace: (object, { steps, value: was }, { value }) =>
    patch(object, "json", [{ op: "replace", path: pointer(steps), value: otherValue(was, value) }]),
  jsonRemove: (object, { steps }) =>
    patch(object, "json", [{ op: "remove", path: pointer(steps) }]),
  jsonAdd: (object, at, { value, place }) => {
    const list = lastList(object, at);
    const item = list && anotherItem(list.items.at(-1) ?? "", value);
    const path = list && pointer([...list.steps, place % 2 === 0 ? "-" : "0"]);
    return list === undefined
      ? []
      : patch(object, "json", [{ op: "add", path: path ?? "", value: item ?? "" }]);
  },
  strategic: (object, at, { value }) =>
    patch(object, "strategic", keyedPatch(object, at.steps, otherValue(at.value, value))),
  strategicAdd: (object, at, { value }) => {
    const list = lastList(object, at);
    if (list === undefined) return [];
    const items = [anotherItem(list.items.at(-1) ?? "", value)];
    return patch(object, "strategic", keyedPatch(object, list.steps, items));
  },
  asController: (object, at, draw) =>
    patch(object, "merge", mergePatch(wholeList(object, at), otherValue(at.value, draw.value))).map(
      (command) => ({
        words: [...command.words, `--field-manager=${pick(managers, draw.object)}`],
      }),
    ),
  apply: (object, at, draw) => [{ words: ["apply", "-f", "-"], input: changed(object, at, draw) }],
  replace: (object, at, draw) => [
    { words: ["replace", "-f", "-"], input: changed(object, at, draw) },
  ],
  applyWhole: (object, at, draw) => [{ words: serverSide(draw), input: changed(object, at, draw) }],
  applySame: (object, _, draw) => [{ words: serverSide(draw), input: object }],
  applyPart: (object, at, draw) => [
    {
      words: serverSide(draw),
      input: {
        ...identity(object),
        ...(keyedPatch(object, at.steps, otherValue(at.value, draw.value)) as JsonObject),
      } as KubeObject,
    },
  ],
  applyItem: (object, at, draw) => {
    const list = lastList(object, at);
    if (list === undefined) return [];
    const items = [anotherItem(list.items.at(-1) ?? "", draw.value)];
    const input = { ...identity(object), ...keyedPatch(object, list.steps, items) } as KubeObject;
    return [{ words: serverSide(draw), input }];
  },
  scale: (object, _, { value }) => [
    { words: ["scale", nameIn(object), `--replicas=${value % 4}`] },
  ],
  setImage: (object, _, { value }) => [
    { words: ["set", "image", nameIn(object), `*=other:${value % 5}`] },
  ],
  setEnv: (object, _, { value }) => [
    { words: ["set", "env", nameIn(object), `SET_BY_HAND=${value % 5}`] },
  ],
  setResources: (object) => [
    { words: ["set", "resources", nameIn(object), "--requests=cpu=10m,memory=16Mi"] },
  ],
  restart: (object) => [{ words: ["rollout", "restart", nameIn(object)] }],
  label: (object, _, { value }) => [
    { words: ["label", nameIn(object), `team=${pick(texts, value)}`, "--overwrite"] },
  ],
  annotate: (object, _, { value }) => [
    {
      words: [
        "annotate",
        nameIn(object),
        `${pick(keys, value)}=${pick(texts, value)}`,
        "--overwrite",
      ],
    },
  ],
  hold: (object) => patch(object, "merge", { metadata: { finalizers: ["example.com/held"] } }),
  status: (object, _, { value }) =>
    patch(object, "merge", { status: { conditions: [conditionOf(value)] } }).map(({ words }) => ({
      words: [...words, "--subresource=status"],
    })),
  own: (object, _, draw, objects) => own(object, [pick(objects, draw.value) ?? object], draw),
  ownTwice: (object, _, draw, objects) => {
    const owners = [pick(objects, draw.value), pick(objects, draw.place)];
    return own(
      object,
      owners.filter((each) => each !== undefined),
      draw,
    );
  },
  ownAnother: (object, _, draw) => {
    const name = `another-${draw.value % 3}`;
    const metadata = { name, ownerReferences: [ownedBy(object, draw)] };
    const input = { apiVersion: "v1", kind: "ConfigMap", metadata };
    return [{ words: ["create", "-f", "-"], input }];
  },
  forgetOwners: (object) => patch(object, "merge", { metadata: { managedFields: [{}] } }),
  delete: (object) => [{ words: ["delete", nameIn(object), "--timeout=10s"] }],
} satisfies Readonly<Record<string, Act>>;

const owning: readonly Way[] = ["own", "ownTwice", "ownAnother"];

export const othersDraw: fc.Arbitrary<OthersDraw> = drawn.chain((draw) =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ways) as Way[])) },
      { weight: 1, arbitrary: fc.constantFrom(...owning) },
    )
    .map((way) => ({ ...draw, way })),
);

/** Returns the commands of a random change. Rejections by the API server are ignored. */
export function othersCommands(
  draw: OthersDraw,
  objects: readonly KubeObject[],
  made: string[],
): readonly Command[] {
  const found = chosenPlace(objects, draw);
  if (found === undefined) return [];
  const commands: readonly Command[] = ways[draw.way](found.object, found.at, draw, objects);
  const said = commands.map(
    ({ words, input }) => `${words.join(" ")} ${input ? short(input) : ""}`,
  );
  made.push(`somebody: ${draw.way} ${found.at.steps.join(".")}: ${said.join("; ").slice(0, 600)}`);
  return commands;
}

function patch(object: KubeObject, type: string, body: Json): readonly Command[] {
  return [{ words: ["patch", nameIn(object), `--type=${type}`, "-p", JSON.stringify(body)] }];
}

function own(object: KubeObject, owners: readonly KubeObject[], draw: Draw): readonly Command[] {
  const ownerReferences = owners.map((owner) => ownedBy(owner, draw));
  return patch(object, "merge", { metadata: { ownerReferences } });
}

/** Returns an owner reference. Only some owners are the controller. */
function ownedBy(owner: KubeObject, { place, value }: Draw): JsonObject {
  const { apiVersion, kind, metadata } = owner;
  const name = metadata["name"] ?? null;
  return {
    ...{ apiVersion, kind, name, uid: uidOf(nameIn(owner)) },
    ...(place % 2 === 0 && { blockOwnerDeletion: true }),
    ...((place + value) % 5 === 0 && { controller: true }),
  };
}

function serverSide({ object, value }: Draw): readonly string[] {
  const force = value % 3 === 0 ? [] : ["--force-conflicts"];
  return [
    "apply",
    "--server-side",
    `--field-manager=${pick(managers, object)}`,
    ...force,
    "-f",
    "-",
  ];
}

function changed(object: KubeObject, at: Place, { value }: Draw): KubeObject {
  const copy = structuredClone(object);
  write(copy, at.steps, value % 4 === 0 ? undefined : otherValue(at.value, value));
  return copy;
}

function identity({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name: metadata["name"] ?? null } };
}

/** Returns `Kind.version.group/name`, because several groups can have a kind of the same name. */
function nameIn({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return `${group === "" ? kind : `${kind}.${group}`}/${metadata["name"]}`;
}

/** Returns the place of the whole list, because a merge patch replaces lists as a whole. */
function wholeList(object: KubeObject, { steps, value }: Place): Place {
  const index = steps.findIndex((step) => typeof step === "number");
  if (index < 0) return { steps, value };
  const outer = steps.slice(0, index);
  return { steps: outer, value: valueAt(object, outer) };
}

function mergePatch({ steps, value: whole }: Place, value: Json): Json {
  const inner = Array.isArray(whole) && value !== null ? whole.slice(0, 1) : value;
  return steps.reduceRight<Json>((below, step) => ({ [step]: below }), inner);
}

/**
 * Returns a strategic merge patch with the keys of the list items, so that it changes only one
 * item.
 */
function keyedPatch(object: KubeObject, steps: Steps, value: Json): JsonObject {
  const patched = steps.reduceRight<Json>((inner, step, index) => {
    if (typeof step === "string") return { [step]: inner };
    const item = valueAt(object, steps.slice(0, index + 1));
    if (!isObject(item) || !isObject(inner)) return [inner];
    const kept = Object.entries(item).filter(([name]) => listKeys.includes(name));
    const protocol = item["containerPort"] ?? item["port"];
    const more = protocol === undefined ? {} : { protocol: item["protocol"] ?? "TCP" };
    return [Object.assign(Object.fromEntries(kept), more, inner)];
  }, value);
  return isObject(patched) ? patched : {};
}

/** Returns the innermost list that contains or is the place. */
function lastList(
  object: KubeObject,
  { steps, value }: Place,
): { readonly steps: Steps; readonly items: readonly Json[] } | undefined {
  if (Array.isArray(value)) return { steps, items: value };
  const index = steps.findLastIndex((step) => typeof step === "number");
  const outer = steps.slice(0, index);
  const list = index < 0 ? undefined : valueAt(object, outer);
  return Array.isArray(list) ? { steps: outer, items: list } : undefined;
}

function valueAt(object: KubeObject, steps: Steps): Json {
  return steps.reduce<Json>(
    (at, step) => (at as Record<string | number, Json> | null)?.[step] ?? null,
    object,
  );
}

function pointer(steps: Steps): string {
  return steps
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function conditionOf(value: number): JsonObject {
  const status = pick(["True", "False", "Unknown"], value) ?? "";
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  return { type: "Ready", status, reason: "ByHand", message: "set by hand", lastTransitionTime };
}
