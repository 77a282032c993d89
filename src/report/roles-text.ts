import { Document, isMap, isScalar, isSeq } from "yaml";
import type { RoleDocument, RoleRule } from "../model/cluster/role-document.ts";
import type { JsonObject } from "../model/json.ts";
import { yamlOptions } from "./text/yaml.ts";

/** Longer lists have one line per item, so that a diff shows one changed item. */
const longestRow = 100;

/** Renders roles as YAML documents to apply. A comment above each rule explains its purpose. */
export function rolesText(documents: readonly RoleDocument[]): string {
  return documents.map(documentText).join("---\n");
}

function documentText({ object, about, rules }: RoleDocument): string {
  const document = new Document(object, yamlOptions);
  const list = document.get("rules");
  for (const [index, item] of (isSeq(list) ? list.items : []).entries()) {
    const rule = rules[index];
    if (!isMap(item) || rule === undefined) continue;
    item.commentBefore = ruleComment(rule)
      .map((line) => ` ${line}`)
      .join("\n");
    for (const { value } of item.items) if (isSeq(value)) value.flow = isShort(value.items);
  }
  const comment = about === "" ? "" : `# ${about}\n`;
  return `${comment}${document.toString({ ...yamlOptions, flowCollectionPadding: false })}`;
}

function ruleComment({ why, without }: RoleRule): readonly string[] {
  return without === undefined ? [why] : [why, without];
}

function isShort(items: readonly unknown[]): boolean {
  const texts = items.map((item) => (isScalar(item) ? String(item.value) : ""));
  return texts.join(", ").length <= longestRow;
}

/** Returns the objects and the purpose of each rule as JSON. */
export function rolesJson(documents: readonly RoleDocument[]): JsonObject {
  return {
    objects: documents.map(({ object }) => object),
    rules: documents.flatMap(({ object, rules }) =>
      rules.map(({ rule, why, without }) => ({
        ...{ role: object.metadata, rule, why },
        ...(without === undefined ? {} : { without }),
      })),
    ),
  };
}
