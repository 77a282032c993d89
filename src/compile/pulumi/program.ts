import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import { referencePieces, resolveReference } from "../../model/text/reference-text.ts";

/**
 * One valid `Pulumi.yaml` with everything that Pulumi would own; undefined when there is nothing
 * (docs/reference/adapters.md#providers). References are kept as written, but within a group they get its name, like
 * the resources there.
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
    // Pulumi reads this text once more, so that a dollar has to be written as two again.
    if (piece.type === "text") return piece.text === "$" ? "$$" : piece.text;
    const found = resolveReference(piece.inner, from, ids);
    if (found === undefined) return piece.written;
    return `\${${root(found.id)}${found.path}}`;
  });
  return pieces.join("");
}

/** Pulumi ends a plain name at the first dot or bracket. */
function root(id: string): string {
  return /[.[\]}"]/.test(id) ? `["${id.replaceAll('"', '\\"')}"]` : id;
}
