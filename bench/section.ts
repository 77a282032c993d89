import type { Origin } from "./origin.ts";
import { describe, median, spread } from "./statistics.ts";
import type { Cost } from "./timed.ts";

/** The costs of one subject in every round. */
export interface Row {
  readonly subject: string;
  readonly costs: readonly Cost[];
  /**
   * The costs of the other tool in the same rounds. Each ratio compares the two costs of one round.
   */
  readonly against?: readonly Cost[];
}

export interface Section {
  readonly title: string;
  readonly command: string;
  readonly rounds: number;
  /** Full sentences about the compared programs and the method. */
  readonly notes: readonly string[];
  readonly rows: readonly Row[];
  readonly versions: readonly string[];
  /** The time for the ratios (default: `wallMs`). */
  readonly ratio?: "wallMs" | "cpuMs";
}

/**
 * Returns a table of medians, with the middle half of the rounds in parentheses. A ratio below 1 is
 * in favor of qvs.
 */
export function toMarkdown(section: Section, { commit, date, machine }: Origin): string {
  const unit = section.ratio ?? "wallMs";
  const ratioTitle = unit === "wallMs" ? "wall time, ratio" : "CPU time, ratio";
  const counted = section.rows.some(({ costs }) => costs.some(({ requests }) => requests));
  return [
    `## ${section.title}`,
    "",
    `\`${section.command}\`, ${section.rounds === 1 ? "1 round" : `${section.rounds} rounds`}, the tools in turn, commit ${commit}, ${date}.`,
    `${machine}; ${section.versions.join(", ")}.`,
    "",
    ...section.notes.map((note) => `- ${note}`),
    "",
    `| | wall time, ms | CPU time, ms | peak memory, MB | ${ratioTitle} |${counted ? " requests |" : ""}`,
    `|---|---:|---:|---:|---:|${counted ? "---|" : ""}`,
    ...section.rows.map((row) => rowText(row, unit, counted)),
    "",
  ].join("\n");
}

/** Returns the ratio of each round. */
export function ratios(
  costs: Row["costs"],
  against: Row["costs"],
  unit: "wallMs" | "cpuMs",
): readonly number[] {
  return costs.map((cost, round) => cost[unit] / (against[round]?.[unit] ?? Number.NaN));
}

function rowText(
  { subject, costs, against }: Row,
  unit: "wallMs" | "cpuMs",
  counted: boolean,
): string {
  const cells = [cell(costs, "wallMs"), cell(costs, "cpuMs"), cell(costs, "peakMb")];
  const requests = counted ? ` ${costs.at(-1)?.requests ?? ""} |` : "";
  return `| ${subject} | ${cells.join(" | ")} | ${ratio(costs, against, unit)} |${requests}`;
}

function cell(costs: Row["costs"], unit: "wallMs" | "cpuMs" | "peakMb"): string {
  const numbers = costs.flatMap((cost) => cost[unit] ?? []);
  return numbers.length === 0 ? "" : describe(numbers, 0);
}

function ratio(
  costs: Row["costs"],
  against: Row["costs"] | undefined,
  unit: "wallMs" | "cpuMs",
): string {
  if (against === undefined) return "";
  const found = ratios(costs, against, unit);
  const [low, high] = spread(found);
  return `**${median(found).toFixed(2)}** (${low.toFixed(2)}–${high.toFixed(2)})`;
}
