import { nameOf } from "../../src/model/object.ts";
import { type Accuracy, count } from "./compare.ts";
import type { PredictedReport } from "./predict.ts";

/**
 * Compares the notices of a deployment about objects with those of its preview, above all the
 * warnings of the API server. A preview lacks the notices about objects that it couldn't dry-run.
 */
export function compareWarnings(
  { plan, findings = [] }: PredictedReport,
  stderr: string,
  accuracy: Accuracy,
): void {
  const names = new Set(plan?.changes.map(({ id }) => nameOf(id)));
  const unchecked = plan?.changes.filter(({ certainty }) => certainty.by !== "server") ?? [];
  // A finding shows the message of the API server as its reason.
  const texts = [...(plan?.notices ?? []), ...findings].flatMap(({ what, why = "" }) => [
    what,
    what.replace(/: [^:]*$/, `: ${why}`),
  ]);
  const predicted = new Set(texts.flatMap((text) => warningsIn(text, names)));
  const happened = Array.from(stderr.matchAll(/^note\[[\w-]+\]: (.*)$/gm)).flatMap(
    ([, text = ""]) => warningsIn(text, names),
  );
  for (const warning of happened) {
    if (
      unchecked.some(({ id }) => warning.startsWith(`${nameOf(id)}: `)) &&
      !predicted.has(warning)
    )
      continue;
    const [name = ""] = warning.split(": ");
    const isRight = predicted.has(warning) || predicted.has(`${name}: ${withheldWarning}`);
    count(accuracy, "warnings", isRight, `warned, but not predicted: ${warning}`);
  }
}

/**
 * Replaces a warning about an object of another tool. A preview doesn't quote undeclared values of
 * such an object.
 */
const withheldWarning = "the API server sent a warning that could quote a hidden value";

/** Splits `A, B: text` into one text for each object. */
function warningsIn(text: string, names: ReadonlySet<string>): readonly string[] {
  const [objects = "", ...rest] = text.split(": ");
  return objects
    .split(", ")
    .filter((name) => names.has(name))
    .map((name) => `${name}: ${rest.join(": ")}`);
}
