import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countInputs } from "../attack.ts";
import { hostileTexts, writings } from "./hostile-texts.ts";
import {
  annotationPlaces,
  markdownPlaces,
  type Place,
  pagePlaces,
  terminalPlaces,
  titlePlaces,
} from "./places.ts";
import {
  colours,
  linksIn,
  ordersIn,
  strangeAddressesIn,
  strangeLinksIn,
  structureOf,
  tagsOf,
  unseenIn,
} from "./seen.ts";

/**
 * Shows hostile text in every place. The result must be readable, send no command to a runner or
 * terminal, and have the same structure as with a harmless text.
 */
describe("untrusted text in Markdown", () => {
  test.for(markdownPlaces)("$name", async (place, context) => {
    const plain = structureOf(await place.render("harmless"));
    await tryAll(place, context, async (text) => {
      const shown = await place.render(text);
      return [
        ...unseenIn(shown, /\n|\t/g),
        ...linksIn(shown),
        ...strangeLinksIn(shown),
        ...(structureOf(shown) === plain || isShortened(place) ? [] : ["another structure"]),
        ...(markersIn(shown) > 1 ? ["a marker of ours"] : []),
      ];
    });
  });
});

describe("untrusted text in a page", () => {
  test.for(pagePlaces)("$name", async (place, context) => {
    const plain = tagsOf(await place.render("harmless"));
    await tryAll(place, context, async (text) => {
      const shown = await place.render(text);
      return [
        ...unseenIn(shown, /\n|\t/g),
        ...ordersIn(shown),
        ...strangeAddressesIn(shown),
        ...(tagsOf(shown) === plain ? [] : ["another structure"]),
      ];
    });
  });
});

describe("untrusted text on a terminal", () => {
  test.for(terminalPlaces)("$name", async (place, context) => {
    await tryAll(place, context, async (text) => {
      const shown = await place.render(text);
      return [...unseenIn(shown, colours), ...ordersIn(shown)];
    });
  });
});

describe("untrusted text in a title", () => {
  test.for(titlePlaces)("$name", async (place, context) => {
    const { length } = (await place.render("harmless")).split("\n");
    await tryAll(place, context, async (text) => {
      const shown = await place.render(text);
      const isSame = shown.split("\n").length === length;
      return [...unseenIn(shown), ...(isSame ? [] : ["another line"])];
    });
  });
});

/**
 * The runner splits a workflow command at its line end, splits its properties at `,`, and then
 * decodes %-escapes.
 */
describe("untrusted text in an annotation", () => {
  test.for(annotationPlaces)("$name", async (place, context) => {
    const titles = titlesIn(await place.render("harmless"));
    await tryAll(place, context, async (text) => {
      const shown = await place.render(text);
      const decoded = shown.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%");
      return [
        ...unseenIn(decoded, /\n/g),
        ...ordersIn(shown).filter((line) => !/^::(error|warning|notice) title=QVS/.test(line)),
        ...(titlesIn(shown).length === titles.length ? [] : ["another annotation"]),
      ];
    });
  });
});

test.for(writings)("%s stays readable in every place", async (text) => {
  for (const place of [...markdownPlaces, ...pagePlaces, ...terminalPlaces]) {
    const shown = await place.render(`a ${text} z`);
    expect(shown, place.name).not.toMatch(/\\u(?!00a0)/);
  }
});

async function tryAll(
  _place: Place,
  context: Parameters<typeof countInputs>[0],
  faultsOf: (text: string) => Promise<readonly string[]>,
): Promise<void> {
  countInputs(context, "foreign text", hostileTexts.length);
  const faults: Record<string, readonly string[]> = {};
  for (const { hope, text } of hostileTexts) {
    const found = await faultsOf(text);
    if (found.length > 0) faults[hope] = [...new Set(found)].slice(0, 5);
  }
  expect(faults).toEqual({});
}

test("SECURITY.md has the numbers of places and texts", () => {
  const all = [markdownPlaces, pagePlaces, terminalPlaces, titlePlaces, annotationPlaces];
  const places = all.flat().length;
  const security = readFileSync(new URL("../../../SECURITY.md", import.meta.url), "utf8");
  const said = /`foreign-text`: (\d+) places, (\d+) texts each/.exec(security);
  expect(said?.slice(1).map(Number)).toEqual([places, hostileTexts.length]);
});

/**
 * Reports whether the place shortens text. The position of the cut depends on the length of the
 * text.
 */
function isShortened({ name }: Place): boolean {
  return /at most|shortened|twice/.test(name);
}

function markersIn(markdown: string): number {
  return markdown.split("<!-- qvs-action:outcome -->").length - 1;
}

function titlesIn(log: string): readonly string[] {
  return log.split("\n").filter((line) => line.startsWith("::"));
}
