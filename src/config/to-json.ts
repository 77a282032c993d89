import type { Json } from "../model/json.ts";
import type { YamlNode } from "./yaml-node.ts";

/** The plain value of a node. `Object.fromEntries` also keeps a key called `__proto__` an ordinary one. */
export function toJson(node: YamlNode): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, toJson(value)]));
  }
}
