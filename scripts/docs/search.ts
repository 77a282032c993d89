/**
 * Queries the search index of the built site, as the browser does: `node scripts/docs/search.ts`
 * after a build. Fails if a flag or a code isn't among the first results.
 * `node scripts/docs/search.ts QUERY` shows the results of a query.
 */
import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { miniSearch } from "../../docs/.vitepress/search.ts";

interface Result {
  readonly id: string;
  readonly titles: readonly string[];
  readonly title: string;
}

interface Index {
  search(query: string): readonly Result[];
}

const docs = join(import.meta.dirname, "../../docs");
/** The path of the site, which begins each address in the index. */
const base = process.env["DOCS_BASE"] ?? "/";

/** Queries, and the section that must be among the first three results. */
const expected: ReadonlyMap<string, string> = new Map([
  ["--timeout", "/reference/cli/"],
  ["--on-failure", "/reference/cli/deploy.html#"],
  ["qvs deploy --on-failure", "/reference/cli/deploy.html#options"],
  ["qvs reconcile --watch", "/reference/cli/reconcile.html#"],
  ["on-failure", "/reference/action.html#on-failure"],
  ["field-conflict", "/reference/errors.html#field-conflict"],
  ["field conflict", "/operate/field-conflict.html#"],
  ["rollout-deadlock", "/reference/findings.html#rollout-deadlock"],
  ["keepOnDelete", "/reference/annotations.html#"],
]);

async function readIndex(): Promise<Index> {
  const [path] = globSync("assets/chunks/@localSearchIndexroot.*.js", {
    cwd: join(docs, ".vitepress/dist"),
  });
  if (path === undefined) throw new Error("The site isn't built: npm run docs");
  const { default: json } = await import(join(docs, ".vitepress/dist", path));
  const MiniSearch = createRequire(join(docs, "package.json"))("minisearch") as {
    loadJSON(json: string, options: object): Index;
  };
  return MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: miniSearch.searchOptions,
    ...miniSearch.options,
  });
}

function show({ id, titles, title }: Result): string {
  return `  ${[...titles, title].join(" > ")}  (${id})`;
}

const index = await readIndex();
const [, , userQuery] = process.argv;
if (userQuery !== undefined) console.log(index.search(userQuery).slice(0, 8).map(show).join("\n"));
let missing = 0;
for (const [query, section] of userQuery === undefined ? expected : []) {
  const first = index.search(query).slice(0, 3);
  if (first.some(({ id }) => id.startsWith(base + section.slice(1)))) continue;
  missing += 1;
  console.log(`${query}: ${section} isn't among the first results`);
  console.log(first.map(show).join("\n"));
}
if (userQuery === undefined)
  console.log(`${expected.size} queries: ${missing} without their section`);
process.exitCode = missing === 0 ? 0 : 1;
