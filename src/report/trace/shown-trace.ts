import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import { type Compilation, resourceKey } from "../../model/sources/compilation.ts";
import { type FieldTrace, pathKey, type ResourceTrace } from "../../model/sources/trace.ts";
import { redact } from "../../redaction/redact.ts";
import { resourceContent } from "../diff/render-manifests.ts";

/**
 * Returns a trace without the names below a Secret's hidden field, which are a part of its value.
 */
export function shownTrace({
  resources,
  trace = [],
}: Pick<Compilation, "resources" | "trace">): readonly ResourceTrace[] {
  const contents = new Map(resources.map((each) => [resourceKey(each), resourceContent(each)]));
  return trace.map((each) => shownFields(each, contents.get(each.resource)));
}

/** Returns the trace of one resource with this content, without names below hidden fields. */
export function shownFields(
  { resource, fields }: ResourceTrace,
  content: Json | undefined,
): ResourceTrace {
  const shown = content === undefined ? {} : redact(content);
  const merged = new Map<string, FieldTrace>();
  for (const { path: whole, origins } of fields) {
    const path = shownPath(whole, content, shown);
    const known = merged.get(pathKey(path))?.origins ?? [];
    merged.set(pathKey(path), { path, origins: [...known, ...origins] });
  }
  return { resource, fields: [...merged.values()] };
}

/** Returns the part of the path down to the first hidden value. */
function shownPath(
  path: readonly string[],
  content: Json | undefined,
  shown: Json | undefined,
): readonly string[] {
  const [step, ...rest] = path;
  if (step === undefined || !isComposed(content) || !isComposed(shown)) return [];
  return [step, ...shownPath(rest, within(content, step), within(shown, step))];
}

function isComposed(value: Json | undefined): boolean {
  return isList(value) || isObject(value);
}

function within(value: Json | undefined, step: string): Json | undefined {
  if (isList(value)) return value[Number(step)];
  if (!isObject(value)) return undefined;
  // A redacted Secret has only `data` for both fields.
  const name = step === "stringData" && !Object.hasOwn(value, step) ? "data" : step;
  return fieldOf(value, name);
}
