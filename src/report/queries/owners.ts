import type { FieldOwner, OwnedField } from "../../model/deployments/deployment-state.ts";
import type { JsonObject } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import { formatAge } from "../../model/text/times.ts";
import { isLikelySecretValue, isSensitiveName } from "../../redaction/sensitive-name.ts";
import { isSensitiveKind, isSensitiveObject } from "../../redaction/sensitive-object.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { breakLine, displayWidth } from "../../redaction/wrap.ts";
import { plural } from "../text/counts.ts";
import type { Looks, Tone } from "../text/text-lines.ts";
import { type AnswerRow, narrowestLast, renderColumns } from "./columns.ts";

export interface OwnersOptions {
  /** The current time in ISO 8601. */
  readonly now: string;
  /** True to show each field, even if all fields around it have the same owners. */
  readonly everyField: boolean;
}

/** Renders the owners of each field as a tree. A subtree with the same owners is one line. */
export function renderOwners(
  object: KubeObject,
  fields: readonly OwnedField[],
  options: OwnersOptions,
  looks: Looks = {},
): TerminalText {
  const title: AnswerRow = { cells: [{ text: nameOf(idOf(object)), tone: "strong" }] };
  const rows = branchRowsBelow(shownFields(object, fields), "", options);
  const none = { cells: [{ text: "no field manager owns a field" }] };
  const tree =
    rows.length === 0 ? renderColumns([], [none], looks) : joined(treeLines(rows, looks), "\n");
  return terminal`${renderColumns([], [title], looks)}\n${tree}\n`;
}

/** A field with its owners. */
interface TreeRow {
  readonly text: string;
  /** The branches of the tree below it. */
  readonly below: string;
  readonly owners: string;
  readonly tone: Tone;
}

/**
 * Renders the owners next to their fields.
 * If a field's line would have to wrap, the owners are below it. Wrapped lines would make the
 * branches hard to follow.
 */
function treeLines(rows: readonly TreeRow[], looks: Looks): readonly TerminalText[] {
  const { width = Number.POSITIVE_INFINITY } = looks;
  const widest = Math.max(...rows.map(({ text }) => displayWidth(exactLine(text))));
  if (widest + 2 + narrowestLast > width) return rows.flatMap((row) => stacked(row, width, looks));
  const cells = rows.map(({ text, below, owners, tone }) => ({
    cells: [
      { text, below },
      { text: owners, tone },
    ],
  }));
  return [renderColumns([], cells, looks)];
}

function stacked(
  { text, below, owners, tone }: TreeRow,
  width: number,
  { paint = (plain) => plain }: Looks,
): readonly TerminalText[] {
  const stem = exactLine(`${below}   `);
  const lines = owners === "" ? [] : breakLine(exactLine(owners), width - displayWidth(stem), "");
  return [exactLine(text), ...lines.map((line) => terminal`${stem}${paint(line, tone)}`)];
}

/**
 * Hides the list items that can contain secrets, because an item is named by its content.
 * These are all items of a Secret, and items elsewhere that look sensitive.
 */
function shownFields(object: KubeObject, fields: readonly OwnedField[]): readonly OwnedField[] {
  const isSecret = isSensitiveKind(object.kind) || isSensitiveObject(object);
  const shown = (field: OwnedField, holder: string): OwnedField => ({
    ...field,
    step: field.isItem && (isSecret || containsSecretItem(field.step, holder)) ? "[…]" : field.step,
    fields: field.fields.map((inner) => shown(inner, field.isItem ? holder : field.step)),
  });
  return fields.map((field) => shown(field, ""));
}

/**
 * Reports whether the name of a list item can contain a secret.
 * Examples are `["hunter2"]` in the list `tokens`, `[token="hunter2"]` and values in the format of
 * a secret.
 */
function containsSecretItem(step: string, holder: string): boolean {
  const keys = [...step.matchAll(/[[,]([\w.-]+)=/g)].map(([, key = ""]) => key);
  const isNamed = keys.length === 0 ? isSensitiveName(holder) : keys.some(isSensitiveName);
  return isNamed || isLikelySecretValue(step);
}

function branchRowsBelow(
  fields: readonly OwnedField[],
  stem: string,
  options: OwnersOptions,
): readonly TreeRow[] {
  return fields.flatMap((field, index) => {
    const isLast = index === fields.length - 1;
    const start = `${stem}${isLast ? "└─ " : "├─ "}`;
    return branchRows(field, { start, stem, isLast }, options);
  });
}

interface Branch {
  readonly start: string;
  readonly stem: string;
  readonly isLast: boolean;
}

function branchRows(
  given: OwnedField,
  { start, stem, isLast }: Branch,
  options: OwnersOptions,
): readonly TreeRow[] {
  const field = joinOnlyChild(given);
  const name = field.step.replace(/^\./, "");
  const next = `${stem}${isLast ? "   " : "│  "}`;
  const common = options.everyField ? undefined : commonOwners(field);
  if (common !== undefined) {
    const count = countLeaves(field);
    const counted = count > 1 ? ` (${plural(count, "field")})` : "";
    return [ownersRow(`${start}${name}${counted}`, next, common, options.now)];
  }
  const inner = branchRowsBelow(field.fields, next, options);
  const below = inner.length === 0 ? next : `${next}│`;
  return [ownersRow(`${start}${name}`, below, field.owners, options.now), ...inner];
}

/** Joins fields such as `spec.template.spec` into one line if only the last one has owners. */
function joinOnlyChild(field: OwnedField): OwnedField {
  const [only, ...others] = field.fields;
  if (only === undefined || others.length > 0 || field.owners.length > 0) return field;
  return joinOnlyChild({ ...only, step: `${field.step}${only.step}` });
}

function ownersRow(
  text: string,
  below: string,
  owners: readonly FieldOwner[],
  now: string,
): TreeRow {
  const ownerTexts = owners.map((owner) => ownerText(owner, now)).join("; ");
  return { text, below, owners: ownerTexts, tone: owners.length > 1 ? "changed" : "quiet" };
}

/**
 * Returns text such as `kubectl-edit, 3 days ago` or
 * `kube-controller-manager via status, 2 hours ago`.
 */
function ownerText({ manager, subresource, time }: FieldOwner, now: string): string {
  const of = subresource === "" ? "" : ` via ${subresource}`;
  return [`${manager}${of}`, time === "" ? "" : (formatAge(time, now) ?? time)]
    .filter(Boolean)
    .join(", ");
}

/** Returns the owners of all fields below if they are the same. Otherwise undefined. */
function commonOwners(field: OwnedField): readonly FieldOwner[] | undefined {
  const all = ownerLists(field);
  const texts = new Set(all.map((owners) => JSON.stringify(owners)));
  return texts.size === 1 ? all[0] : undefined;
}

function ownerLists({ owners, fields }: OwnedField): readonly (readonly FieldOwner[])[] {
  const own = owners.length > 0 || fields.length === 0 ? [owners] : [];
  return [...own, ...fields.flatMap(ownerLists)];
}

function countLeaves({ fields }: OwnedField): number {
  return fields.length === 0 ? 1 : fields.reduce((sum, field) => sum + countLeaves(field), 0);
}

/** Returns the owners of each field as JSON, by its whole path. */
export function ownersJson(object: KubeObject, fields: readonly OwnedField[]): JsonObject {
  return { object: keyOf(idOf(object)), fields: fieldsJson(shownFields(object, fields), "") };
}

function fieldsJson(fields: readonly OwnedField[], path: string): readonly JsonObject[] {
  return fields.flatMap(({ step, owners, fields }) => {
    const place = `${path}${step}`;
    const own = { field: place.replace(/^\./, ""), owners: owners.map((owner) => ({ ...owner })) };
    return [...(owners.length > 0 ? [own] : []), ...fieldsJson(fields, place)];
  });
}
