import type { PermissionCommand } from "../../src/planning/permissions/permission.ts";
import { purposes } from "../../src/planning/permissions/purposes.ts";
import { code, table } from "./table.ts";

/** Returns the optional permissions of commands, with the effect of a missing one. */
export function optionalRights(): string {
  const rows = new Map<
    string,
    { why: string; commands: Set<PermissionCommand>; without: string }
  >();
  for (const { why: usual, optional } of purposes) {
    if (optional === undefined) continue;
    const why = optional.why ?? usual;
    const key = `${why} ${optional.without}`;
    const row = rows.get(key) ?? { why, commands: new Set(), without: optional.without };
    for (const command of optional.for) row.commands.add(command);
    rows.set(key, row);
  }
  return table(
    ["Purpose", "Used by", "Without it"],
    [...rows.values()].map(({ why, commands, without }) => [
      why,
      [...commands].map(code).join(", "),
      effectIn(without),
    ]),
  );
}

/** Returns the effect without the words that the column's heading has. */
function effectIn(without: string): string {
  const effect = without.replace(/^Without it, /, "");
  return effect.startsWith("qvs ") ? effect : effect.charAt(0).toUpperCase() + effect.slice(1);
}
