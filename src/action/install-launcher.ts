import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes `qvs` a command in the later steps of the job.
 * A runner's Node.js for actions isn't in PATH, so the launcher contains the path of this process's
 * Node.js (https://docs.github.com/actions/reference/workflow-commands).
 */
export function installLauncher(env: NodeJS.ProcessEnv, node: string, program: string): void {
  const folder = mkdtempSync(join(env["RUNNER_TEMP"] || tmpdir(), "qvs-"));
  writeFileSync(join(folder, "qvs"), `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`, {
    mode: 0o755,
  });
  const [nodeInCmd, programInCmd] = [node, program].map((path) => path.replaceAll("%", "%%"));
  writeFileSync(join(folder, "qvs.cmd"), `@"${nodeInCmd}" "${programInCmd}" %*\r\n`);
  const pathFile = env["GITHUB_PATH"];
  if (pathFile) appendFileSync(pathFile, `${folder}\n`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
