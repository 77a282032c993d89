import type { JsonObject } from "../model/json.ts";

/**
 * Draft 7, although newer drafts exist: JetBrains' editors and older releases of yaml-language-server (VS Code, Neovim) know no
 * other. It has no title, which yaml-language-server would show above every field. `page` is below docs/reference.
 */
export function document(what: string, page: string, schema: JsonObject): JsonObject {
  const url = `https://github.com/qvs-action/qvs-action/blob/main/docs/reference/${page}`;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    description: `${what}. See ${url}`,
    ...schema,
  };
}
