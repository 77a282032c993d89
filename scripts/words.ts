import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Counts phrases that are hard to understand, in documentation, in messages of src and in doc
 * comments; also doc comments with a bad first word, and lines of comments that are too long. Go
 * files of engine are read like src, with all of their comments.
 * `node scripts/words.ts` fails if a file has more of them than `scripts/words.json` allows.
 * `--update` lowers these limits to the present counts, and `--list` shows each phrase.
 */
const root = join(import.meta.dirname, "..");
const limitsFile = join(root, "scripts/words.json");

/** Counts by file; a file without an entry must have none. */
type Limits = Readonly<Record<string, number>>;

interface Found {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly phrase: string;
}

const patterns: ReadonlyMap<string, RegExp> = new Map([
  [
    "a clause with what as a noun",
    /(?:^|[.;:,] |\b(?:by|of|for|from|with|to|and|or|but|in|on|than|is|are|says?|shows?|tells?|see|keeps?) )[Ww]hat (?!is new|happens|changes\b)\w+/g,
  ],
  ["tell", /\b(?:told|tells?|telling)\b/g],
  ["somebody", /\b(?:somebody|nobody|anybody|whoever)\b/gi],
  ["Of … in front", /(?:^|\. )Of (?:a|an|the|each|its|these|those|such)\b/gm],
  ["and that is said", /\b(?:that|this|it) is (?:said|told)\b/g],
  ["foretell", /\b(?:foret(?:ell|old)\w*|foresee\w*)/gi],
  ["by hand", /\bby hand\b|somebody's hand/g],
  [
    "a rare word",
    /\b(?:seldom|in vain|for ever|all the same|meanwhile|anew|beside|save for|but for)\b/g,
  ],
  ["the predicate first", /(?:^|\. )(?:Refused|Told|Shown|Kept|Left|Not \w+ed) (?:are|is)\b/gm],
  ["cure", /\bcures?d?\b/g],
]);

/** Replaces all characters except line breaks by blanks, so that lines keep their numbers. */
const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");

const withoutCode = (text: string) =>
  text.replaceAll(/`[^`\n]*`/g, (code) => "`x`".padEnd(code.length));

function prose(markdown: string): string {
  return withoutCode(markdown.replaceAll(/^\s*(```|~~~)[\s\S]*?^\s*\1/gm, blank));
}

/** The doc comments of a source. A glob such as `docs/**` doesn't begin one. */
const docComment = /^[ \t]*\/\*\*([\s\S]*?)\*\//gm;

/** Returns the text of the doc comments of a source. */
function comments(source: string): string {
  return withoutCode(keep(source, docComment));
}

/** The comment lines of a Go source; a group of them above a declaration is its doc comment. */
const goComment = /^[ \t]*\/\/ .*$/gm;

/** Returns the comment lines of a Go source without their slashes. */
function goComments(source: string): string {
  const text = keep(source, goComment).replaceAll(/^([ \t]*)\/\/ /gm, (_, indent) => indent);
  return withoutCode(text);
}

/** Returns the string literals of a source that contain a space: messages are among them. */
function strings(source: string): string {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, blank);
  return keep(
    code,
    /'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g,
  );
}

function keep(text: string, wanted: RegExp): string {
  let kept = "";
  let end = 0;
  for (const match of text.matchAll(wanted)) {
    kept += blank(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return kept + blank(text.slice(end));
}

/** The day from which on commit subjects must follow the rules. */
const subjectsSince = "2026-11-28T09:00:00Z";
const longestSubject = 60;

/** First words that are no imperative: "Adds", "Added", "Adding". Words such as "Pass" are. */
const noImperative =
  /^(?!(?:Alias|Bring|Embed|Feed|Need|Ping|Seed|Speed)\b)(?:\w+(?:ed|ing)|(?!\w*(?:ss|us)\b)\w+s)\b/;

/** Returns the faults of a commit subject: too long, no imperative, or a period at its end. */
export function subjectFaults(subject: string): readonly string[] {
  return [
    ...(subject.length > longestSubject ? [`${subject.length} characters`] : []),
    ...(noImperative.test(subject) ? ["no imperative"] : []),
    ...(/^[^A-Z]/.test(subject) ? ["no capital letter"] : []),
    ...(subject.endsWith(".") ? ["a period"] : []),
  ];
}

function faultySubjects(): readonly string[] {
  const range = ["--no-merges", `--since=${subjectsSince}`];
  const log = execFileSync("git", ["log", ...range, "--format=%h %s"], { cwd: root }).toString();
  return log.split("\n").flatMap((line) => {
    const [, commit = "", subject = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const faults = commit === "" ? [] : subjectFaults(subject);
    return faults.length === 0 ? [] : [`commit ${commit}: ${faults.join(", ")}: ${subject}`];
  });
}

/**
 * Returns the phrases of a page, a source or a workflow. Only in src and engine are strings
 * messages to users.
 */
export function phrasesIn(file: string, text: string): readonly Found[] {
  return textsOf(file, text).flatMap((each) =>
    [...patterns].flatMap(([name, pattern]) =>
      Array.from(each.matchAll(pattern), ({ 0: phrase, index }) => ({
        ...{ file, name, phrase: phrase.trim() },
        line: each.slice(0, index).split("\n").length,
      })),
    ),
  );
}

function textsOf(file: string, text: string): readonly string[] {
  if (file.endsWith(".md")) return [prose(text)];
  if (file.endsWith(".yml")) return [text];
  const found = file.endsWith(".go") ? goComments(text) : comments(text);
  const hasMessages = /^(?:src|engine)\/.*(?<!_test\.go)$/.test(file);
  return [found, ...(hasMessages ? [strings(text)] : [])];
}

/** First words that hide the subject or the verb of a doc comment. */
const badStart =
  /^(?:What|Whether|Of|As|Where|Who|Whose|How|When|Those|That|Which|If|So|To|For|In|On|With|Why|Not)\b/;
const columns = 100;

/** The first line of a group of comment lines in Go. */
const goDocComment = /(?<=^|\n)(?<!\/\/.*\n)[ \t]*\/\/ (.*)/g;

/** Returns the doc comments with a bad first word, and the lines of comments that are too long. */
export function formsIn(file: string, text: string): readonly Found[] {
  const doc = file.endsWith(".go") ? goDocComment : docComment;
  const starts = Array.from(text.matchAll(doc), (match) => {
    const [phrase = ""] = badStart.exec(match[1]?.replaceAll(/^[\s*]+/g, "") ?? "") ?? [];
    const line = text.slice(0, match.index).split("\n").length;
    return phrase === "" ? [] : [{ file, line, name: "a doc comment without a subject", phrase }];
  });
  const long = text.split("\n").flatMap((line, index) => {
    const isLong = line.length > columns && /^\s*(?:\/\/(?! biome-ignore)|\/?\*)/.test(line);
    const phrase = `${line.length} columns`;
    return isLong ? [{ file, line: index + 1, name: "a long line of a comment", phrase }] : [];
  });
  return [...starts.flat(), ...long];
}

/** Returns the files whose count exceeds their limit, with their phrases. */
export function beyond(found: readonly Found[], limits: Limits): readonly Found[] {
  const byFile = Map.groupBy(found, ({ file }) => file);
  return [...byFile].flatMap(([file, each]) => (each.length > (limits[file] ?? 0) ? each : []));
}

/** Pages, sources and workflows whose words are checked. */
const checked =
  /^(?:docs\/.*|src\/.*\/README|[^/]*)\.md$|^(?:src|test|scripts|bench|setup)\/.*\.ts$|^engine\/(?!render\/stubs\/).*\.go$|^(?:\.github\/workflows|workflows|run)\/.*\.yml$|^action\.yml$/;

function allFound(): readonly Found[] {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root })
    .toString()
    .split("\n")
    .filter((file) => checked.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...phrasesIn(file, text), ...(/\.(?:ts|go)$/.test(file) ? formsIn(file, text) : [])];
  });
}

function countsOf(found: readonly Found[]): Limits {
  const byFile = Map.groupBy(found, ({ file }) => file);
  return Object.fromEntries(
    [...byFile].map(([file, each]) => [file, each.length] as const).toSorted(),
  );
}

if (import.meta.main) {
  const found = allFound();
  const limits: Limits = JSON.parse(readFileSync(limitsFile, "utf8"));
  if (process.argv.includes("--update")) {
    writeFileSync(limitsFile, `${JSON.stringify(countsOf(found), undefined, 2)}\n`);
  }
  const shown = process.argv.includes("--list") ? found : beyond(found, limits);
  for (const { file, line, name, phrase } of shown) {
    console.log(`${file}:${line}: ${name}: ${phrase}`);
  }
  const subjects = faultySubjects();
  for (const line of subjects) console.log(line);
  process.exitCode =
    shown.length + subjects.length > 0 && !process.argv.includes("--update") ? 1 : 0;
}
