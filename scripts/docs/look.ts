/**
 * Looks at the built site in a headless Chromium, at three widths, light and dark: every page is checked by axe for what keeps people from
 * reading it, for text that is wider than the screen, and for requests to other hosts. `npm run docs:look [FOLDER]` after
 * `npm run docs`; with a folder, pictures of the pages are written there.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserPage, openBrowser } from "./look/browser.ts";
import { serve } from "./look/serve.ts";

const docs = join(import.meta.dirname, "../../docs");
const built = join(docs, ".vitepress/dist");
const axe = readFileSync(join(docs, "../node_modules/axe-core/axe.min.js"), "utf8");
// A phone, a window beside another one, a desk.
const looks = [360, 820, 1440].flatMap((width) =>
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

async function check(path: string, look: Look): Promise<number> {
  await browser.open(`${server.address}/${path}`);
  await browser.evaluate(axe);
  const problems = (await browser.evaluate(`(${inspect})()`)) as readonly string[];
  const name = `${path} ${look.width} ${look.scheme}`;
  for (const problem of problems) console.log(`${name}: ${problem}`);
  if (pictures !== undefined) await takePicture(pictures, name.replaceAll(/[/ ]/g, "-"));
  return problems.length;
}

async function takePicture(folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { data } = await browser.send("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(folder, `${name}.png`), String(data), "base64");
}

/** Runs in the page. */
async function inspect(): Promise<readonly string[]> {
  // @ts-expect-error The page has a document, and axe.
  const { axe, document, location, performance, innerWidth } = globalThis;
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const barriers = violations.map(
    ({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      `${id} in ${nodes.length} places, such as ${nodes[0]?.html.slice(0, 160)}`,
  );
  const wide = document.documentElement.scrollWidth;
  const foreign = performance
    .getEntriesByType("resource")
    .map(({ name }: { name: string }) => name)
    .filter((name: string) => !name.startsWith(location.origin));
  return [
    ...barriers,
    ...(wide > innerWidth ? [`is ${wide} wide on a screen of ${innerWidth}`] : []),
    ...foreign.map((name: string) => `loads ${name}`),
  ];
}
