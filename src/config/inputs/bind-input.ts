import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isCrdManifest } from "../../model/cluster/namespaces-and-crds.ts";
import { at, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import { isClusterScoped, kindKey } from "../../model/kinds.ts";
import { groupOf, isKubeObject } from "../../model/object.ts";
import type { Fact, Position } from "../../model/problems/problem.ts";
import type {
  BoundParam,
  InputObject,
  ObjectInput,
  ValuePlace,
} from "../../model/sources/config.ts";
import type { YamlMap, YamlNode } from "../../model/sources/yaml-node.ts";
import { toJson } from "../read-typed.ts";
import { type Scope, type Substituted, substitute } from "../substitute.ts";
import { listValuePlaces } from "../value-places.ts";
import type { ReadInput } from "./parsed-input.ts";

/** Returns the name in an entry's `group` or `namespace`. It reports any other value. */
type BindName = (key: string, node: YamlNode) => string;

interface InputBinding {
  readonly scope: Scope;
  readonly bindName: BindName;
  /** The names of parameters whose values come from the command line. */
  readonly inline: ReadonlySet<string>;
}

/** An entry with `$(params.…)` replaced. Objects can still lack their namespace. */
interface SubstitutedInput extends Omit<ObjectInput, "objects"> {
  readonly namespace: { readonly name: string; readonly place: ValuePlace } | undefined;
  readonly objects: readonly Omit<InputObject, "id">[];
}

/** Replaces `$(params.…)` in the objects of an entry. It reports values that aren't objects. */
export function substituteInput(input: ReadInput, binding: InputBinding): SubstitutedInput {
  const { scope, bindName, inline } = binding;
  const { form, written, stage, group, namespace, where, files } = input;
  const uses = new ParamUses(inline);
  const recording = uses.recording(scope);
  const objects = input.objects.map((node, index) => {
    const value =
      input.chart === undefined ? substitute(node, recording, node.where) : literal(node);
    const bound = bindObject(node, value, scope);
    const base = input.bases?.[index];
    return bound === undefined || base === undefined ? bound : { ...bound, base };
  });
  return {
    title: `${form}: ${written}`,
    ...{ stage, where, files },
    group: group === undefined ? undefined : bindName("group", group),
    namespace:
      namespace === undefined
        ? undefined
        : {
            name: bindName("namespace", namespace),
            place: { path: ["metadata", "namespace"], where: namespace.where, given: [] },
          },
    objects: objects.filter((object) => object !== undefined),
    params: [...(input.chart?.params ?? []), ...uses.params()],
    ...(input.chart === undefined ? {} : { secretParams: input.chart.secretParams }),
    ...(input.replaces === undefined ? {} : { replaces: input.replaces }),
  };
}

/** Returns the value of a rendered node, in which no text is a reference. */
function literal(node: YamlMap): Substituted {
  const places = listValuePlaces(node, node.where, { given: () => undefined });
  return {
    value: toJson(node),
    from: [],
    places: places.map(({ path, where }) => ({ path, where, given: [] })),
  };
}

/** Gives each object its namespace and its resource id. */
export function identify(
  { namespace, objects, ...input }: SubstitutedInput,
  isNamespaced: IsNamespaced,
): ObjectInput {
  return {
    ...input,
    objects: objects.map((each): InputObject => {
      const { object } = each;
      const isPlaced = (textAt(object, "metadata", "namespace") ?? "") !== "";
      if (namespace === undefined || isPlaced || !isNamespaced(object))
        return { ...each, id: resourceId(object) };
      const metadata = { ...(object["metadata"] as JsonObject), namespace: namespace.name };
      const placed = { ...object, metadata };
      return { ...each, object: placed, id: resourceId(placed), places: placedAt(each, namespace) };
    }),
  };
}

function placedAt(
  { places }: Pick<InputObject, "places">,
  { place }: NonNullable<SubstitutedInput["namespace"]>,
): readonly ValuePlace[] {
  return [...places.filter(({ path }) => path.join("\n") !== place.path.join("\n")), place];
}

/** Returns `<kind>/<namespace>/<name>` in lower case, without an empty namespace. */
function resourceId(object: JsonObject): string {
  const parts = [
    textAt(object, "kind"),
    textAt(object, "metadata", "namespace"),
    textAt(object, "metadata", "name"),
  ];
  return parts
    .filter((part) => part !== undefined && part !== "")
    .join("/")
    .toLowerCase();
}

function bindObject(
  { where }: YamlMap,
  { value, places, from }: Substituted,
  scope: Scope,
): Omit<InputObject, "id"> | undefined {
  const isNamed = (textAt(value, "metadata", "name") ?? "") !== "";
  if (isObject(value) && isKubeObject(value) && isNamed) return { object: value, where, places };
  // A reference without a value is already reported.
  if (from.length > 0) return undefined;
  if (textAt(value, "metadata", "generateName") !== undefined) {
    scope.report({
      code: "invalid-object",
      where: [where],
      what: "The object has generateName; qvs needs metadata.name",
      fix: "Replace metadata.generateName by metadata.name",
    });
    return undefined;
  }
  scope.report({
    code: "invalid-object",
    where: [where],
    what: "The object lacks apiVersion, kind or metadata.name",
    facts: valuesOfAnotherType(value),
    fix: "Set each of them to a string",
  });
  return undefined;
}

/** Shows the values that YAML 1.1 reads as another type: `name: y` is true. */
function valuesOfAnotherType(object: Json): readonly Fact[] {
  return [["apiVersion"], ["kind"], ["metadata", "name"]].flatMap((path) => {
    const value = at(object, ...path);
    return typeof value === "boolean" || typeof value === "number"
      ? [{ label: path.join("."), value: `${value} (${typeof value}); write it in quotes` }]
      : [];
  });
}

/** Collects the parameters that the files of an entry use, with their first places. */
export class ParamUses {
  readonly #used = new Map<string, BoundParam>();
  readonly #inline: ReadonlySet<string>;

  constructor(inline: ReadonlySet<string>) {
    this.#inline = inline;
  }

  recording(scope: Scope): Scope {
    return {
      report: (problem) => scope.report(problem),
      declares: (name) => scope.declares(name),
      given: (name) => scope.given(name),
      lookup: (name, where) => {
        const value = scope.lookup(name, where);
        if (value !== undefined && !this.#used.has(name))
          this.#used.set(name, this.#param(name, value, where));
        return value;
      },
    };
  }

  params(): readonly BoundParam[] {
    return [...this.#used.values()];
  }

  #param(name: string, value: BoundParam["value"], where: Position): BoundParam {
    const param = { name, value, where, from: [name] };
    return this.#inline.has(name) ? { ...param, inline: true } : param;
  }
}

/** Reports whether an object belongs to a namespace. */
export type IsNamespaced = (object: JsonObject) => boolean;

/**
 * Returns the check for the objects of a config. Its own CustomResourceDefinitions decide about
 * custom kinds. An unknown kind counts as namespaced: the planner asks the cluster, and removes the
 * namespace of a cluster-scoped object.
 */
export function createScopeCheck(objects: readonly JsonObject[]): IsNamespaced {
  const scopes = new Map(
    objects.filter(isCrdManifest).map((definition) => {
      const group = textAt(definition, "spec", "group") ?? "";
      const kind = textAt(definition, "spec", "names", "kind") ?? "";
      return [kindKey({ group, kind }), textAt(definition, "spec", "scope")] as const;
    }),
  );
  return (object) => {
    const group = groupOf(textAt(object, "apiVersion") ?? "");
    const kind = textAt(object, "kind") ?? "";
    if (isBuiltInGroup(group)) return !isClusterScoped({ group, kind });
    return scopes.get(kindKey({ group, kind })) !== "Cluster";
  };
}
