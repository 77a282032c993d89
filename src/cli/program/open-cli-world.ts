import { resolve } from "node:path";
import { moduleToken } from "../../io/git/modules/token.ts";
import type { Compiler } from "../../ports/cue.ts";
import type { OpenWorld } from "../../ports/world.ts";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import { openWorld } from "../../world/open-world.ts";
import type { CommonOptions } from "../flags/options.ts";
import type { Shell } from "./shell.ts";

/** Opens the world of a command, with the flags and the environment of the command line. */
export function openCliWorld(
  shell: Shell,
  compiler: Compiler,
  signal: AbortSignal,
  options: CommonOptions & { readonly sent: SentSecrets },
): Promise<OpenWorld> {
  const { env } = shell;
  const { QVS_MODULES_TOKEN, QVS_MODULES_HOST } = env;
  const { kubeconfig } = options;
  return openWorld({
    directory: shell.cwd(),
    read: "work tree",
    env,
    streams: shell,
    compiler: options.cache === false ? { ...compiler, compileCached: compiler.compile } : compiler,
    kubeconfig: kubeconfig === undefined ? undefined : { path: resolve(shell.cwd(), kubeconfig) },
    signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: env.USER, run: undefined },
    modulesToken: moduleToken(QVS_MODULES_TOKEN, QVS_MODULES_HOST, env),
    sent: options.sent,
    quiet: options.quiet ?? false,
  });
}
