import { elapsedText } from "./elapsed.ts";
import type { Paint } from "./paint.ts";
import { isRunning, type Picture, type ShownObject, type Standing } from "./picture.ts";
import { plainText } from "./plain-text.ts";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  readonly nameOf: (key: string) => string;
}

/**
 * The deployment as a tree that fits the screen: a headline, then per section what runs and what failed, each with
 * its time and reason. What is finished is folded into a count, and so is what finds no room: first what is well under way.
 */
export function renderLive(picture: Picture, now: number, screen: Screen): string {
  const objects = [...picture.objects.values()];
  const sections = [...new Set(objects.map((object) => object.section))];
  // Each section needs a title and a line for what is folded; the last line stays free for the cursor.
  const room = Math.max(1, screen.rows - 2 - 2 * sections.length);
  const page = { ...screen, ...mostTelling(objects, room, now, screen) };
  return [
    headline(picture, now, screen),
    ...sections.flatMap((section) =>
      renderSection(
        section,
        objects.filter((o) => o.section === section),
        now,
        page,
      ),
    ),
  ].join("\n");
}

/** What finds room, by key. */
interface Shown {
  readonly visible: ReadonlySet<string>;
  /** What gets a second line for its reason. */
  readonly inFull: ReadonlySet<string>;
}

/** Failures first, then what somebody complains of, with the complaint, then what has been running longest. */
function mostTelling(
  objects: readonly ShownObject[],
  room: number,
  now: number,
  screen: Screen,
): Shown {
  const open = objects.filter((object) => isRunning(object) || object.standing === "failed");
  const sorted = open.toSorted((a, b) => rank(a) - rank(b) || a.since - b.since);
  const troubled = sorted.filter((object) => rank(object) < 2).slice(0, room);
  const long = troubled.filter((o) => objectLines(o, "├─ ", now, screen, true).length > 1);
  const inFull = long.slice(0, room - troubled.length);
  const others = sorted.filter((object) => rank(object) === 2);
  const visible = [...troubled, ...others.slice(0, room - troubled.length - inFull.length)];
  return { visible: keysOf(visible), inFull: keysOf(inFull) };
}

function rank({ standing, why }: ShownObject): 0 | 1 | 2 {
  if (standing === "failed") return 0;
  return why.includes("; ") ? 1 : 2;
}

function keysOf(objects: readonly ShownObject[]): ReadonlySet<string> {
  return new Set(objects.map((object) => object.key));
}

function headline(picture: Picture, now: number, { columns, paint }: Screen): string {
  const done = [...picture.objects.values()].filter((o) => !isRunning(o) && o.standing !== "kept");
  const counted = picture.preparing === undefined && picture.lockHolder === undefined;
  const parts = [
    verbOf(picture),
    ...(counted ? [doneText(done.length, picture.total)] : []),
    elapsedText((picture.ended ?? now) - picture.started),
  ];
  return paint("bold", cut(parts.join(" · "), columns));
}

function doneText(done: number, total: number | undefined): string {
  return total === undefined ? `${done} done` : `${done} of ${total} done`;
}

/** `Deploying release 12`; before there is a plan, what is done to make one. */
function verbOf({ preparing, revision, stopping, lockHolder }: Picture): string {
  if (stopping) return "Stopping, Ctrl-C again ends at once";
  if (lockHolder !== undefined) return `Waiting for the lock, which ${plainText(lockHolder)} holds`;
  if (preparing !== undefined) return { compiling: "Compiling", planning: "Planning" }[preparing];
  return revision === undefined ? "Deploying" : `Deploying release ${revision}`;
}

type Page = Screen & Shown;

function renderSection(
  section: string,
  objects: readonly ShownObject[],
  now: number,
  screen: Page,
): readonly string[] {
  const { visible, inFull } = screen;
  const shown = objects.filter((object) => visible.has(object.key));
  const folded = foldedText(objects.filter((object) => !visible.has(object.key)));
  const rows = shown.map(
    (object) => (branch: string) =>
      objectLines(object, branch, now, screen, inFull.has(object.key)),
  );
  if (folded !== "") {
    rows.push((branch) => [screen.paint("dim", cut(`${branch}${folded}`, screen.columns))]);
  }
  const lines = rows.flatMap((row, index) => row(index === rows.length - 1 ? "└─ " : "├─ "));
  return section === "" ? lines : [cut(section, screen.columns), ...lines];
}

/** `4 created, 2 unchanged, 3 more waiting`. */
function foldedText(objects: readonly ShownObject[]): string {
  const standings = [...new Set(objects.map((object) => object.standing))];
  const counts = standings.map((standing) => {
    const count = objects.filter((object) => object.standing === standing).length;
    return `${count} ${isOpen(standing) ? `more ${standing}` : standing}`;
  });
  return counts.join(", ");
}

function isOpen(standing: Standing): boolean {
  return standing === "applying" || standing === "waiting" || standing === "deleting";
}

function objectLines(
  object: ShownObject,
  branch: string,
  now: number,
  screen: Screen,
  inFull: boolean,
): readonly string[] {
  const { columns, paint } = screen;
  const failed = object.standing === "failed";
  const mark = failed ? "✖" : spinner(now);
  const time = elapsedText((object.ended ?? now) - object.since);
  const name = cut(plainText(screen.nameOf(object.key)), Math.max(12, Math.floor(columns / 2)));
  const taken = branch.length + 2 + name.length;
  const state = plainText(stateOf(object));
  const width = columns - taken - time.length - 4;
  const [beside, below] = inFull ? split(state, width) : [inShort(state, width)];
  const rest = cut(`  ${time}  ${beside}`, columns - taken);
  const colour = failed ? "red" : "cyan";
  const first = `${branch}${paint(colour, mark)} ${name}${paint(failed ? "red" : "dim", rest)}`;
  if (below === undefined) return [first];
  const stem = branch.startsWith("├") ? "│    " : "     ";
  return [first, `${stem}${paint(failed ? "red" : "yellow", cut(below, columns - stem.length))}`];
}

/** Counts come first and the Pod's reason after a semicolon: the reason goes below where both do not fit beside the name. */
function split(state: string, width: number): readonly [string, string?] {
  const end = state.indexOf("; ");
  if (state.length <= width || end < 0) return [state];
  return [state.slice(0, end), state.slice(end + 2)];
}

/** Where only one line is left, what is wrong with a Pod is worth more than its name. */
function inShort(state: string, width: number): string {
  return state.length <= width ? state : state.replace(/; Pod \S+: /, "; ");
}

/** `creating`, `2/3 ready`, `deleting: held by the finalizers …`: that it waits goes without saying where it is said for what. */
function stateOf({ standing, doing, why }: ShownObject): string {
  if (standing === "applying") return doing;
  if (standing === "waiting" && why !== "") return why;
  return why === "" ? standing : `${standing}: ${why}`;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The picture depends on the time alone, so that the same moment always looks the same. */
function spinner(now: number): string {
  return frames[Math.floor(now / 100) % frames.length] ?? "";
}

function cut(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return width <= 1 ? "" : `${characters.slice(0, width - 1).join("")}…`;
}
