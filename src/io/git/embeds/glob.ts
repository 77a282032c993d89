/** Reports whether a part of a path has characters that match others. */
export function isGlob(part: string): boolean {
  return /[*?[\\]/.test(part);
}

/** A literal character, any single character, or any number of characters. */
type GlobStep = string | typeof one | typeof any;
const one = Symbol("one");
const any = Symbol("any");

/**
 * Reports whether a name might match a part of a glob, by the rules of Go's `path.Match`.
 * `[…]` matches every character, because the engine compares again. The search goes through the
 * name once per `*`, so that no pattern makes it slow.
 */
export function mightMatch(pattern: string, name: string): boolean {
  const steps = parseGlob(pattern);
  const characters = Array.from(name);
  let step = 0;
  let back: { readonly step: number; at: number } | undefined;
  let at = 0;
  while (at < characters.length) {
    const next = steps[step];
    if (next === any) {
      step += 1;
      back = { step, at };
    } else if (next === one || next === characters[at]) {
      step += 1;
      at += 1;
    } else if (back === undefined) return false;
    else {
      back.at += 1;
      [step, at] = [back.step, back.at];
    }
  }
  return steps.slice(step).every((left) => left === any);
}

function parseGlob(pattern: string): readonly GlobStep[] {
  const characters = Array.from(pattern);
  const steps: GlobStep[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const each = characters[at] ?? "";
    if (each === "*") steps.push(any);
    else if (each === "?") steps.push(one);
    else if (each === "[") {
      at = endOfClass(characters, at);
      steps.push(one);
    } else if (each === "\\") {
      at += 1;
      steps.push(characters[at] ?? "");
    } else steps.push(each);
  }
  return steps;
}

/** Returns the end of `[…]`. A bracket in the first position belongs to the class. */
function endOfClass(characters: readonly string[], from: number): number {
  const first = characters[from + 1] === "^" ? from + 2 : from + 1;
  for (let at = first; at < characters.length; at += 1) {
    if (characters[at] === "\\") at += 1;
    else if (characters[at] === "]" && at > first) return at;
  }
  return characters.length;
}
