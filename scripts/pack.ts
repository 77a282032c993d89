import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ncc from "@vercel/ncc";

/**
 * Packs a bundle with ncc. ncc names modules by their paths from the current directory, which must
 * be the same on all machines. It also makes a `createRequire` for Node's builtins; this is
 * replaced, so that no file of dist can require anything.
 */
export async function pack(name: string, code: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "qvs-build-"));
  try {
    writeFileSync(join(folder, name), code);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const options = { quiet: true, minify: false, cache: false, esm: true } as const;
    const packed = await inFolder(folder, () => ncc(join(folder, name), options));
    const assets = Object.keys(packed.assets).filter((asset) => asset !== "package.json");
    if (assets.length > 0)
      throw new Error(`ncc wrote other files next to ${name}: ${assets.join(", ")}`);
    return withBuiltins(packed.code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inFolder<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(directory);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}

/**
 * Replaces ncc's code for a builtin, `const NAME = REQUIRE(import.meta.url)("node:fs");`, because
 * the build refuses `require`. An import would be slower: for `node:http`, Node.js lists the
 * exports and loads some of them only for that list.
 */
function withBuiltins(code: string): string {
  const head = /^import \{ createRequire as (\w+) \} from "module";\n/.exec(code);
  if (head === null) return code;
  const builtin = new RegExp(
    `^const (\\w+) = ${head[1]}\\(import\\.meta\\.url\\)\\("(?:node:)?([\\w/]+)"\\);$`,
    "gm",
  );
  return code
    .slice(head[0].length)
    .replace(builtin, 'const $1 = process.getBuiltinModule("node:$2");');
}
