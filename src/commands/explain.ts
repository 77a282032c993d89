import type { Compilation } from "../model/compilation.ts";
import { fieldPath } from "../model/fields/field-path.ts";
import { userError } from "../model/problems/errors.ts";
import { didYouMean } from "../model/text/closest.ts";
import type { FieldTrace, ResourceTrace } from "../model/trace.ts";
import { explainFields } from "../report/trace/explain.ts";

/**
 * Explains the source of the field `STAGE/ID:FIELD`. For `STAGE/ID`, or a FIELD with subfields,
 * explains all of them.
 * The stage is optional if the id is unique. Throws a UserError if the resource or the field
 * doesn't exist.
 */
export function explain(compilation: Compilation, question: string): string {
  const traces = compilation.trace;
  if (traces === undefined) {
    throw userError(
      "trace-left-out",
      "Where the fields come from is not known: the notices of the compilation say why",
      "Explain a config that uses the adapter with fewer resources",
    );
  }
  const { trace, field } = resourceIn(question, traces);
  const fields = field === "" ? trace.fields : fieldsAt(field, trace);
  return explainFields(compilation, trace, fields);
}

interface Asked {
  readonly trace: ResourceTrace;
  readonly field: string;
}

/**
 * Returns the resource and the field in a question. An id can contain a colon, so the longest
 * matching id applies.
 */
function resourceIn(question: string, traces: readonly ResourceTrace[]): Asked {
  const asked = traces
    .flatMap((trace) => namesOf(trace).map((name) => ({ trace, name })))
    .filter(({ name }) => question === name || question.startsWith(`${name}:`))
    .toSorted((a, b) => b.name.length - a.name.length);
  const [first, second] = asked;
  if (first === undefined) {
    const names = traces.map(({ resource }) => resource);
    const name = question.replace(/:.*/s, "");
    throw userError(
      "unknown-resource",
      `There is no resource "${name}"${didYouMean(name, names)}`,
      `Write one of ${names.join(", ")}, and the field after a colon, for example ${names[0] ?? "app/web"}:metadata.name`,
    );
  }
  if (second?.name === first.name) {
    const both = `${first.trace.resource} and ${second.trace.resource}`;
    throw userError(
      "ambiguous-selection",
      `"${first.name}" can be ${both}`,
      "Write the stage before it",
    );
  }
  return { trace: first.trace, field: question.slice(first.name.length + 1) };
}

function namesOf({ resource }: ResourceTrace): readonly string[] {
  return [resource, resource.slice(resource.indexOf("/") + 1)];
}

function fieldsAt(field: string, { resource, fields }: ResourceTrace): readonly FieldTrace[] {
  const requested = field.replaceAll(/\.(\d+)(?=[.[]|$)/g, "[$1]");
  const found = fields.filter(({ path }) => isAtOrBelow(fieldPath(path), requested));
  if (found.length > 0) return found;
  const paths = fields.map(({ path }) => fieldPath(path));
  throw userError(
    "unknown-field",
    `${resource} has no field "${field}"${didYouMean(field, paths)}`,
    `\`--explain ${resource}\` shows all of its fields`,
  );
}

function isAtOrBelow(path: string, requested: string): boolean {
  return (
    path === requested || (path.startsWith(requested) && /^[.[]/.test(path.slice(requested.length)))
  );
}
