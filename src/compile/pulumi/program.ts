import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import { referencePieces, resolveReference } from "../../model/text/reference-text.ts";

/**
 * Returns one valid `Pulumi.yaml` with all resources that Pulumi would own; undefined if there are
 * none (docs/reference/adapters.md#providers).
 * References stay as written, except that a reference within a group gets the name of the group,
 * like the resources there.
 */
export function pulumiProgram(
  name: string,
  resources: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  if (resources.size === 0) return undefined;
  const ids = [...resources.keys()];
  const entries = [...resources].map(([id, resource]) => {
    const { provider: _provider, output: _output, ...rest } = resource;
    return [id, id.includes("/") ? withFullIds(rest, id, ids) : rest];
  });
  return { name, runtime: "yaml", resources: Object.fromEntries(entries) };
}

function withFullIds(value: Json, from: string, ids: readonly string[]): Json {
  if (typeof value === "string") return withFullIdsInText(value, from, ids);
  if (isList(value)) return value.map((item) => withFullIds(item, from, ids));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [name, withFullIds(field, from, ids)]));
}

function withFullIdsInText(text: string, from: string, ids: readonly string[]): string {
  const pieces = referencePieces(text, true).map((piece) => {
    // Pulumi reads this string again, so a literal dollar sign must be doubled again.
    if (piece.type === "text") return piece.text === "$" ? "$$" : piece.text;
    const found = resolveReference(piece.inner, from, ids);
    if (found === undefined) return piece.written;
    return `\${${quoteRoot(found.id)}${found.path}}`;
  });
  return pieces.join("");
}

/**
 * Returns the first part of a reference. Pulumi ends a plain name at the first dot or bracket, so
 * other names are quoted.
 */
function quoteRoot(id: string): string {
  return /[.[\]}"]/.test(id) ? `["${id.replaceAll('"', '\\"')}"]` : id;
}
