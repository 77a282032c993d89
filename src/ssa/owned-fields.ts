import type { FieldOwner, OwnedField } from "../model/deployment-state.ts";
import { fieldOf, isObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { childrenOf, stepText } from "./field-sets.ts";
import { ownersOf } from "./managed-fields.ts";

/** The fields below a field that one manager owns. */
interface Owned {
  readonly owner: FieldOwner;
  readonly set: JsonObject;
}

/** Lists the owned fields of an object with their owners, in alphabetical order. */
export function ownedFields(object: KubeObject): readonly OwnedField[] {
  const all = ownersOf(object).map(({ manager, operation, subresource, time, fields }) => ({
    owner: { manager, operation, subresource, time },
    set: fields,
  }));
  return fieldsBelow(all);
}

function fieldsBelow(all: readonly Owned[]): readonly OwnedField[] {
  const names = [...new Set(all.flatMap(({ set }) => childrenOf(set)))].toSorted();
  return names.map((name) => {
    const below = all.flatMap(({ owner, set }): readonly Owned[] => {
      const inner = fieldOf(set, name);
      return isObject(inner) ? [{ owner, set: inner }] : [];
    });
    return {
      step: stepText(name),
      isItem: !name.startsWith("f:"),
      owners: below.filter(({ set }) => childrenOf(set).length === 0).map(({ owner }) => owner),
      fields: fieldsBelow(below),
    };
  });
}
