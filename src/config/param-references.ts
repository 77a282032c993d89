/** A `$(params.…)` in a string. */
export interface ParamReference {
  /** The name of the parameter; undefined if the text isn't a valid name. */
  readonly name: string | undefined;
  /** True for `$(params.NAME[*])`. */
  readonly splice: boolean;
  /** True for `$$(params.NAME)`, the literal text `$(params.NAME)`. */
  readonly literal: boolean;
  readonly written: string;
  readonly start: number;
}

const reference = /(\$?)\$\(params\.([^()\n]*)(\)?)/g;
const parameterName = /^[\w.-]+$/;

/**
 * Returns every reference in a string, from left to right. Other `$(…)` aren't references: shells,
 * Pods and `$(ref.…)` use them too.
 */
export function findParamReferences(text: string): readonly ParamReference[] {
  return [...text.matchAll(reference)].map(
    ({ 0: written, 1: dollar, 2: inner = "", 3: end, index }) => {
      const splice = inner.endsWith("[*]");
      const name = splice ? inner.slice(0, -3) : inner;
      const named = end === ")" && parameterName.test(name);
      return {
        name: named ? name : undefined,
        splice,
        literal: dollar === "$",
        written,
        start: index,
      };
    },
  );
}

/**
 * Matches `$(param.NAME)`, `${params.NAME}` and similar forms, which users know from other tools.
 */
const lookalike =
  /(?<!\$)(?:\$\((?:param|parameters?|Params|PARAMS)\.([\w.-]+)\)|(?:\$\{\{?|\{\{) *\.?(?:params?|parameters)\.([\w.-]+) *\}\}?)/g;

export function findLookalikes(
  text: string,
): readonly { readonly name: string; readonly written: string }[] {
  return [...text.matchAll(lookalike)].map(([written, round, curly]) => ({
    name: round ?? curly ?? "",
    written,
  }));
}

/** Returns the reference if the string consists of nothing else. */
export function soleReference(text: string): ParamReference | undefined {
  const [first] = findParamReferences(text);
  return first !== undefined && !first.literal && first.written === text ? first : undefined;
}
