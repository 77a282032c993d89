import { meaningOfDeletion, meaningOfRenaming } from "../../model/cluster/recreation.ts";
import { kindOf, type Row } from "./row.ts";

/** What is deleted and what nothing takes the place of. Of what a program is started with, the next start reads the new one. */
export function isAlarming({ action, harmless, name, succeeds }: Row): boolean {
  if (action === "delete") return harmless !== true;
  return action === "rename" && succeeds !== undefined && !/^(ConfigMap|Secret|Job) /.test(name);
}

/** What it means that an object is deleted, gets another name, or that there is less of it; a line each. */
export function meaningsOf(row: Row): readonly string[] {
  const kind = kindOf(row.name);
  const lost = row.action === "delete" ? meaningOfDeletion(kind) : meaningOfRenaming(kind);
  const less = row.fields.flatMap(({ notable }) =>
    notable?.means === undefined ? [] : [`${notable.text}: ${notable.means}`],
  );
  return [...(isAlarming(row) && lost !== undefined ? [lost] : []), ...less];
}
