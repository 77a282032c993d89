/** One step of a path in `vs.axis-dev.io/ignore-changes`. */
export type PathStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "every" };

export interface IgnoredPath {
  /** As written. */
  readonly text: string;
  /** undefined when it can't be understood. */
  readonly steps: readonly PathStep[] | undefined;
}

/** Brackets with what is in them, a comma outside of them, or anything else. */
const pieces = /\["[^"]*"\]|\[[^[\]",]*\]|,|[^,[]+|\[/g;
const stepPattern = /^(?:\.?([^.[\]"\s]+)|\[(\d+)\]|\[(\*)\]|\["([^"]*)"\])/;

/** The paths of the annotation: dots for fields, `[i]` for list items, `[*]` for all of them, `["key.with.dots"]`. */
export function parseIgnoredPaths(annotation: string): readonly IgnoredPath[] {
  return apart(annotation)
    .map((path) => path.trim())
    .filter((path) => path !== "")
    .map((path) => ({ text: path, steps: parsePath(path) }));
}

/** At each comma that is not inside brackets. */
function apart(annotation: string): readonly string[] {
  const paths: string[] = [""];
  for (const [piece] of annotation.matchAll(pieces)) {
    if (piece === ",") paths.push("");
    else paths.push(`${paths.pop() ?? ""}${piece}`);
  }
  return paths;
}

/** The steps of one path; undefined when it is none. */
export function parsePath(path: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = path;
  while (rest !== "") {
    const [whole, field, index, every, quoted] = stepPattern.exec(rest) ?? [];
    const name = field ?? quoted;
    if (name !== undefined) steps.push({ type: "field", name });
    else if (index !== undefined) steps.push({ type: "index", index: Number(index) });
    else if (every !== undefined) steps.push({ type: "every" });
    if (whole === undefined) return undefined;
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** A path as it is written in the annotation. */
export function writtenPath(steps: readonly PathStep[]): string {
  const text = steps.map((step) => {
    if (step.type === "index") return `[${step.index}]`;
    if (step.type === "every") return "[*]";
    return /^[\w-]+$/.test(step.name) ? `.${step.name}` : `["${step.name}"]`;
  });
  return text.join("").replace(/^\./, "");
}
