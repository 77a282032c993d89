import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";

/** A change of manifests by a user. */
export type Edit = (objects: KubeObject[]) => KubeObject[];

/**
 * Sets a value. Steps of the path are names or indexes of list items: `spec.ports.0.port`. A dot
 * within a name is written `\.`.
 */
export function set(object: string, path: string, value: Json): Edit {
  return changing(object, path, (parent, name) => Object.assign(parent, { [name]: value }));
}

export function remove(object: string, path: string): Edit {
  return changing(object, path, (parent, name) => {
    const isThere = name in parent;
    if (!isThere) throw new Error(`${object} has no ${path}`);
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete (parent as Record<string, Json>)[name];
  });
}

/** Inserts a value before the list item with that index. */
export function insert(object: string, path: string, value: Json): Edit {
  return changing(object, path, (list, index) =>
    asList(list, path).splice(Number(index), 0, value),
  );
}

/** Moves an item to the start of its list. */
export function moveUp(object: string, path: string): Edit {
  return changing(object, path, (list, index) => {
    const items = asList(list, path);
    items.unshift(...items.splice(Number(index), 1));
  });
}

/** Removes the object from the manifests. */
export function drop(object: string): Edit {
  return (objects) => objects.filter((each) => each !== find(objects, object));
}

export function rename(object: string, name: string): Edit {
  return set(object, "metadata.name", name);
}

/** Adds a copy of the object with another name and other values. */
export function copy(object: string, name: string, ...paths: readonly [string, Json][]): Edit {
  return (objects) => {
    const made = structuredClone(find(objects, object));
    const named = [["metadata.name", name] as [string, Json], ...paths];
    const own = `${made.kind}/${name}`;
    Object.assign(made["metadata"] as JsonObject, { name });
    return [
      ...objects,
      ...named.reduce((all, [path, value]) => set(own, path, value)(all), [made]),
    ];
  };
}

function changing(
  object: string,
  path: string,
  change: (parent: Json & object, name: string) => unknown,
): Edit {
  return (objects) => {
    const steps = path.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
    const last = steps.pop() ?? "";
    let parent: Json & object = find(objects, object);
    for (const step of steps) {
      const inner = (parent as Record<string, Json>)[step] ?? {};
      Object.assign(parent, { [step]: inner });
      parent = inner as Json & object;
    }
    change(parent, last);
    return objects;
  };
}

function asList(value: Json & object, path: string): Json[] {
  if (!Array.isArray(value)) throw new Error(`${path} is no item of a list`);
  return value;
}

function find(objects: readonly KubeObject[], name: string): KubeObject {
  const found = objects.find(({ kind, metadata }) => `${kind}/${metadata["name"]}` === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
}
