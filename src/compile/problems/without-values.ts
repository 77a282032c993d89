const type = "(?:_|null|bool|u?int\\d*|float\\d*|number|string|bytes|struct|list)";
const types = `\\(?${type}(?: ?[|&] ?${type})*\\)?`;

/** CUE messages, or beginnings of messages, that contain only names of fields and types. */
const valueFreeMessages: readonly RegExp[] = [
  /^undefined field: [\w-]+$/,
  /^reference "[\w#-]+" not found$/,
  /^cannot reference optional field: [\w-]+$/,
  /^field not allowed$/,
  /^field is required but not present$/,
  /^the value has several possible forms$/,
  new RegExp(`^(?:incomplete|non-concrete) (?:value|bool|string|int|list|struct)?:? ?${types}$`),
  /^error in call to [\w.]+/,
  /^\d+ errors in empty disjunction/,
  /^the value is (?:larger than \d+ MiB|nested deeper than \d+ levels)$/,
];

/** Replaces a message in which values can't be told apart from other words. */
export const hiddenMessage = "a value isn't allowed";

/** Matches the message that replaces a conflict. It can contain the types of the values. */
export const conflictWithoutValues = /^two values conflict(?: \((.+)\))?$/;

/** Returns CUE's message without quoted values. Only a few fixed words remain. */
export function withoutValues(message: string): string {
  const kept = valueFreeMessages
    .map((words) => words.exec(message)?.[0])
    .find((m) => m !== undefined);
  if (kept !== undefined) return kept;
  const operands = new RegExp(
    `^invalid operands .* to '(.)' \\((type ${types} and ${types})\\)$`,
    "s",
  );
  const [, operator, both] = operands.exec(message) ?? [];
  if (operator !== undefined) return `invalid operands to '${operator}' (${both})`;
  if (!message.startsWith("conflicting values ")) return hiddenMessage;
  const mismatch = mismatchedTypes(message);
  return mismatch === undefined ? "two values conflict" : `two values conflict (${mismatch})`;
}

/**
 * Returns the two types of a conflict, e.g. `string and int`; undefined if both values have the
 * same type.
 */
export function mismatchedTypes(message: string): string | undefined {
  return new RegExp(` \\(mismatched types (${types} and ${types})\\)$`).exec(message)?.[1];
}

/**
 * Returns the type that a CUE constraint requires; undefined if the constraint isn't a type or a
 * literal.
 */
export function typeOfConstraint(constraint: string): string | undefined {
  if (new RegExp(`^${types}$`).test(constraint)) return constraint;
  if (constraint.startsWith("{")) return "struct";
  if (constraint.startsWith("[")) return "list";
  const literal = constraint.replace(/^(?:[<>]=?|!=|=~|!~)/, "");
  if (/^-?\d+$/.test(literal)) return "int";
  if (/^-?\d[\d.eE+-]*$/.test(literal)) return "number";
  if (/^(?:true|false)$/.test(literal)) return "bool";
  return literal.startsWith('"') ? "string" : undefined;
}
