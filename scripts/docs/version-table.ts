import { versionFacts } from "../../src/model/cluster/api/server-version.ts";
import {
  type GatedField,
  gatedFieldsByKind,
  gatedPodFields,
} from "../../src/model/cluster/fields/gated-fields.ts";
import {
  type ComparedVersion,
  comparedVersions,
  type Share,
  supportedReleases,
} from "../../test/accuracy/compared-versions.ts";
import { table } from "./table.ts";

/** Returns the predictions in the stories that came true, by supported version of Kubernetes. */
export function comparedVersionTable(): string {
  const compared = new Map(comparedVersions().map((each) => [each.release, each]));
  return table(
    ["Kubernetes", "Objects and fields", "Rejections and warnings", "Rollbacks"],
    supportedReleases().map((release) => comparedRow(release, compared.get(release))),
  );
}

function comparedRow(release: string, compared: ComparedVersion | undefined): readonly string[] {
  if (compared === undefined) return [release, ...Array.from({ length: 3 }, () => "not compared")];
  const { objects, fields, refusals, warnings, rollbacks } = compared.predictions;
  const cells = [[objects, fields], [refusals, warnings], [rollbacks]];
  return [release, ...cells.map((shares) => shares.map(shareText).join(", "))];
}

function shareText({ right, all }: Share): string {
  const [first, second] = [right, all].map((count) => count.toLocaleString("en-US"));
  return `${first} of ${second}`;
}

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
      const { since, droppedSince } = first;
      const before = droppedSince === undefined ? "" : `, and before 1.${droppedSince}`;
      return [[fields, first.of, `1.${since}${before}`, first.gate]];
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
