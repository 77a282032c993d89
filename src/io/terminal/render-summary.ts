import { elapsedText } from "./elapsed.ts";
import type { Colour, Paint } from "./paint.ts";
import type { Picture, ShownObject, Standing } from "./picture.ts";
import { plainText } from "./plain-text.ts";

/** What came of the deployment: one line of counts, then a table of everything that is not simply unchanged, failures last. */
export function renderSummary(
  picture: Picture,
  now: number,
  nameOf: (key: string) => string,
  paint: Paint,
): string {
  const objects = [...picture.objects.values()];
  const told = objects
    .filter((object) => object.standing !== "unchanged" || object.why !== "")
    .toSorted((a, b) => Number(a.standing === "failed") - Number(b.standing === "failed"));
  const names = told.map((object) => plainText(nameOf(object.key)));
  const width = Math.min(widestColumn, Math.max(0, ...names.map((name) => name.length)));
  const lines = told.map((object, index) =>
    row(object, (names[index] ?? "").padEnd(width), now, paint),
  );
  return [headline(picture, objects, now, paint), ...lines].join("\n");
}

/** So that the table fits 80 columns: one longer name shall not break the lines of all the others. */
const widestColumn = 58;

function headline(
  picture: Picture,
  objects: readonly ShownObject[],
  now: number,
  paint: Paint,
): string {
  const time = elapsedText((picture.ended ?? now) - picture.started);
  const succeeded = picture.ending === "succeeded";
  const failure = picture.ending === "cancelled" ? "Cancelled" : "Failed";
  const verdict = succeeded ? `Succeeded in ${time}` : `${failure} after ${time}`;
  const counts = order.flatMap((standing) => {
    const count = objects.filter((object) => object.standing === standing).length;
    return count === 0 ? [] : [`${count} ${standing}`];
  });
  const rest = counts.length === 0 ? "nothing to do" : counts.join(", ");
  return `${paint(succeeded ? "green" : "red", verdict)}: ${rest}`;
}

function row(object: ShownObject, name: string, now: number, paint: Paint): string {
  const { mark, colour } = looks[object.standing];
  const time = elapsedText((object.ended ?? now) - object.since).padStart(7);
  const text = `  ${paint(colour, `${mark} ${object.standing.padEnd(9)}`)} ${name} ${time}`;
  // What failed is explained below the table, with the evidence.
  const why = object.standing === "failed" ? "" : plainText(object.why);
  return why === "" ? text : `${text}  ${why}`;
}

const looks: Readonly<Record<Standing, { readonly mark: string; readonly colour: Colour }>> = {
  created: { mark: "✔", colour: "green" },
  updated: { mark: "✔", colour: "green" },
  replaced: { mark: "✔", colour: "green" },
  unchanged: { mark: "✔", colour: "dim" },
  deleted: { mark: "✔", colour: "green" },
  kept: { mark: "•", colour: "dim" },
  applying: { mark: "…", colour: "yellow" },
  waiting: { mark: "…", colour: "yellow" },
  deleting: { mark: "…", colour: "yellow" },
  failed: { mark: "✖", colour: "red" },
};

const order = Object.keys(looks) as readonly Standing[];
