import type { JsonObject } from "../../model/json.ts";
import { nameFromKey } from "../../model/object.ts";
import type { Position } from "../../model/problems/problem.ts";
import type {
  FieldExplanation,
  FieldSource,
  LineChange,
  NamedManager,
  ParameterStep,
  ReleaseOfField,
  ShownValue,
} from "../../model/sources/field-explanation.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import { shorten } from "../../redaction/wrap.ts";
import { plural } from "../text/counts.ts";
import type { Looks } from "../text/text-lines.ts";
import { namesFiles } from "../trace/trace.ts";
import { type AnswerRow, renderColumns } from "./columns.ts";

type LabeledRow = readonly [label: string, text: string];

/** Renders the origin of a field, from its live value to the release. `now` is ISO 8601. */
export function renderWhy(answer: FieldExplanation, now: string, looks: Looks = {}): TerminalText {
  const title: AnswerRow = {
    cells: [{ text: `${nameFromKey(answer.key)} ${answer.field}`, tone: "strong" }],
  };
  const rows = [
    ["live", `${liveText(answer.live)}${differenceText(answer)}`] as const,
    ...managerRows(answer, now),
    ...manifestRows(answer),
    ...answer.sources.flatMap((source) => sourceRows(source, now)),
    ...omittedRows(answer),
    ...noSourceRows(answer),
    ...releaseRows(answer, now),
  ];
  const shown = rows.map(
    ([label, text]): AnswerRow => ({ cells: [{ text: label, tone: "quiet" }, { text }] }),
  );
  return terminal`${renderColumns([], [title], looks)}\n${renderColumns([], shown, looks)}\n`;
}

function liveText(live: FieldExplanation["live"]): string {
  switch (live.type) {
    case "no object":
      return "the object doesn't exist";
    case "not read":
      return "unknown: this identity can't read the object";
    default:
      return shownText(live);
  }
}

/** Returns a remark if the live value isn't the value of the manifest. */
function differenceText({ live, manifest }: FieldExplanation): string {
  if (live.type !== "value" || manifest?.value.type !== "value") return "";
  const isScalar = [live.value, manifest.value.value].every((value) => typeof value !== "object");
  return isScalar && live.value !== manifest.value.value ? ", not the value of the manifest" : "";
}

function shownText(value: ShownValue): string {
  switch (value.type) {
    case "value":
      return shorten(JSON.stringify(value.value), 200, 197);
    case "hidden":
      return "(hidden)";
    case "not set":
      return "not set";
  }
}

function managerRows(
  { live, managers, autoscaler, isAutoscalerUnread }: FieldExplanation,
  now: string,
): readonly LabeledRow[] {
  if (live.type !== "value" && live.type !== "hidden") return [];
  if (managers.length === 0 && autoscaler !== undefined)
    return [["manager", `none recorded: ${autoscaler} scales the object`]];
  if (managers.length === 0 && isAutoscalerUnread === true)
    return [["manager", "none recorded: qvs can't list HorizontalPodAutoscalers"]];
  if (managers.length === 0)
    return [["manager", "none: a default of the API server or of an admission webhook"]];
  return labeled(
    "manager",
    managers.map((manager) => managerText(manager, now)),
  );
}

function managerText({ manager, operation, subresource, time, role }: NamedManager, now: string) {
  const via = subresource === "" ? "" : ` via ${subresource}`;
  const age = time === "" ? "" : `, ${formatAge(time, now) ?? time}`;
  return `${manager}${via} (${operation}${age})${role === undefined ? "" : `: ${role}`}`;
}

function manifestRows({ manifest }: FieldExplanation): readonly LabeledRow[] {
  if (manifest === undefined) return [];
  const { value, resource, release, isCurrent, rollbackOf, commit, uncommitted } = manifest;
  const from =
    release === undefined
      ? "working tree"
      : `release ${release}${isCurrent ? "" : ", not the current one"}`;
  const details = [
    from,
    resource,
    ...(rollbackOf === undefined ? [] : [`rollback to release ${rollbackOf}`]),
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]),
    ...(uncommitted ? ["with uncommitted changes"] : []),
  ];
  return [["manifest", `${shownText(value)} (${details.join(", ")})`]];
}

function omittedRows({ omitted }: FieldExplanation): readonly LabeledRow[] {
  return omitted === 0 ? [] : [["", `${plural(omitted, "more source")}: name a field within it`]];
}

function noSourceRows({
  isAddedByQvs,
  sources,
  sourceValue,
  manifest,
}: FieldExplanation): readonly LabeledRow[] {
  const isDeclared = manifest !== undefined && manifest.value.type !== "not set";
  return [
    ...(isDeclared && isAddedByQvs && sources.length === 0
      ? ([["source", "qvs adds it to every object"]] as const)
      : []),
    ...(sourceValue === undefined
      ? []
      : ([["note", `the sources at this commit give ${shownText(sourceValue)}`]] as const)),
  ];
}

function sourceRows(
  { adapter, places, parameters, changes }: FieldSource,
  now: string,
): readonly LabeledRow[] {
  const by = adapter === "" ? "" : ` by ${adapter}`;
  const place = `${places.map(placeText).join(", ")}${by}`;
  return [
    [namesFiles(adapter) ? "file" : "adapter", place],
    ...labeled(
      "parameter",
      parameters.flatMap((step) => parameterLines(step)),
    ),
    ...changes.flatMap((change) => changeRows(change, now)),
  ];
}

function parameterLines(
  { name, of, given, onlyDecides, from }: ParameterStep,
  indent = "",
): readonly string[] {
  const full = of === "config" ? `$(params.${name})` : name;
  const only = onlyDecides ? ", only decides whether the field exists" : "";
  const above = from.flatMap((step) => parameterLines(step, `${indent}  `));
  return [`${indent}${full}, ${givenText(given)}${only}`, ...above];
}

function givenText(given: ParameterStep["given"]): string {
  switch (given) {
    case "command line":
      return "given on the command line";
    case "default":
      return "not given";
    default:
      return `given at ${placeText(given)}`;
  }
}

function changeRows(change: LineChange, now: string): readonly LabeledRow[] {
  const { at, commit, author, time, subject, isOldestInClone, pullRequest } = change;
  const age = time === "" ? "" : `, ${formatAge(time, now) ?? time}`;
  const older = isOldestInClone ? ", or an older commit that this shallow clone lacks" : "";
  return [
    [
      "commit",
      `${commit.slice(0, 12)} ${subject} (${author}${age}; ${at.file}:${at.line})${older}`,
    ],
    ...(pullRequest === undefined ? [] : ([["pull request", `#${pullRequest}`]] as const)),
  ];
}

function releaseRows({ first }: FieldExplanation, now: string): readonly LabeledRow[] {
  return first === undefined ? [] : [["release", releaseText(first, now)]];
}

function releaseText(first: ReleaseOfField, now: string): string {
  const { revision, startedAt, actor, run, commit, approvedIn, orEarlier } = first;
  return [
    `first in release ${revision}${orEarlier ? " or an earlier one that isn't recorded anymore" : ""}`,
    formatAge(startedAt, now) ?? startedAt,
    ...(commit === undefined ? [] : [commit.slice(0, 12)]),
    ...(actor === undefined ? [] : [`by ${actor}`]),
    ...(approvedIn.length === 0 ? [] : [`approved in ${approvedIn.join(" and ")}`]),
    ...(run === undefined ? [] : [run]),
  ].join(", ");
}

/** Returns rows of which only the first has the label. */
function labeled(label: string, texts: readonly string[]): readonly LabeledRow[] {
  return texts.map((text, index) => [index === 0 ? label : "", text] as const);
}

function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** Returns the answer as JSON. */
export function whyJson(answer: FieldExplanation): JsonObject {
  const { deployment, namespace, key, field, live, managers, manifest, sources, first } = answer;
  const plain = {
    deployment,
    namespace,
    object: key,
    field,
    live: liveJson(live),
    managers: managers.map((each) => ({ ...each, role: each.role ?? null })),
    manifest: manifest === undefined ? null : manifestJson(manifest),
    sources: sources.map(sourceJson),
    omitted: answer.omitted,
    autoscaler: answer.autoscaler ?? null,
    isAddedByQvs: answer.isAddedByQvs,
    sourceValue: answer.sourceValue === undefined ? null : valueJson(answer.sourceValue),
    firstRelease: first === undefined ? null : { ...first, ...originJson(first) },
    notices: answer.notices.map(({ code, what, why, fix }) => ({ code, what, why, fix })),
  };
  // A copy without members that are undefined.
  return JSON.parse(JSON.stringify(plain)) as JsonObject;
}

function originJson({ commit, actor, run }: ReleaseOfField): JsonObject {
  return { commit: commit ?? null, actor: actor ?? null, run: run ?? null };
}

function liveJson(live: FieldExplanation["live"]): JsonObject {
  if (live.type === "no object" || live.type === "not read")
    return { state: live.type === "no object" ? "no-object" : "not-read", value: null };
  return valueJson(live);
}

function valueJson(value: ShownValue): JsonObject {
  switch (value.type) {
    case "value":
      return { state: "value", value: value.value };
    case "hidden":
      return { state: "hidden", value: null };
    case "not set":
      return { state: "not-set", value: null };
  }
}

function manifestJson({
  value,
  release,
  rollbackOf,
  commit,
  ...rest
}: NonNullable<FieldExplanation["manifest"]>): JsonObject {
  return {
    ...valueJson(value),
    ...rest,
    release: release ?? null,
    rollbackOf: rollbackOf ?? null,
    commit: commit ?? null,
  };
}

function sourceJson({ adapter, places, parameters, changes }: FieldSource): JsonObject {
  return {
    adapter,
    places: places.map((place) => ({ ...place })),
    parameters: parameters.map(parameterJson),
    changes: changes.map(({ at, merge, pullRequest, ...change }) => ({
      at: { ...at },
      ...change,
      merge: merge ?? null,
      pullRequest: pullRequest ?? null,
    })),
  };
}

function parameterJson({ name, of, given, onlyDecides, from }: ParameterStep): JsonObject {
  return {
    ...{ name, of, onlyDecides },
    given: typeof given === "string" ? given : { ...given },
    from: from.map(parameterJson),
  };
}
