import { elapsedText } from "../../model/text/duration.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { type ColorPainter, plainText, terminal } from "../../redaction/terminal.ts";
import { displayWidth, truncate } from "../../redaction/wrap.ts";
import {
  type DeployProgress,
  isRunning,
  type ObjectState,
  type ProgressObject,
} from "./deploy-progress.ts";

export interface LiveScreen {
  readonly columns: number;
  readonly rows: number;
  readonly paint: ColorPainter;
  readonly nameOf: (key: string) => string;
}

/**
 * Renders the deployment as a tree that fits the screen: a headline, then for each section the
 * running and failed objects with time and reason. Finished objects are folded into a count. If
 * space is short, running objects without problems are folded first.
 */
export function renderLive(
  progress: DeployProgress,
  now: number,
  screen: LiveScreen,
): TerminalText {
  const objects = [...progress.objects.values()];
  const sections = [...new Set(objects.map((object) => object.section))];
  // Each section needs a title and a line for folded objects. The last line stays empty for the
  // cursor.
  const maxRows = Math.max(1, screen.rows - 2 - 2 * sections.length);
  const { timeoutMs } = progress;
  const page = {
    ...screen,
    timeoutMs,
    ...mostImportant(objects, maxRows, now, { ...screen, timeoutMs }),
  };
  const lines = sections.flatMap((section) =>
    renderSection(
      section,
      objects.filter((o) => o.section === section),
      now,
      page,
    ),
  );
  return joined([headline(progress, now, screen), ...lines], "\n");
}

/** A screen, and the time limit of each rollout. */
type Limited = LiveScreen & Pick<DeployProgress, "timeoutMs">;

/** The objects that fit the screen, by key. */
interface VisibleObjects {
  readonly visible: ReadonlySet<string>;
  /** The objects that have a second line for their reason. */
  readonly withReason: ReadonlySet<string>;
}

/** Selects failures first, then objects with a problem, then the longest running objects. */
function mostImportant(
  objects: readonly ProgressObject[],
  maxRows: number,
  now: number,
  screen: Limited,
): VisibleObjects {
  const open = objects.filter((object) => isRunning(object) || object.state === "failed");
  const sorted = open.toSorted((a, b) => rank(a) - rank(b) || a.since - b.since);
  const urgent = sorted.filter((object) => rank(object) < 2).slice(0, maxRows);
  const long = urgent.filter((o) => objectLines(o, terminal`├─ `, now, screen, true).length > 1);
  const withReason = long.slice(0, maxRows - urgent.length);
  const others = sorted.filter((object) => rank(object) === 2);
  const visible = [...urgent, ...others.slice(0, maxRows - urgent.length - withReason.length)];
  return { visible: objectKeys(visible), withReason: objectKeys(withReason) };
}

function rank({ state, isTroubled }: ProgressObject): 0 | 1 | 2 {
  if (state === "failed") return 0;
  return isTroubled ? 1 : 2;
}

function objectKeys(objects: readonly ProgressObject[]): ReadonlySet<string> {
  return new Set(objects.map((object) => object.key));
}

function headline(
  progress: DeployProgress,
  now: number,
  { columns, paint }: LiveScreen,
): TerminalText {
  const done = [...progress.objects.values()].filter((o) => !isRunning(o) && o.state !== "kept");
  const counted = progress.preparing === undefined && progress.lockHolder === undefined;
  const parts = [
    activityText(progress),
    ...(counted ? [doneText(done.length, progress.total)] : []),
    elapsedText((progress.ended ?? now) - progress.started),
  ];
  return paint("bold", truncate(plainText(parts.join(" · ")), columns));
}

function doneText(done: number, total: number | undefined): string {
  return total === undefined ? `${done} done` : `${done} of ${total} done`;
}

/** Returns `Deploying release 12`; before a plan exists, the preparation. */
function activityText({
  preparing,
  revision,
  rollbackTarget: backTo,
  stopping,
  lockHolder,
}: DeployProgress): string {
  if (stopping) return "Canceling, press Ctrl-C again to stop immediately";
  if (lockHolder !== undefined)
    return `Waiting for the deployment lock, held by ${plainText(lockHolder)}`;
  if (preparing !== undefined) return preparations[preparing];
  const doing = backTo === undefined ? "Deploying" : `Rolling back to release ${backTo}`;
  if (revision === undefined) return doing;
  return backTo === undefined ? `${doing} release ${revision}` : `${doing}, as release ${revision}`;
}

const preparations = {
  compiling: "Compiling",
  reading: "Reading the cluster",
  planning: "Planning",
  watching: "Waiting until all objects are ready",
} as const;

type LivePage = LiveScreen & VisibleObjects & Pick<DeployProgress, "timeoutMs">;

function renderSection(
  section: string,
  objects: readonly ProgressObject[],
  now: number,
  screen: LivePage,
): readonly TerminalText[] {
  const { visible, withReason } = screen;
  const shown = objects.filter((object) => visible.has(object.key));
  const folded = foldedText(objects.filter((object) => !visible.has(object.key)));
  // A stage in which nothing happens any more takes one line, and none if it changed nothing.
  if (shown.length === 0 && !objects.some(isRunning)) {
    const isIdle = objects.every(({ state }) => state === "unchanged");
    const all = joined(section === "" ? [folded] : [plainText(section), folded], "  ");
    return isIdle ? [] : [screen.paint("dim", truncate(all, screen.columns))];
  }
  const rows = shown.map(
    (object) => (branch: TerminalText) =>
      objectLines(object, branch, now, screen, withReason.has(object.key)),
  );
  if (folded !== "") {
    rows.push((branch) => [
      screen.paint("dim", truncate(terminal`${branch}${folded}`, screen.columns)),
    ]);
  }
  const lines = rows.flatMap((row, index) =>
    row(index === rows.length - 1 ? terminal`└─ ` : terminal`├─ `),
  );
  return section === "" ? lines : [truncate(plainText(section), screen.columns), ...lines];
}

/** Counts objects: `4 created, 2 unchanged, 3 more waiting`. */
function foldedText(objects: readonly ProgressObject[]): TerminalText {
  const states = [...new Set(objects.map((object) => object.state))];
  const counts = states.map((state) => {
    const count = objects.filter((object) => object.state === state).length;
    return `${count} ${isRunningState(state) ? `more ${state}` : state}`;
  });
  return plainText(counts.join(", "));
}

function isRunningState(state: ObjectState): boolean {
  return state === "applying" || state === "waiting" || state === "deleting";
}

function objectLines(
  object: ProgressObject,
  branch: TerminalText,
  now: number,
  screen: Limited,
  withReason: boolean,
): readonly TerminalText[] {
  const { columns, paint } = screen;
  const failed = object.state === "failed";
  const mark = failed ? terminal`✖` : spinner(now);
  const time = plainText(timeText(object, now, screen));
  const detail = detailText(object);
  // A long name takes at most half of the line, or the space that a short detail leaves.
  const spare = columns - branch.length - 2 - time.length - 4 - displayWidth(plainText(detail));
  const widest = Math.max(12, Math.floor(columns / 2), spare);
  const name = truncate(plainText(screen.nameOf(object.key)), widest);
  const taken = branch.length + 2 + displayWidth(name);
  const width = columns - taken - time.length - 4;
  const [sameLine, nextLine] = withReason ? split(detail, width) : [withoutPodName(detail, width)];
  const rest = truncate(terminal`  ${time}  ${sameLine}`, columns - taken);
  const color = failed ? "red" : "cyan";
  const painted = paint(failed ? "red" : "dim", rest);
  const first = terminal`${branch}${paint(color, mark)} ${name}${painted}`;
  if (nextLine === undefined) return [first];
  const stem = branch.startsWith("├") ? terminal`│    ` : terminal`     `;
  const reason = truncate(nextLine, columns - stem.length);
  return [first, terminal`${stem}${paint(failed ? "red" : "yellow", reason)}`];
}

/** Returns `8s`, or `8s/10m` while qvs waits for the object for at most 10 minutes. */
function timeText(
  object: ProgressObject,
  now: number,
  { timeoutMs }: Pick<LivePage, "timeoutMs">,
): string {
  const elapsed = elapsedText((object.ended ?? now) - object.since);
  const limit = object.timeoutMs ?? timeoutMs;
  const isLimited = object.state === "waiting" && limit !== undefined;
  return isLimited ? `${elapsed}/${limitText(limit)}` : elapsed;
}

/** Returns `10m` instead of `10m 00s`. */
function limitText(milliseconds: number): string {
  return elapsedText(milliseconds).replace(/ 00[sm]$/, "");
}

/** Splits a text at its first semicolon, after the counts, if it is wider than the space. */
function split(detail: string, width: number): readonly [TerminalText, TerminalText?] {
  const end = detail.indexOf("; ");
  if (displayWidth(plainText(detail)) <= width || end < 0) return [plainText(detail)];
  return [plainText(detail.slice(0, end)), plainText(detail.slice(end + 2))];
}

/** Drops the name of the Pod if there is no space for it next to its problem. */
function withoutPodName(detail: string, width: number): TerminalText {
  const whole = plainText(detail);
  return displayWidth(whole) <= width ? whole : plainText(detail.replace(/; Pod \S+: /, "; "));
}

/** Returns `creating`, `2/3 ready` or `deleting: held by the finalizers …`. */
function detailText({ state, doing, why }: ProgressObject): string {
  if (state === "applying") return doing;
  if (state === "waiting" && why !== "") return why;
  return why === "" ? state : `${state}: ${why}`;
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** Returns the frame of a time, so that the same moment always looks the same. */
function spinner(now: number): TerminalText {
  return plainText(frames.charAt(Math.floor(now / 100) % frames.length));
}
