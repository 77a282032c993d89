import { exitCode } from "../output/report-failure.ts";

/** The exit codes, the worst one last (docs/reference/cli.md#exit-codes). */
const bySeverity: readonly number[] = [
  ...[exitCode.done, exitCode.changes, exitCode.superseded],
  ...[exitCode.user, exitCode.interrupted, exitCode.bug],
];

/** Returns the exit code of a run of several deployments: the worst of their codes. */
export function worstExitCode(codes: readonly number[]): number {
  return codes.reduce(
    (worst, code) => (bySeverity.indexOf(code) > bySeverity.indexOf(worst) ? code : worst),
    exitCode.done,
  );
}
