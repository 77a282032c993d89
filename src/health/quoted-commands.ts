/**
 * Reports whether a kubelet message quotes a command with its arguments, or its output.
 * Both can contain a secret. Only the run's log shows such messages, as events. All other outputs
 * show their harmless parts.
 */
export function quotesCommands(reason: string, message: string): boolean {
  return reasons.has(reason) || patterns.some((pattern) => pattern.test(message));
}

const reasons: ReadonlySet<string> = new Set([
  ...["RunContainerError", "CreateContainerError", "StartError", "ContainerCannotRun"],
  ...["PostStartHookError", "PreStopHookError", "FailedPostStartHook", "FailedPreStopHook"],
  ...["Unhealthy", "ProbeWarning"],
]);

const patterns: readonly RegExp[] = [
  /\bprobe (failed|errored|warning)/i,
  /\bexec(?:ing)?:? ?["[]/i,
  /\bcommand ["'`[]/i,
  /OCI runtime|containerd task|shim task|lifecycle hook|(PostStart|PreStop)Hook/i,
];

/** Message starts that name the failed action, and message ends that name the cause. */
const beginnings: readonly RegExp[] = [
  /^(?:Liveness|Readiness|Startup) probe (?:failed|errored|warning)/i,
  /^Error: failed to (?:create|start) (?:containerd task|container)\b/,
  /^failed to (?:create|start) (?:containerd task|container)\b/,
  /^(?:Exec|HTTP) lifecycle hook\b/,
  /^(?:PostStartHook|PreStopHook) failed\b/,
];

const ends: readonly RegExp[] = [
  /HTTP probe failed with statuscode: \d{3}\b/,
  /executable file not found in \$PATH/,
  /no such file or directory/,
  /permission denied/,
  /connection refused/,
  /context deadline exceeded/,
  /command timed out/,
  /exit(?:ed with|ed with code| code| status) \d{1,3}\b/,
];

/** Returns the harmless parts of a message: `Readiness probe failed: connection refused`. */
export function harmlessParts(message: string): string {
  const parts = [beginnings, ends].flatMap((all) => {
    const found = all.map((each) => each.exec(message)?.[0]).find((part) => part !== undefined);
    return found === undefined ? [] : [found];
  });
  return parts.length > 0
    ? parts.join(": ")
    : "message hidden because it quotes a command; see the Pod's events";
}
