import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

/**
 * Compares the flags of the commands that the Action runs with its inputs. Each flag is an input,
 * or docs/reference/action.md names it as one of the command.
 */
const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { inputs } = parse(read("action.yml")) as { inputs: object };
const page = read("docs/reference/action.md");
const section = page.slice(page.indexOf("## Flags without an input"), page.indexOf("## Outputs"));

test.each(["deploy", "diff", "rollback", "delete", "drift"])(
  "each flag of qvs %s is an input, or is documented as one of the command",
  (command) => {
    const rows = read(`docs/reference/cli/${command}.md`).matchAll(/^\| `(?:-\w, )?--([\w-]+)/gm);
    const flags = [...rows].map(([, flag = ""]) => flag);
    expect(flags.length).toBeGreaterThan(3);
    const isKnown = (flag: string) => flag in inputs || section.includes(`\`--${flag}\``);
    expect(flags.filter((flag) => !isKnown(flag))).toEqual([]);
  },
);
