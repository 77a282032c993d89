import type { FieldOwner, OwnedField } from "../model/deployment-state.ts";
import { fieldOf, isObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { childKeys, formatStep } from "./field-sets.ts";
import { fieldOwners } from "./managed-fields.ts";

/** The fields below a field that one manager owns. */
interface OwnedSet {
  readonly owner: FieldOwner;
  readonly set: JsonObject;
}

/** Lists the owned fields of an object with their owners, in alphabetical order. */
export function ownedFields(object: KubeObject): readonly OwnedField[] {
  const all = fieldOwners(object).map(({ manager, operation, subresource, time, fields }) => ({
    owner: { manager, operation, subresource, time },
    set: fields,
  }));
  return childFields(all);
}

function childFields(all: readonly OwnedSet[]): readonly OwnedField[] {
  const names = [...new Set(all.flatMap(({ set }) => childKeys(set)))].toSorted();
  return names.map((name) => {
    const below = all.flatMap(({ owner, set }): readonly OwnedSet[] => {
      const inner = fieldOf(set, name);
      return isObject(inner) ? [{ owner, set: inner }] : [];
    });
    return {
      step: formatStep(name),
      isItem: !name.startsWith("f:"),
      owners: below.filter(({ set }) => childKeys(set).length === 0).map(({ owner }) => owner),
      fields: childFields(below),
    };
  });
}
