import { openModuleStore } from "../../../src/io/git/modules/store.ts";

/**
 * A separate process that fetches one module: `fetch-once.ts CACHE REPOSITORY REVISION` prints the
 * commit and the hash.
 */
const [cache = "", repo = "", revision = ""] = process.argv.slice(2);
const store = openModuleStore({ cache, base: "/", anywhere: true, environment: process.env });
const result = await store.fetch({ repo, revision, path: "", locked: undefined });
console.log(result.ok ? `${result.value.commit} ${result.value.hash}` : result.problems[0]?.what);
