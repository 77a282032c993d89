/** A `$(params.…)` in a text. */
export interface Reference {
  /** The parameter's name; undefined for what is not a name. */
  readonly name: string | undefined;
  /** `$(params.NAME[*])`. */
  readonly splice: boolean;
  /** `$$(params.NAME)`: stands for `$(params.NAME)` itself. */
  readonly literal: boolean;
  readonly written: string;
  readonly start: number;
}

const reference = /(\$?)\$\(params\.([^()\n]*)(\)?)/g;
const parameterName = /^[\w.-]+$/;

/** Every reference in a text, from left to right. Other `$(…)` are none: shells, Pods and `$(ref.…)` have their own. */
export function findReferences(text: string): readonly Reference[] {
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

/** `$(param.NAME)`, `${params.NAME}` and their like: how people write a reference who know another tool better. */
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

/** The reference that a text consists of, if it is nothing else. */
export function soleReference(text: string): Reference | undefined {
  const [first] = findReferences(text);
  return first !== undefined && !first.literal && first.written === text ? first : undefined;
}
