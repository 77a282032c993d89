import { nameOf } from "../../src/model/object.ts";
import { type Accuracy, count } from "./compare.ts";
import type { ForetoldReport } from "./foretell.ts";

/**
 * Compares the notices of a deployment about objects with those of its preview, above all the warnings of
 * the API server. A preview lacks the notices about objects that it couldn't dry-run.
 */
export function compareWarnings(
  { plan, findings = [] }: ForetoldReport,
  stderr: string,
  accuracy: Accuracy,
): void {
  const names = new Set(plan?.changes.map(({ id }) => nameOf(id)));
  const unasked = plan?.changes.filter(({ certainty }) => certainty.by !== "server") ?? [];
  // A finding shows the words of the API server as its reason.
  const texts = [...(plan?.notices ?? []), ...findings].flatMap(({ what, why = "" }) => [
    what,
    what.replace(/: [^:]*$/, `: ${why}`),
  ]);
  const predicted = new Set(texts.flatMap((text) => saidOf(text, names)));
  const happened = Array.from(stderr.matchAll(/^note\[[\w-]+\]: (.*)$/gm)).flatMap(
    ([, text = ""]) => saidOf(text, names),
  );
  for (const warning of happened) {
    if (unasked.some(({ id }) => warning.startsWith(`${nameOf(id)}: `)) && !predicted.has(warning))
      continue;
    const [name = ""] = warning.split(": ");
    const isRight = predicted.has(warning) || predicted.has(`${name}: ${withheldWarning}`);
    count(accuracy, "warnings", isRight, `warned, but not predicted: ${warning}`);
  }
}

/** Of an object of others a preview does not quote what is not declared. */
const withheldWarning = "the API server sent a warning that could quote a hidden value";

/** `A, B: text` is said of each of them. */
function saidOf(text: string, names: ReadonlySet<string>): readonly string[] {
  const [said = "", ...rest] = text.split(": ");
  return said
    .split(", ")
    .filter((name) => names.has(name))
    .map((name) => `${name}: ${rest.join(": ")}`);
}
