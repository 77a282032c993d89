import {
  type GatedField,
  gatedFieldsByKind,
  gatedPodFields,
} from "../../src/model/cluster/gated-fields.ts";
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

/**
 * Returns the fields that older API servers drop, because their feature gate is on only in newer
 * ones.
 */
export function gatedFieldTable(): string {
  const rows = [
    ...gatedPodFields.map((field) => ({ of: "Pod, Pod templates", ...field })),
    ...[...gatedFieldsByKind].flatMap(([kind, fields]) =>
      fields.map((field) => ({ of: kind.replace(/^.*\//, ""), ...field })),
    ),
  ];
  return table(
    ["Fields of `spec`", "Kind", "Stored since", "Feature gate"],
    [...Map.groupBy(rows, ({ of, gate }) => `${of} ${gate}`).values()].flatMap((group) => {
      const [first] = group;
      if (first?.since === undefined) return [];
      const fields = [...new Set(group.map(fieldText))].join(", ");
      return [[fields, first.of, `1.${first.since}`, first.gate]];
    }),
  );
}

function fieldText({ path }: GatedField): string {
  const names = path.filter((step) => step !== "*").join(".");
  return `\`${names.replace(/^(init|ephemeral)Containers\b/, "containers")}\``;
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
