/** One position of a sweep. */
export interface Row {
  readonly position: number;
  readonly request: string;
  readonly fault: string;
  readonly outcome: string;
  readonly second: string;
  /** Everything that is wrong, in full. */
  readonly flaws: readonly string[];
}

/** Returns the rows as a table for people, with the flaws of each row below it. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const cells = [
    ["", "request", "fault", "outcome", "second run"],
    ...rows.map((row) => [String(row.position), row.request, row.fault, row.outcome, row.second]),
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const [head = "", ...body] = lines;
  const marked = body.flatMap((line, index) => [
    line,
    ...(rows[index]?.flaws ?? []).map((text) => `      ✖ ${text.replaceAll("\n", "\n        ")}`),
  ]);
  return [title, head, ...marked].join("\n");
}

/** Processes the items in parallel lanes. Returns the results in the order of the items. */
export async function inLanes<L, I, R>(
  lanes: readonly L[],
  items: readonly I[],
  work: (lane: L, item: I) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const drain = async (lane: L) => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(lane, items[index] as I);
    }
  };
  await Promise.all(lanes.map(drain));
  return results;
}
