import type { Json } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import type { Looks, Tone } from "../text/text-lines.ts";
import { renderColumns } from "./columns.ts";

/** The state of one object, as `qvs health` shows it. */
interface HealthRow {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: "ready" | "progressing" | "failed" | "suspended" | "unknown";
  readonly reason: string;
  readonly rule: string;
}

/** Renders the states as a table, in the order of the input. Reasons are below their rows. */
export function renderHealth(rows: readonly HealthRow[], looks: Looks = {}): TerminalText {
  if (rows.length === 0) return terminal``;
  const shown = rows.map((row) => ({
    cells: [
      { text: row.state, tone: tones[row.state] },
      { text: row.namespace },
      { text: objectText(row) },
      { text: row.rule, tone: "quiet" as const },
    ],
    details: row.reason === "" ? [] : [{ text: row.reason, tone: tones[row.state] }],
  }));
  return terminal`${renderColumns(["STATE", "NAMESPACE", "OBJECT", "RULE"], shown, looks)}\n`;
}

/** Formats `Certificate.cert-manager.io/web`. Objects in a file can lack a name. */
function objectText({ apiVersion, kind, name }: HealthRow): string {
  const group = groupOf(apiVersion);
  const fullKind = group === "" ? kind : `${kind}.${group}`;
  return name === "" ? fullKind : `${fullKind}/${name}`;
}

const tones: Readonly<Record<HealthRow["state"], Tone>> = {
  ready: "added",
  progressing: "changed",
  failed: "removed",
  suspended: "quiet",
  unknown: "changed",
};

export function healthJson(rows: readonly HealthRow[]): readonly Json[] {
  return rows.map(({ apiVersion, kind, namespace, name, state, reason, rule }) => ({
    ...{ apiVersion, kind, namespace, name, state, reason, rule },
  }));
}
