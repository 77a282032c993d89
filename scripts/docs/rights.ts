import { purposes } from "../../src/planning/rights/purposes.ts";
import type { RightsCommand } from "../../src/planning/rights/right.ts";
import { code, table } from "./table.ts";

/** The rights that commands can do without, and what is lost then. */
export function optionalRights(): string {
  const rows = new Map<string, { why: string; commands: Set<RightsCommand>; without: string }>();
  for (const { why, optional } of purposes) {
    if (optional === undefined) continue;
    const key = `${why} ${optional.without}`;
    const row = rows.get(key) ?? { why, commands: new Set(), without: optional.without };
    for (const command of optional.for) row.commands.add(command);
    rows.set(key, row);
  }
  return table(
    ["right", "used by", "without it"],
    [...rows.values()].map(({ why, commands, without }) => [
      why,
      [...commands].map(code).join(", "),
      without,
    ]),
  );
}
