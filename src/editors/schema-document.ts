import type { JsonObject } from "../model/json.ts";

/**
 * Returns a schema as a document of JSON Schema draft 7.
 * JetBrains' editors and older releases of yaml-language-server (VS Code, Neovim) don't support
 * newer drafts. The document has no title, because yaml-language-server would show it above every
 * field. `page` is relative to docs/reference.
 */
export function schemaDocument(what: string, page: string, schema: JsonObject): JsonObject {
  const url = `https://github.com/qvs-action/qvs-action/blob/main/docs/reference/${page}`;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    description: `${what}. See ${url}`,
    ...schema,
  };
}
