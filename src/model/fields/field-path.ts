/** A step of a path in `vs.axis-dev.io/ignore-changes`. */
export type PathStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "every" };

export interface IgnoredPath {
  /** The path as written. */
  readonly text: string;
  /** The parsed steps; undefined if the path is invalid. */
  readonly steps: readonly PathStep[] | undefined;
}

/** Matches brackets with their content, a comma outside of brackets, or other text. */
const pieces = /\["[^"]*"\]|\[[^[\]",]*\]|,|[^,[]+|\[/g;
const stepPattern = /^(?:\.?([^.[\]"\s]+)|\[(\d+)\]|\[(\*)\]|\["([^"]*)"\])/;

/**
 * Parses the paths of the annotation: dots for fields, `[i]` for list items, `[*]` for all list
 * items, `["key.with.dots"]`.
 */
export function parseIgnoredPaths(annotation: string): readonly IgnoredPath[] {
  return splitPaths(annotation)
    .map((path) => path.trim())
    .filter((path) => path !== "")
    .map((path) => ({ text: path, steps: parsePath(path) }));
}

/** Splits the annotation at each comma outside of brackets. */
function splitPaths(annotation: string): readonly string[] {
  const paths: string[] = [""];
  for (const [piece] of annotation.matchAll(pieces)) {
    if (piece === ",") paths.push("");
    else paths.push(`${paths.pop() ?? ""}${piece}`);
  }
  return paths;
}

/** Returns the steps of one path; undefined if it's invalid. */
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

/** Formats a path as the annotation contains it. */
export function formatIgnoredPath(steps: readonly PathStep[]): string {
  const text = steps.map((step) => {
    if (step.type === "index") return `[${step.index}]`;
    if (step.type === "every") return "[*]";
    return /^[\w-]+$/.test(step.name) ? `.${step.name}` : `["${step.name}"]`;
  });
  return text.join("").replace(/^\./, "");
}

/**
 * Formats a CUE path as users write it: `containers[0].image`, `labels["app.kubernetes.io/name"]`.
 */
export function fieldPath(steps: readonly string[]): string {
  const parts = steps.map((step) => {
    if (/^\d+$/.test(step)) return `[${step}]`;
    return /^[\w-]+$/.test(step) ? `.${step}` : `["${step}"]`;
  });
  return parts.join("").replace(/^\./, "");
}
