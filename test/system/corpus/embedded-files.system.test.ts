import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import type { Json } from "../../../src/model/json.ts";
import { buildTools } from "../../support/cluster/build.ts";
import { compileWasm, load } from "../../support/cue/open.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";

let cue: string;
let engine: WebAssembly.Module;
beforeAll(async () => {
  cue = (await buildTools("cue")).path("cue");
  engine = await compileWasm();
});

const files = {
  "cue.mod/module.cue": 'module: "a.example/m"\nlanguage: version: "v0.12.0"',
  "inner/cue.mod/module.cue": 'module: "a.example/inner"\nlanguage: version: "v0.12.0"',
  "inner/a.txt": "",
  "a.txt": "hello\n",
  "b.yaml": "n: 1\nlist: [a, b]\n",
  "c.json": '{"n": 2}',
  "d.toml": "n = 3\n[t]\nm = 4\n",
  "e.conf": "plain",
  "f.cue": "package other",
  "g.yml": "a: 1\n---\nb: 2\n",
  "h.jsonl": '{"a": 1}\n',
  "broken.json": '{"a": ]}',
  ".hidden.yaml": "n: 5",
  "d/one.yaml": "n: 6",
  "d/two.yaml": "n: 7",
  "d/.three.yaml": "n: 8",
  "d/e/four.yaml": "n: 9",
  "d-x/five.yaml": "n: 10",
};

/** The value of `a`, or "error" for any error. Both programs have their own messages. */
type Outcome = { readonly value: Json } | "error";

test.each([
  "file=a.txt",
  "file=b.yaml",
  "file=c.json",
  "file=d.toml",
  "file=e.conf",
  "file=e.conf, type=text",
  "file=a.txt, type=binary",
  "file=b.yaml, type=text",
  'file="b.yaml"',
  'file="d/one.yaml"',
  'file="./a.txt"',
  'file="../a.txt"',
  "file=/a.txt",
  "file=f.cue",
  'file="f.cue", type=text',
  "file=g.yml",
  "file=h.jsonl",
  "file=broken.json",
  "file=none.txt",
  "file=d, type=text",
  "file=.hidden.yaml",
  "file=inner/a.txt",
  "file=link.txt",
  "glob=*.yaml",
  "glob=d/*.yaml",
  "glob=*/*.yaml",
  "glob=*/one.yaml",
  "glob=.*.yaml",
  "glob=d/.*.yaml",
  "glob=d/[a-o]*.yaml",
  "glob=d/*, type=text",
  "glob=*.none",
  "glob=*.none, allowEmptyGlob",
  "glob=inner/*.txt",
  "glob=*",
  "glob=b.yaml",
  "glob=link/*.yaml",
  "glob=l*/*.yaml",
  "file=a.txt, glob=*.txt",
  "type=text",
])("qvs embeds the same as cue: %s", async (attribute) => {
  const directory = temporaryDirectory();
  const x = `@extern(embed)\npackage x\na: _ @embed(${attribute})\n`;
  for (const [path, content] of Object.entries({ ...files, "x.cue": x })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  symlinkSync("a.txt", join(directory, "link.txt"));
  symlinkSync("d", join(directory, "link"));
  expect(evaluated(directory)).toEqual(await exported(directory));
});

async function exported(directory: string): Promise<Outcome> {
  try {
    const run = await promisify(execFile)(cue, ["export", ".:x", "-e", "a"], { cwd: directory });
    return { value: JSON.parse(run.stdout) as Json };
  } catch {
    return "error";
  }
}

function evaluated(directory: string): Outcome {
  const opened = createCue(engine, [{ display: "", files: { in: "directory", directory } }]);
  if (!opened.load("a.example/m:x").ok) return "error";
  const a = opened.lookup(load(opened, "a.example/m:x"), ["a"]);
  const json = a === undefined ? undefined : opened.export(a);
  return json?.ok === true ? { value: json.value } : "error";
}
