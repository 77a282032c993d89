import { fieldPath } from "../model/fields/field-path.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import type { Compilation } from "../model/sources/compilation.ts";
import type { FieldTrace, ResourceTrace } from "../model/sources/trace.ts";
import { suggestClosest } from "../model/text/suggest.ts";
import { explainFields } from "../report/trace/explain-fields.ts";

/**
 * Explains the source of the field `STAGE/ID:FIELD`. For `STAGE/ID`, or a FIELD with subfields,
 * explains all of them.
 * The stage is optional if the id is unique. Throws a UserError if the resource or the field
 * doesn't exist.
 */
export function explain(compilation: Compilation, question: string): string {
  const traces = compilation.trace;
  if (traces === undefined) {
    throw new UserError([
      {
        code: "trace-omitted",
        where: [],
        what: "The sources of the fields are unknown",
        why: "The notices of the compilation show the reason",
        fix: "Explain a config that uses the adapter with fewer resources",
      },
    ]);
  }
  const { trace, field } = findResource(question, traces);
  const fields = field === "" ? trace.fields : findFields(field, trace);
  return explainFields(compilation, trace, fields);
}

interface ExplainedField {
  readonly trace: ResourceTrace;
  readonly field: string;
}

/**
 * Returns the resource and the field in a question. An id can contain a colon, so the longest
 * matching id applies.
 */
function findResource(question: string, traces: readonly ResourceTrace[]): ExplainedField {
  const matches = traces
    .flatMap((trace) => resourceNames(trace).map((name) => ({ trace, name })))
    .filter(({ name }) => question === name || question.startsWith(`${name}:`))
    .toSorted((a, b) => b.name.length - a.name.length);
  const [first, second] = matches;
  if (first === undefined) {
    const names = traces.map(({ resource }) => resource);
    const name = question.replace(/:.*/s, "");
    const fix = `Choose one of ${names.join(", ")}, and add the field after a colon, for example ${names[0] ?? "app/web"}:metadata.name`;
    throw new UserError([
      {
        code: "unknown-resource",
        where: [],
        what: `Resource "${name}" doesn't exist`,
        ...suggestClosest(name, names, fix),
      },
    ]);
  }
  if (second?.name === first.name) {
    const both = `${first.trace.resource} and ${second.trace.resource}`;
    throw userError(
      "ambiguous-selection",
      `"${first.name}" can mean ${both}`,
      "Add the stage in front of it",
    );
  }
  return { trace: first.trace, field: question.slice(first.name.length + 1) };
}

function resourceNames({ resource }: ResourceTrace): readonly string[] {
  return [resource, resource.slice(resource.indexOf("/") + 1)];
}

function findFields(field: string, { resource, fields }: ResourceTrace): readonly FieldTrace[] {
  const requested = field.replaceAll(/\.(\d+)(?=[.[]|$)/g, "[$1]");
  const found = fields.filter(({ path }) => isAtOrBelow(fieldPath(path), requested));
  if (found.length > 0) return found;
  const paths = fields.map(({ path }) => fieldPath(path));
  throw new UserError([
    {
      code: "unknown-field",
      where: [],
      what: `Resource ${resource} has no field "${field}"`,
      ...suggestClosest(field, paths, `List all its fields with --explain ${resource}`),
    },
  ]);
}

function isAtOrBelow(path: string, requested: string): boolean {
  return (
    path === requested || (path.startsWith(requested) && /^[.[]/.test(path.slice(requested.length)))
  );
}
