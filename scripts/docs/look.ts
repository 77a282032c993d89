/**
 * Opens the built site in a headless Chromium, at three widths, light and dark. Checks each page
 * and the search with axe, and finds text that is wider than the screen, cut tables, and requests
 * to other hosts. `npm run docs:look [DIRECTORY]` after `npm run docs` also writes pictures of the
 * pages there.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserPage, openBrowser } from "./look/browser.ts";
import { serve } from "./look/serve.ts";

const docs = join(import.meta.dirname, "../../docs");
const built = join(docs, ".vitepress/dist");
const axe = readFileSync(join(docs, "../node_modules/axe-core/axe.min.js"), "utf8");
// A phone, half of a screen, and a desktop.
const looks = [390, 820, 1440].flatMap((width) =>
  ["light", "dark"].map((scheme) => ({ width, scheme })),
);

const pages = globSync("**/*.html", { cwd: built }).filter((path) => path !== "404.html");
const [, , pictures] = process.argv;
const server = await serve(built);
const browser = await openBrowser();
let found = 0;
try {
  for (const look of looks) {
    await dress(browser, look);
    for (const page of pages.toSorted()) found += await check(page, look);
    found += await check("reference/cli.html", look, search);
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`${pages.length} pages in ${looks.length} looks: ${found} problems`);
process.exitCode = found === 0 ? 0 : 1;

interface Look {
  readonly width: number;
  readonly scheme: string;
}

async function dress(page: BrowserPage, { width, scheme }: Look): Promise<void> {
  const size = { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 };
  await page.send("Emulation.setDeviceMetricsOverride", size);
  const features = [
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ];
  await page.send("Emulation.setEmulatedMedia", { features });
}

async function check(path: string, look: Look, prepare?: () => Promise<string>): Promise<number> {
  await browser.open(`${server.address}/${path}`);
  const state = prepare === undefined ? "" : `-${await browser.evaluate(`(${prepare})()`)}`;
  await browser.evaluate(axe);
  const problems = (await browser.evaluate(`(${inspect})()`)) as readonly string[];
  const name = `${path}${state} ${look.width} ${look.scheme}`;
  for (const problem of problems) console.log(`${name}: ${problem}`);
  if (pictures !== undefined) await takePicture(pictures, name.replaceAll(/[/ ]/g, "-"));
  return problems.length;
}

async function takePicture(folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { data } = await browser.send("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(folder, `${name}.png`), String(data), "base64");
}

/** Searches in the page, and returns the name of this state. */
async function search(): Promise<string> {
  // @ts-expect-error The page has a document.
  const { document, Event } = globalThis;
  const find = async (selector: string) => {
    for (;;) {
      const found = document.querySelector(selector);
      if (found !== null) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // The button works only after the page's script has started.
  const opened = setInterval(() => document.querySelector(".DocSearch-Button").click(), 200);
  const input = await find(".VPLocalSearchBox input");
  clearInterval(opened);
  input.value = "qvs deploy --on-failure";
  input.dispatchEvent(new Event("input"));
  await find(".VPLocalSearchBox .excerpt mark");
  return "search";
}

/** Runs in the page. */
async function inspect(): Promise<readonly string[]> {
  // @ts-expect-error The page has a document, and axe.
  const { axe, document, getComputedStyle, location, performance, innerWidth } = globalThis;
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const barriers = violations.map(
    ({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      `${id} in ${nodes.length} places, such as ${nodes[0]?.html.slice(0, 160)}`,
  );
  const wide = document.documentElement.scrollWidth;
  // A cell that hides part of its text. A table that scrolls as a whole is fine.
  const cut = [...document.querySelectorAll(".vp-doc td, .vp-doc th")].filter(
    (cell) => getComputedStyle(cell).display !== "none" && cell.scrollWidth > cell.clientWidth + 1,
  );
  const foreign = performance
    .getEntriesByType("resource")
    .map(({ name }: { name: string }) => name)
    .filter((name: string) => !name.startsWith(location.origin));
  return [
    ...barriers,
    ...(wide > innerWidth ? [`is ${wide} wide on a screen of ${innerWidth}`] : []),
    ...cut.map((cell) => `cuts the cell ${cell.textContent.slice(0, 60)}`),
    ...foreign.map((name: string) => `loads ${name}`),
  ];
}
