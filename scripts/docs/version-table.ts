import { versionFacts } from "../../src/model/cluster/version-facts.ts";
import { table } from "./table.ts";

/** Returns the behaviors that differ between the supported versions of Kubernetes. */
export function versionTable(): string {
  const facts: readonly FactRow[] = Object.values(versionFacts);
  return table(
    ["Behavior", "Kubernetes", "Source"],
    facts.map((fact) => [fact.text, versionsText(fact), fact.source]),
  );
}

interface FactRow {
  readonly since: number;
  readonly until?: number;
  readonly text: string;
  readonly source: string;
}

function versionsText({ since, until }: FactRow): string {
  return until === undefined ? `since 1.${since}` : `1.${since} to 1.${until}`;
}
