/** One edge of a cycle, with the node that it starts from. */
interface CycleEdge<E> {
  readonly from: string;
  readonly edge: E;
}

interface DepthFirstVisitor<E> {
  readonly edgesOf: (node: string) => readonly E[];
  readonly targetOf: (edge: E) => string;
  /** Called once for each node, after all nodes that its edges lead to. */
  readonly leave: (node: string) => void;
  /** Called with the edges of each cycle that the walk finds. */
  readonly cycle?: (edges: readonly CycleEdge<E>[]) => void;
}

interface StackFrame<E> {
  readonly node: string;
  readonly edges: readonly E[];
  /** The number of edges that were followed. */
  followed: number;
}

/**
 * Visits each node that `starts` lead to once, depth first. It doesn't recurse, because users can
 * make chains that are longer than the stack.
 */
export function walkDepthFirst<E>(starts: Iterable<string>, walk: DepthFirstVisitor<E>): void {
  const done = new Set<string>();
  const stack: StackFrame<E>[] = [];
  const depths = new Map<string, number>();
  const enter = (node: string) => {
    depths.set(node, stack.length);
    stack.push({ node, edges: walk.edgesOf(node), followed: 0 });
  };
  const leave = ({ node }: StackFrame<E>) => {
    stack.pop();
    depths.delete(node);
    done.add(node);
    walk.leave(node);
  };
  for (const start of starts) {
    if (!done.has(start)) enter(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const edge = frame.edges[frame.followed];
      if (edge === undefined) {
        leave(frame);
        continue;
      }
      frame.followed += 1;
      const target = walk.targetOf(edge);
      const depth = depths.get(target);
      if (depth !== undefined) walk.cycle?.(stack.slice(depth).flatMap(lastEdge));
      else if (!done.has(target)) enter(target);
    }
  }
}

function lastEdge<E>({ node, edges, followed }: StackFrame<E>): readonly CycleEdge<E>[] {
  const edge = edges[followed - 1];
  return edge === undefined ? [] : [{ from: node, edge }];
}
