import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/action/mode-comment.ts";
import { actionProgram } from "../../support/qvs/qvs-program.ts";

/** Starts the whole program, because a library also reads the event while it is loaded. */
async function started(text: string | undefined) {
  const path = join(temporaryFolder(), "event.json");
  if (text !== undefined) writeFileSync(path, text);
  const { PATH, HOME } = process.env;
  const step = { GITHUB_EVENT_NAME: "push", GITHUB_EVENT_PATH: path, GITHUB_REPOSITORY: "a/b" };
  return promisify(execFile)(process.execPath, ["--no-warnings", actionProgram], {
    env: { PATH, HOME, ...step },
  }).then(
    () => ({ code: 0, log: "" }),
    ({ code, stdout, stderr }) => ({ code, log: `${stdout}${stderr}` }),
  );
}

test.each([
  ["missing", undefined],
  ["empty", ""],
  ["not JSON", "{x"],
  ["no object", "7"],
])(
  "an event file that is %s ends the step with a fix and without a stack trace",
  async (_, text) => {
    const { code, log } = await started(text);
    expect(code).toBe(1);
    expect(log).toContain("The file of the push event");
    expect(log).toContain("::error title=QVS::");
    expect(log).toContain("help: Run the Action in a workflow that GitHub started for this event");
    expect(log).not.toMatch(/^ {4}at |does not exist/m);
  },
);
