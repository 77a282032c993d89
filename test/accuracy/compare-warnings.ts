import { nameOf } from "../../src/model/object.ts";
import { type Accuracy, count } from "./compare.ts";
import type { ForetoldReport } from "./foretell.ts";

/**
 * What a deployment has said of objects under `Notice:`, and what its preview said: above all what the server warns of. Of what nobody
 * could be asked about a preview does not say it.
 */
export function compareWarnings(
  { plan, findings = [] }: ForetoldReport,
  stderr: string,
  accuracy: Accuracy,
): void {
  const names = new Set(plan?.changes.map(({ id }) => nameOf(id)));
  const unasked = plan?.changes.filter(({ certainty }) => certainty.by !== "server") ?? [];
  const texts = [...(plan?.notices ?? []), ...findings].map(({ what }) => what);
  const foretold = new Set(texts.flatMap((text) => saidOf(text, names)));
  const heard = stderr.split("\n").filter((line) => line.startsWith("Notice: "));
  const happened = heard.flatMap((line) => saidOf(line.slice("Notice: ".length), names));
  for (const warning of happened) {
    if (unasked.some(({ id }) => warning.startsWith(`${nameOf(id)}: `)) && !foretold.has(warning))
      continue;
    const [name = ""] = warning.split(": ");
    const isRight = foretold.has(warning) || foretold.has(`${name}: ${withheldWarning}`);
    count(accuracy, "warnings", isRight, `warned, unforetold: ${warning}`);
  }
}

/** Of an object of others a preview does not quote what is not declared. */
const withheldWarning = "the API server's warning is hidden because it could quote a hidden value";

/** `A, B: text` is said of each of them. */
function saidOf(text: string, names: ReadonlySet<string>): readonly string[] {
  const [said = "", ...rest] = text.split(": ");
  return said
    .split(", ")
    .filter((name) => names.has(name))
    .map((name) => `${name}: ${rest.join(": ")}`);
}
