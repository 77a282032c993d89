import { fieldOf } from "../../model/json.ts";
import type { LayoutNode } from "../../model/sources/compilation.ts";
import type { ParameterSource } from "../../model/sources/trace.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { isSensitiveValue } from "../../redaction/sensitive-values.ts";

/**
 * Returns the nodes on the path to `place`, without the config's own node.
 * The result is shorter if the layout has no such place.
 */
export function pathNodes(layout: LayoutNode, place: readonly number[]): readonly LayoutNode[] {
  const [first, ...rest] = place;
  const child = first === undefined ? undefined : layout.composites[first];
  return child === undefined ? [] : [child, ...pathNodes(child, rest)];
}

/** A parameter with the origin of its argument, up to the parameters of the config. */
export interface ParameterChain {
  readonly name: string;
  /** The adapter of the parameter. Undefined for a parameter of the config, `$(params.NAME)`. */
  readonly node: LayoutNode | undefined;
  /**
   * The place of the argument. Undefined if the adapter's default applies, and for parameters of
   * the config.
   */
  readonly source: ParameterSource | undefined;
  readonly from: readonly ParameterChain[];
}

/** Reports whether the argument, or one that it derives from, must not be shown. */
export function isHidden({ name, node, from }: ParameterChain): boolean {
  const isOwn =
    node === undefined
      ? isSensitiveName(name)
      : isSensitiveValue(name, fieldOf(node.params, name)) || node.hidden?.includes(name) === true;
  return isOwn || from.some(isHidden);
}

/**
 * Returns the chain of a parameter. `place` is the adapter's place in the layout.
 * The layout has sources only if the compilation recorded a trace.
 */
export function parameterChain(
  layout: LayoutNode,
  place: readonly number[],
  name: string,
): ParameterChain {
  const node = pathNodes(layout, place).at(-1);
  const source = fieldOf(node?.sources ?? {}, name);
  const around = place.slice(0, -1);
  const from = (source?.from ?? []).map((each) =>
    around.length > 0
      ? parameterChain(layout, around, each)
      : { name: each, node: undefined, source: undefined, from: [] },
  );
  return { name, node, source, from };
}
