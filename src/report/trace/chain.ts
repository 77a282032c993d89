import type { LayoutNode } from "../../model/compilation.ts";
import { fieldOf } from "../../model/json.ts";
import type { ParameterSource } from "../../model/trace.ts";
import { looksSecret } from "../../redaction/looks-secret.ts";
import { holdsSecret } from "../../redaction/secrets-within.ts";

/** From the node below the config's own one down to the one at `place`; shorter where the layout has no such place. */
export function nodesTo(layout: LayoutNode, place: readonly number[]): readonly LayoutNode[] {
  const [first, ...rest] = place;
  const child = first === undefined ? undefined : layout.composites[first];
  return child === undefined ? [] : [child, ...nodesTo(child, rest)];
}

/** A parameter with what its argument was made from, up to the parameters of the config. */
export interface ParameterChain {
  readonly name: string;
  /** The adapter whose parameter it is; undefined for a parameter of the config, `$(params.NAME)`. */
  readonly node: LayoutNode | undefined;
  /** Where the argument is given; undefined where the adapter's default holds, and for parameters of the config. */
  readonly source: ParameterSource | undefined;
  readonly from: readonly ParameterChain[];
}

/** Whether the argument, or one that it was made from, may not be shown. */
export function isHidden({ name, node, from }: ParameterChain): boolean {
  const isOwn =
    node === undefined
      ? looksSecret(name)
      : holdsSecret(name, fieldOf(node.params, name)) || node.hidden?.includes(name) === true;
  return isOwn || from.some(isHidden);
}

/** `place` is that of the adapter in the layout, which knows sources only where a trace was asked for. */
export function chainOf(
  layout: LayoutNode,
  place: readonly number[],
  name: string,
): ParameterChain {
  const node = nodesTo(layout, place).at(-1);
  const source = fieldOf(node?.sources ?? {}, name);
  const around = place.slice(0, -1);
  const from = (source?.from ?? []).map((each) =>
    around.length > 0
      ? chainOf(layout, around, each)
      : { name: each, node: undefined, source: undefined, from: [] },
  );
  return { name, node, source, from };
}
